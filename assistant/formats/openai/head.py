"""Everything in a chat completion's request that is neither a message nor a tool."""

import re

from assistant.conversation.values import Json
from assistant.formats.extra import with_extra
from assistant.ports import ModelOptions

_NEWER = re.compile(r"(?:o\d|gpt-(?:[5-9]|1\d))(?![a-z\d])")
_LUKEWARM = re.compile(r"o\d(?![a-z\d])|gpt-5(?!\.|-chat)")
_ONE_BY_ONE = re.compile(r"o\d(?![a-z\d])")


def write_head(options: ModelOptions, model: str, *, tools: bool) -> dict[str, Json]:
    """The options as OpenAI's models want them: what some refuse is told by the model's name.

    Args:
        options: what is passed through.
        model: the provider's own name for the model.
        tools: whether tools are on offer.

    Raises:
        DeclarationError: an extra field is ours.

    >>> write_head(ModelOptions(), "gpt-5-mini", tools=False)["max_completion_tokens"]
    1024
    """
    own_name = model.rpartition("/")[2].removeprefix("ft:")
    limit = "max_completion_tokens" if _NEWER.match(own_name) else "max_tokens"
    head: dict[str, Json] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        limit: options.max_tokens,
    }
    if options.temperature is not None and not _LUKEWARM.match(own_name):
        head["temperature"] = options.temperature
    if tools and not options.parallel_calls and not _ONE_BY_ONE.match(own_name):
        # The o-series calls one tool after the other anyway, and refuses to be told so.
        head["parallel_tool_calls"] = False
    return with_extra(head, options.extra) if options.extra else head
