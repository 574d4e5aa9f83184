"""What keeps HTTP tools from being offered, or from working: nobody has reviewed them, or a secret is not set."""

from collections.abc import Iterable

from assistant.tooling.http.tool import HttpTool
from assistant.tooling.tool import Tool


def drafts(tools: Iterable[Tool]) -> list[str]:
    """The names of those that nobody has reviewed, sorted."""
    return sorted(tool.spec.name for tool in tools if isinstance(tool, HttpTool) and tool.draft)


def unset_secrets(tools: Iterable[Tool]) -> list[tuple[str, str]]:
    """Each variable that is not set, with the system that needs it, in the order of the tools."""
    services = [tool.service for tool in tools if isinstance(tool, HttpTool)]
    return list(dict.fromkeys((name, one.name) for one in services for name in one.credentials.missing))
