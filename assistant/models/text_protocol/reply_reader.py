"""Reads a model's reply as it streams: separates the text for the customer from the calls."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, assert_never

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.sections import unescape
from assistant.models.text_protocol.calls import CallEvent, CallReader, NamedCall, ParsedCall, UnreadableCall
from assistant.models.text_protocol.openings import CALLS, ENDS, Opening, OpeningFinder
from assistant.models.text_protocol.tool_chain import ToolChain

_ENTITY: Final = re.compile(r"&[#\w]{0,9}\Z")


class TextFilter:
    """Passes text on as it arrives, and replaces the escapes of sections.

    It holds back an incomplete escape, and line ends, because calls may follow. It removes white space before
    the first word.
    """

    def __init__(self) -> None:
        self._held = ""
        self.said = False
        self.line_start = True
        self.sentence_start = True

    def push(self, text: str) -> str:
        """Add text. Returns what can be shown now."""
        if text:
            self.line_start = text.endswith("\n")
            spaceless = text.rstrip(" \t")
            self.sentence_start = spaceless[-1] in ENDS if spaceless else self.sentence_start
        text = self._held + text if self.said else (self._held + text).lstrip()
        end = _held_from(text)
        self._held = text[end:]
        return self._out(text[:end])

    def finish(self) -> str:
        """End the text. Returns what was held back, without line ends."""
        text, self._held = self._held.rstrip(), ""
        return self._out(text)

    def _out(self, text: str) -> str:
        self.said = self.said or text.strip() != ""
        return unescape(text)


def _held_from(text: str) -> int:
    """Returns the position of the line ends, or of an incomplete escape, at the end of a text."""
    words = len(text.rstrip())
    line_end = text.find("\n", words)
    if line_end >= 0:
        return line_end
    entity = _ENTITY.search(text, max(0, len(text) - 10))
    return entity.start() if entity is not None else len(text)


_LONGEST_TRIAL: Final = 2_000
_TAIL: Final = 200
_SHOWN: Final = 60


class ReplyReader:
    """Reads one reply: text, then calls. It removes thoughts, and text after the calls.

    ``over`` is True if the rest of the reply is ignored, because the model has begun to invent results.

    Args:
        chain: reads the calls.
        tools: the offered tools. Without any, calls are removed.
        openings: finds where calls may begin.
        earlier: the calls of the conversation, by the ids that the model knows.
    """

    def __init__(
        self,
        chain: ToolChain,
        tools: Sequence[ToolSpec],
        openings: OpeningFinder,
        earlier: Mapping[str, Call],
    ) -> None:
        self.over = False
        self._chain, self._tools, self._openings = chain, tools, openings
        self._names = {spec.name for spec in tools}
        self._called = CallNumbering(earlier)
        self._words = TextFilter()
        self._reader: CallReader = chain.reader(tools)
        self._state: Literal["words", "thought", "trial", "calls", "after"] = "words"
        self._text = ""
        self._tried = 0
        self._invented = self._unsaid = ""
        self._in_vain = False
        self._chunks: list[Chunk] = []

    @property
    def calls(self) -> int:
        """The number of calls so far, including an incomplete one."""
        return self._called.count

    def push(self, text: str) -> list[Chunk]:
        """Read more of the reply."""
        self._text += text
        while not self.over and self._step():
            pass
        return self._taken()

    def finish(self, *, cut: bool = False) -> list[Chunk]:
        """End the reply; ``cut`` is True if it was cut off."""
        while not self.over and self._step(complete=True):
            pass
        if self._state == "trial" and not self._is_call(self._reader.finish(cut=cut)):
            self._give_up()
            self._say(self._text)
        elif self._state == "calls":
            self._add_events(self._reader.finish(cut=cut))
        # If no tools are offered, only calls are removed; everything else is text.
        self._say("" if self._tools or self._in_vain else self._unsaid, complete=True)
        # Text before invented results only announces them. The model should make the calls instead.
        answered = self._words.said and not (self._tools and self._invented)
        self._chunks += self._called.finish(said=answered, invented=self._invented)
        return self._taken()

    def _taken(self) -> list[Chunk]:
        chunks, self._chunks = self._chunks, []
        return chunks

    def _step(self, *, complete: bool = False) -> bool:
        """Read the text that has arrived. Returns whether another kind of content begins."""
        match self._state:
            case "words":
                return self._read_words(complete=complete)
            case "thought":
                return self._read_thought()
            case "trial":
                return self._try()
            case "calls":
                return self._read_calls()
            case "after":
                return self._look_for_results()

    def _read_words(self, *, complete: bool) -> bool:
        line_start = self._words.line_start
        if not line_start and not self._openings.may_begin_in(self._text):
            self._say(self._text)
            self._text = ""
            return False
        opening = self._openings.find(
            self._text, line_start=line_start, sentence_start=self._words.sentence_start, complete=complete
        )
        if opening is None:
            end = len(self._text) if complete else self._openings.held_from(self._text, line_start=line_start)
            self._say(self._text[:end])
            self._text = self._text[end:]
            return False
        self._say(self._text[: opening.start])
        self._open(opening)
        self._text = self._text[opening.end :]
        return True

    def _open(self, opening: Opening) -> None:
        match opening.kind:
            case "calls":
                self._unsaid = self._text[opening.start : opening.end]
                if self._tools:
                    self._say("", complete=True)
                self._reader = self._chain.reader(self._tools)
                self._state = "calls"
            case "results":
                self._invented = self._text[opening.start : opening.start + _SHOWN]
                self.over = True
            case "thought":
                self._state = "thought"
            case "maybe":
                self._reader = self._chain.reader(self._tools, strict=True)
                self._state, self._tried = "trial", 0
            case "closing":
                pass

    def _read_thought(self) -> bool:
        end = self._openings.end_of_thought(self._text)
        if end is None:
            self._text = self._text[-_TAIL:]
            return False
        self._text, self._state = self._text[end:].lstrip(), "words"
        return True

    def _try(self) -> bool:
        """Check whether the candidate is a call of an offered tool; otherwise it is text."""
        fresh, self._tried = self._text[self._tried :], len(self._text)
        if self._is_call(self._reader.push(fresh)):
            return True
        if self._state == "trial" and not self._reader.over and self._tried < _LONGEST_TRIAL:
            return False
        self._give_up()
        return True

    def _is_call(self, read: list[CallEvent]) -> bool:
        """Whether it is a call. If it is certainly not one, the reader is over."""
        if not read:
            return False
        first = read[0]
        if not isinstance(first, NamedCall) or first.tool not in self._names:
            self._reader.over = True
            return False
        self._say("", complete=True)
        self._text, self._state = "", "calls"
        self._add_events(read)
        return True

    def _give_up(self) -> None:
        """Treat the beginning of the candidate as text, because it is no call. Anything may follow."""
        sign = len(self._text) - len(self._text.lstrip(" \t"))
        end = sign + (3 if self._text.startswith("```", sign) else 1)
        self._say(self._text[:end])
        self._text, self._state = self._text[end:], "words"

    def _read_calls(self) -> bool:
        text, self._text = self._text, ""
        self._unsaid += text
        self._add_events(self._reader.push(text))
        if not self._reader.over:
            return False
        self._text, self._state = text, "after"
        return True

    def _look_for_results(self) -> bool:
        self.over = self._openings.invents_results(self._text)
        self._text = self._text[-_TAIL:]
        return False

    def _add_events(self, read: list[CallEvent]) -> None:
        for one in read:
            if self._tools:
                self._chunks += self._called.chunks_for(one)
            elif isinstance(one, NamedCall):
                self._in_vain = True

    def _say(self, text: str, *, complete: bool = False) -> None:
        words = self._words.push(text) + (self._words.finish() if complete else "")
        if words:
            self._chunks.append(TextDelta(words))


_ECHO: Final = "this call was made before, and its result is known; without its id it is made once more: "
_INVENTED: Final = "results were written, and no call; only calls are to be written: "


class CallNumbering:
    """Numbers one reply's calls from 0, without those that repeat earlier calls of the conversation.

    Args:
        earlier: the calls of the conversation, by the ids that the model knows.
    """

    def __init__(self, earlier: Mapping[str, Call]) -> None:
        self.count = 0
        self._earlier = earlier
        self._index: dict[int, int] = {}
        self._echo = ""

    def chunks_for(self, read: CallEvent) -> list[Chunk]:
        """Returns the chunks for an event."""
        match read:
            case NamedCall(number=number, tool=tool, id=id_):
                known = self._earlier.get(id_)
                # Only a complete call shows whether it is a repetition.
                return [] if known is not None and known.tool == tool else self._named(number, tool)
            case ParsedCall() if self._is_echo(read):
                return self._repeated(read)
            case ParsedCall(number=number, tool=tool, arguments=arguments):
                named = self._named(number, tool)
                return [*named, CallArguments(self._index[number], json_text(arguments))]
            case UnreadableCall(number=number, tool=tool):
                named = self._named(number, tool or CALLS)
                return [*named, CallArguments(self._index[number], read.for_model)]
            case _:
                assert_never(read)

    def finish(self, *, said: bool, invented: str) -> list[Chunk]:
        """End the reply.

        ``said`` is True if it had text that could be an answer. If there was neither such text nor a new
        call, the chunks contain an error for the model.
        """
        problem = self._echo or (f"{_INVENTED}{invented}" if invented else "")
        if said or self.count or not problem:
            return []
        return [*self._named(-1, CALLS), CallArguments(self._index[-1], problem)]

    def _named(self, number: int, tool: str) -> list[Chunk]:
        if number in self._index:
            return []
        self._index[number] = self.count
        self.count += 1
        return [CallNamed(self._index[number], tool)]

    def _is_echo(self, asked: ParsedCall) -> bool:
        known = self._earlier.get(asked.id)
        return known is not None and known.tool == asked.tool and _same(known.arguments, asked.arguments)

    def _repeated(self, asked: ParsedCall) -> list[Chunk]:
        self._echo = f"{_ECHO}{asked.tool}"
        if asked.number not in self._index:
            return []
        return [CallArguments(self._index[asked.number], self._echo)]


def _same(one: JsonObject, other: JsonObject) -> bool:
    return _plain(one) == _plain(other)


def _plain(value: JsonObject) -> Json:
    return orjson.loads(json_bytes(value))
