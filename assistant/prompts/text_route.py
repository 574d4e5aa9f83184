"""What a model is told that writes its calls as text."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRouteRules(Instruction):
    """Tells a model without tool calling of its own how to call tools, and what results look like.

    ``structure`` is the section of calls as it is to be written, "" where nothing may be called. ``calls``,
    ``results`` and ``tools`` are the names of sections. ``one``: one call in a reply at most.
    """

    template: ClassVar[str] = "text_route.j2"
    structure: str
    calls: str
    results: str
    tools: str
    one: bool = False
