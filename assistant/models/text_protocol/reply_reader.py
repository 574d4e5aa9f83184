"""Reads one reply of a model that writes its calls as text, while it comes."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, assert_never

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes, json_text
from assistant.models.text_protocol.calls import CallEvent, CallReader, NamedCall, ParsedCall, UnreadableCall
from assistant.models.text_protocol.openings import CALLS, Opening, OpeningFinder, TextFilter
from assistant.models.text_protocol.tool_chain import ToolChain

_LONGEST_TRIAL: Final = 2_000
_TAIL: Final = 200
_SHOWN: Final = 60


class ReplyReader:
    """Reads one reply: text, then calls. Text after the calls, and thoughts, are left out.

    ``over``: the rest of the reply does not matter, because the model has begun to invent results.

    Args:
        chain: reads the calls.
        tools: the tools on offer; without any, calls are left out.
        openings: finds where calls may begin.
        earlier: the calls of the conversation, by the ids that the model was shown.
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
        """The number of calls that have begun."""
        return self._called.count

    def push(self, text: str) -> list[Chunk]:
        """Read more of the reply."""
        self._text += text
        while not self.over and self._step():
            pass
        return self._taken()

    def finish(self, *, cut: bool = False) -> list[Chunk]:
        """The reply is complete, or ``cut`` off in the middle."""
        while not self.over and self._step(complete=True):
            pass
        if self._state == "trial" and not self._is_call(self._reader.finish(cut=cut)):
            self._give_up()
            self._say(self._text)
        elif self._state == "calls":
            self._add_events(self._reader.finish(cut=cut))
        # Without tools only a call is left out: anything else is text.
        self._say("" if self._tools or self._in_vain else self._unsaid, complete=True)
        self._chunks += self._called.finish(said=self._words.said, invented=self._invented)
        return self._taken()

    def _taken(self) -> list[Chunk]:
        chunks, self._chunks = self._chunks, []
        return chunks

    def _step(self, *, complete: bool = False) -> bool:
        """CallEvent on in what has come; whether something else has begun there."""
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
        """Find out whether what has begun is a call of a tool on offer; else it is text."""
        fresh, self._tried = self._text[self._tried :], len(self._text)
        if self._is_call(self._reader.push(fresh)):
            return True
        if self._state == "trial" and not self._reader.over and self._tried < _LONGEST_TRIAL:
            return False
        self._give_up()
        return True

    def _is_call(self, read: list[CallEvent]) -> bool:
        """Whether it is a call; if it certainly is none, the reader is over."""
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
        """It was no call: its beginning is text, and anything may follow."""
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
    """Numbers one reply's calls from 0, without those that only repeat earlier calls of the conversation.

    Args:
        earlier: the calls of the conversation, by the ids that the model was shown.
    """

    def __init__(self, earlier: Mapping[str, Call]) -> None:
        self.count = 0
        self._earlier = earlier
        self._index: dict[int, int] = {}
        self._echo = ""

    def chunks_for(self, read: CallEvent) -> list[Chunk]:
        """The chunks for what was read."""
        match read:
            case NamedCall(number=number, tool=tool, id=id_):
                known = self._earlier.get(id_)
                # Only the complete call shows whether it is a repetition.
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
        """The reply is complete.

        Returns chunks that say what is wrong if it had neither text nor calls of its own.
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
