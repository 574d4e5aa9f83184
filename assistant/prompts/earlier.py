"""What models are told of turns that are left out: one typed input for its template."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier(Instruction):
    """Tells what was said in the turns that are left out. ``summary`` is the summariser's, in its words."""

    template: ClassVar[str] = "earlier.j2"
    summary: str
