"""Finds where calls, results or thoughts may begin in a reply, and which text may be shown at once."""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.formats.sections import MarkdownFormat, TextFormat, XmlFormat, unescape

Kind: TypeAlias = Literal["calls", "results", "thought", "maybe", "closing"]

CALLS: Final = "calls"
"""The section that the model is told to write."""

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
    r"|^(?P<results>[ \t]*Observation:)"
    r"|(?P<maybe>`{3}|^(?<![^\n])[ \t]*(?=[\[{]|-[ ]*[\"']?(?:tool|name|function)[\"']?[ ]*:))",
    re.MULTILINE,
)
_BEGIN_CALLS: Final = "[{`<-"
_BEGINNINGS: Final = (
    "[TOOL_CALLS]", "<function =", "<|python_start|>", "<|python_tag|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>", "```",
)  # fmt: skip
_SIGNS: Final = re.compile(r"[<\[`\n]")
_LINE_BEGINNINGS: Final = ("Observation:", "- 'function' :", "-tool:")


@dataclass(frozen=True, slots=True)
class Opening:
    """``text[start:end]`` is the sign that something begins; what begins follows it."""

    kind: Kind
    start: int
    end: int


class OpeningFinder:
    """Finds openings in each form that models are known to use, and in the one that they are told to use.

    In the middle of a sentence only a thought can begin: what looks like a call there is only mentioned.

    Args:
        told: the text format that the model is told to write, with the sections that it is told.
        maybe: also find what may turn out not to be a call.
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
        # Another format may begin its sections with any sign.
        self._signs_known = isinstance(told, MarkdownFormat | XmlFormat)

    def may_begin_in(self, text: str) -> bool:
        """Whether anything can begin in a text that does not begin a line. A quick check: mostly not."""
        return not self._signs_known or _SIGNS.search(text) is not None

    def find(
        self, text: str, *, line_start: bool, sentence_start: bool = True, complete: bool = False
    ) -> Opening | None:
        """The first opening in the text, which may begin a line, and a sentence."""
        before = "" if line_start or sentence_start else "x"
        found = [
            opening for each in self._formats if (opening := _in(each, text, before, line_start, complete))
        ]
        if (literal := self._literal(text, before, line_start=line_start)) is not None:
            found.append(literal)
        return min(found, key=lambda opening: (opening.start, opening.kind == "maybe"), default=None)

    def held_from(self, text: str, *, line_start: bool) -> int:
        """Where in a text without any opening one may have begun; its length for nowhere."""
        held = [each.held_from(text, line_start=line_start) for each in self._formats]
        held += [_held(text, beginning) for beginning in _BEGINNINGS]
        last = text.rfind("\n") + 1
        line = text[last:].lstrip(" \t")
        if (last or line_start) and any(beginning.startswith(line) for beginning in _LINE_BEGINNINGS):
            held.append(last)
        return min(held)

    def end_of_thought(self, text: str) -> int | None:
        """Where a thought ends; None while it goes on."""
        begun = 0
        while (marker := self._xml.find(text[begun:])) is not None:
            begun += marker.end
            if marker.kind == "closes" and marker.name in THOUGHTS:
                return begun
        return None

    def invents_results(self, text: str) -> bool:
        """Whether results follow the calls; the model can only have invented them."""
        begun = 0
        while (opening := self.find(text[begun:], line_start=True)) is not None:
            if opening.kind == "results":
                return True
            begun += max(opening.end, opening.start + 1)
        return False

    def _literal(self, text: str, before: str, *, line_start: bool) -> Opening | None:
        for found in _LITERAL.finditer(text):
            kind: Kind = "maybe" if found["maybe"] is not None else "results" if found["results"] else "calls"
            at_line = found.start() > 0 or line_start
            needs_line = found["results"] is not None or (
                kind == "maybe" and not found["maybe"].startswith("`")
            )
            begins = kind == "maybe" or _begins_sentence(before + text[: found.start()])
            if begins and (kind != "maybe" or self._maybe) and (at_line or not needs_line):
                # The sign itself is a part of the calls: it may hold the name of a tool.
                return Opening(kind, found.start(), found.start())
        return None


def _begins_sentence(before: str) -> bool:
    """Whether a sentence or a line ends before this place."""
    spaceless = before.rstrip(" \t")
    return not spaceless or spaceless[-1] in ENDS


def _in(each: TextFormat, text: str, before: str, line_start: bool, complete: bool) -> Opening | None:
    begun = 0
    while (marker := each.find(text[begun:], line_start=line_start, complete=complete)) is not None:
        start, end = begun + marker.start, begun + marker.end
        kind = "closing" if marker.kind == "closes" else _KINDS.get(marker.name, "calls")
        behind = text[end:].partition("\n")[0].strip()
        about = kind == "calls" and behind and behind[0] not in _BEGIN_CALLS and text[end - 1] != ">"
        # "**Calls:** three of them" are words about calls, and so is "You would write <calls>".
        if marker.name in THOUGHTS or (not about and _begins_sentence(before + text[:start])):
            return Opening(kind, start, end)
        begun, line_start = end, False
    return None


def _held(text: str, beginning: str) -> int:
    """Where the longest end of the text begins that the beginning begins with."""
    for length in range(min(len(beginning) - 1, len(text)), 0, -1):
        if text.endswith(beginning[:length]):
            return len(text) - length
    return len(text)


_ENTITY: Final = re.compile(r"&[#\w]{0,9}\Z")
ENDS: Final = "\n.!?:\u2026"
"""Characters at the end of a sentence or a line."""


class TextFilter:
    """Passes text on as it comes, with the escapes of sections replaced.

    It holds back an incomplete entity and the ends of lines, because calls may follow. White space before the first
    word is left out.
    """

    def __init__(self) -> None:
        self._held = ""
        self.said = False
        self.line_start = True
        self.sentence_start = True

    def push(self, text: str) -> str:
        """Add text; returns what can be shown now."""
        if text:
            self.line_start = text.endswith("\n")
            spaceless = text.rstrip(" \t")
            self.sentence_start = spaceless[-1] in ENDS if spaceless else self.sentence_start
        text = self._held + text if self.said else (self._held + text).lstrip()
        end = _held_from(text)
        self._held = text[end:]
        return self._out(text[:end])

    def finish(self) -> str:
        """No more text comes: returns what was held back, without the ends of lines."""
        text, self._held = self._held.rstrip(), ""
        return self._out(text)

    def _out(self, text: str) -> str:
        self.said = self.said or text.strip() != ""
        return unescape(text)


def _held_from(text: str) -> int:
    """Where the ends of lines at the end of a text begin, or an incomplete entity."""
    words = len(text.rstrip())
    line_end = text.find("\n", words)
    if line_end >= 0:
        return line_end
    entity = _ENTITY.search(text, max(0, len(text) - 10))
    return entity.start() if entity is not None else len(text)
