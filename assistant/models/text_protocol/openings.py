"""Finds where calls, invented results and thoughts may begin in a model's text, in all forms that models use."""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.formats.sections import MarkdownFormat, TextFormat, XmlFormat

Kind: TypeAlias = Literal["calls", "results", "thought", "maybe", "closing"]

CALLS: Final = "calls"
"""The section in which the model is told to write its calls."""

ENDS: Final = "\n.!?:\u2026"
"""Characters that end a sentence or a line."""

_CALLS: Final = ("calls", "tool_calls", "tool_call", "function_calls", "function_call")
_RESULTS: Final = (
    "observation", "observations", "tool_results", "tool_result", "tool_responses", "tool_response", "tool_output",
    "function_results", "function_result", "function_response",
)  # fmt: skip
THOUGHTS: Final = ("think", "thinking", "thought", "reasoning", "reflection")
_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(_CALLS, "calls"),
    **dict.fromkeys(_RESULTS, "results"),
    **dict.fromkeys(THOUGHTS, "thought"),
}
_LITERAL: Final = re.compile(
    r"(?P<calls>\[TOOL_CALLS?\]|<function\s*=|<\|python_(?:tag|start)\|>|<\uff5ctool\u2581calls?\u2581begin\uff5c>)"
    r"|(?P<maybe>`{3}|^(?<![^\n])[ \t]*(?=[\[{]|-[ ]*[\"']?(?:tool|name|function)[\"']?[ ]*:))",
    re.MULTILINE,
)
_GAP: Final = r"\s{0,40}"  # limited, because it is matched again with each piece
_CALLS_LINE: Final = r"^[ \t]*(?:(?:tool|function)[ _])?calls?:"
_HEADING: Final = re.compile(
    # "Calls:" on a separate line: calls follow, or the model makes none.
    rf"(?P<calls>{_CALLS_LINE}(?={_GAP}(?:\Z|[\[{{<`]|-[ ]*(?:[\w.]+\(|[\"']?(?:tool|name|function)[\"']?[ ]*:)"
    r"|(?:none|null|nothing|n/a)\b)))"
    r"|(?P<results>^[ \t]*(?:observation|(?:tool|function)[ _](?:result|output|response))s?:"
    rf"|^[ \t]*results?:(?={_GAP}[\[{{]))",
    re.MULTILINE | re.IGNORECASE,
)
_MAY_BE_HEADING: Final = re.compile(
    rf"(?:{_CALLS_LINE}|^[ \t]*results?:){_GAP}(?:-[ ]*[\w.\"']*|n[\w/]*)?\Z", re.MULTILINE | re.IGNORECASE
)
_BEGIN_CALLS: Final = "[{`<-"
_BEGINNINGS: Final = (
    "[TOOL_CALLS]", "<function =", "<|python_start|>", "<|python_tag|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>", "```",
)  # fmt: skip
_SIGNS: Final = re.compile(r"[<\[`\n]")
_HEADINGS: Final = ("calls", "results", "outputs", "responses")
_LINE_BEGINNINGS: Final = (
    *("observation:", "calls:", "results:", "- 'function' :", "-tool:"),
    *(f"{whose}{gap}{what}:" for whose in ("tool", "function") for gap in " _" for what in _HEADINGS),
)


@dataclass(frozen=True, slots=True)
class Opening:
    """The position of text that begins a section or a thought: ``text[start:end]``.

    The content follows it.
    """

    kind: Kind
    start: int
    end: int


class OpeningFinder:
    """Finds openings in all forms that models are known to use, and in the form that they are told to use.

    In the middle of a sentence only a thought can begin; a call there is only mentioned.

    Args:
        told: the text format that the model must use, with its sections.
        maybe: also find openings that may turn out not to begin a call.
    """

    def __init__(self, told: TextFormat, *, maybe: bool) -> None:
        self._maybe = maybe
        markdown, xml = MarkdownFormat(), XmlFormat()
        for name in (*_CALLS, *_RESULTS):
            markdown.register(name, "")
        for name in _KINDS:
            xml.register(name, "")
        self._formats = (told, markdown, xml)
        self._xml = xml
        # Another text format may begin its sections with any character.
        self._signs_known = isinstance(told, MarkdownFormat | XmlFormat)

    def may_begin_in(self, text: str) -> bool:
        """Whether an opening can begin in a text that does not begin a line.

        This check is fast, and usually returns False.
        """
        return not self._signs_known or _SIGNS.search(text) is not None

    def find(
        self, text: str, *, line_start: bool, sentence_start: bool = True, complete: bool = False
    ) -> Opening | None:
        """Returns the first opening in the text, which may begin a line and a sentence."""
        before = "" if line_start or sentence_start else "x"
        found = [
            opening for each in self._formats if (opening := _in(each, text, before, line_start, complete))
        ]
        literal = self._literal(text, before, line_start=line_start)
        heading = _heading(text, line_start=line_start, complete=complete)
        found += [opening for opening in (literal, heading) if opening is not None]
        return min(found, key=lambda opening: (opening.start, opening.kind == "maybe"), default=None)

    def held_from(self, text: str, *, line_start: bool) -> int:
        """Returns the position where an incomplete opening may begin, in a text without openings. If none may
        begin, returns the text's length.
        """
        held = [each.held_from(text, line_start=line_start) for each in self._formats]
        held += [_held(text, beginning) for beginning in _BEGINNINGS]
        last = text.rfind("\n") + 1
        line = text[last:].lstrip(" \t")
        begun = line.casefold()
        if (last or line_start) and any(beginning.startswith(begun) for beginning in _LINE_BEGINNINGS):
            held.append(last)
        heading = _MAY_BE_HEADING.search(text)
        if heading is not None and (heading.start() or line_start):
            held.append(heading.start())
        return min(held)

    def end_of_thought(self, text: str) -> int | None:
        """Returns the position where a thought ends, or None if it has not ended."""
        begun = 0
        while (marker := self._xml.find(text[begun:])) is not None:
            begun += marker.end
            if marker.kind == "closes" and marker.name in THOUGHTS:
                return begun
        return None

    def invents_results(self, text: str) -> bool:
        """Whether results follow the calls, which the model can only have invented."""
        begun = 0
        while (opening := self.find(text[begun:], line_start=True)) is not None:
            if opening.kind == "results":
                return True
            begun += max(opening.end, opening.start + 1)
        return False

    def _literal(self, text: str, before: str, *, line_start: bool) -> Opening | None:
        for found in _LITERAL.finditer(text):
            kind: Kind = "maybe" if found["maybe"] is not None else "calls"
            at_line = found.start() > 0 or line_start
            needs_line = kind == "maybe" and not found["maybe"].startswith("`")
            begins = kind == "maybe" or _begins_sentence(before + text[: found.start()])
            if begins and (kind != "maybe" or self._maybe) and (at_line or not needs_line):
                # The opening itself is a part of the calls, because it may contain a tool's name.
                return Opening(kind, found.start(), found.start())
        return None


def _heading(text: str, *, line_start: bool, complete: bool) -> Opening | None:
    """Returns the first line of plain text that announces calls or results, with the name after it."""
    for found in _HEADING.finditer(text):
        undecided = found["calls"] is not None and not complete and not text[found.end() :].strip()
        if (found.start() or line_start) and not undecided:
            kind: Kind = "calls" if found["calls"] is not None else "results"
            return Opening(kind, found.start(), found.end() if kind == "calls" else found.start())
    return None


def _begins_sentence(before: str) -> bool:
    """Whether a sentence or a line ends before this position."""
    spaceless = before.rstrip(" \t")
    return not spaceless or spaceless[-1] in ENDS


def _in(each: TextFormat, text: str, before: str, line_start: bool, complete: bool) -> Opening | None:
    begun = 0
    while (marker := each.find(text[begun:], line_start=line_start, complete=complete)) is not None:
        start, end = begun + marker.start, begun + marker.end
        kind = "closing" if marker.kind == "closes" else _KINDS.get(marker.name, "calls")
        behind = text[end:].partition("\n")[0].strip()
        about = kind == "calls" and behind and behind[0] not in _BEGIN_CALLS and text[end - 1] != ">"
        # "**Calls:** three of them" is text about calls, and so is "You would write <calls>".
        if marker.name in THOUGHTS or (not about and _begins_sentence(before + text[:start])):
            return Opening(kind, start, end)
        begun, line_start = end, False
    return None


def _held(text: str, beginning: str) -> int:
    """Returns the position of the longest end of the text that is a beginning of ``beginning``."""
    for length in range(min(len(beginning) - 1, len(text)), 0, -1):
        if text.endswith(beginning[:length]):
            return len(text) - length
    return len(text)
