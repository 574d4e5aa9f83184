"""Where the company's documents lie."""

from pathlib import Path

from assistant.settings import Settings
from assistant.shipped import own_or_shipped, shipped

_NAME = "knowledge"


def knowledge_folder(settings: Settings) -> Path:
    """The folder that was chosen, else the one where the program runs; it may not be there.

    The demo shop's pages come with its tools only: nobody's customers are told another company's terms.
    """
    if settings.knowledge_dir is not None:
        return settings.knowledge_dir
    own, tools = Path(_NAME), own_or_shipped(settings.tools_dir, "tools")
    is_demo = tools.resolve() == shipped("tools").resolve()
    return shipped(_NAME) if is_demo and not own.is_dir() else own
