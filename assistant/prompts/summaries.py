"""What the summary model is told: one typed input for each of its two tasks."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueSummary(Instruction):
    """Sums up the oldest part of a conversation. What is to be summed up stands in the block ``late``.

    ``summary`` is what stands for all that came before, "" for nothing; ``said`` has what was said since, oldest
    first, each with who said it ("Customer: ..."), results of tools under their names among it. ``words`` is how
    long the new summary may be, ``language`` what the customer seems to write in ("German").
    """

    template: ClassVar[str] = "dialogue_summary.j2"
    summary: str
    said: tuple[str, ...]
    words: int
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSummary(Instruction):
    """Puts one large result into few words. What is to be summed up stands in the block ``late``.

    ``tool`` and ``arguments`` say what was asked of whom, ``question`` what the customer wanted by it; ``result``
    is what came, as JSON or text, perhaps without its middle. ``words`` is how long the summary may be.
    """

    template: ClassVar[str] = "result_summary.j2"
    tool: str
    arguments: str
    question: str
    result: str
    words: int
    language: str = "English"
