"""Reads a streamed text back into words and calls, each as soon as it is known."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Chunk, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.text.called import Called
from assistant.models.text.openings import Opening, Openings
from assistant.models.text.words import Words
from assistant.toolchain.asked import Named, Read
from assistant.toolchain.tool_chain import CallReader, ToolChain

_LONGEST_TRIAL: Final = 2_000
_TAIL: Final = 200
_SHOWN: Final = 60


class Reading:
    """One reply. Words come before its calls; what stands after them, and thoughts, nobody is told.

    ``over``: whatever else the model writes, nothing more will come of it. That is so when it invents results.

    Args:
        chain: reads the calls.
        tools: what may be called; none: calls are left out.
        openings: where they may begin.
        earlier: the calls of the conversation, by the ids under which the model was shown them.
    """

    def __init__(
        self, chain: ToolChain, tools: Sequence[ToolSpec], openings: Openings, earlier: Mapping[str, Call]
    ) -> None:
        self.over = False
        self._chain, self._tools, self._openings = chain, tools, openings
        self._names = {spec.name for spec in tools}
        self._called = Called(earlier)
        self._words = Words()
        self._reader: CallReader = chain.reader(tools)
        self._state: Literal["words", "thought", "trial", "calls", "after"] = "words"
        self._text = ""
        self._tried = 0
        self._invented = self._unsaid = ""
        self._in_vain = False
        self._chunks: list[Chunk] = []

    @property
    def calls(self) -> int:
        """How many calls have begun."""
        return self._called.count

    def push(self, text: str) -> list[Chunk]:
        """Some more of the reply."""
        self._text += text
        while not self.over and self._step():
            pass
        return self._taken()

    def end(self, *, cut: bool = False) -> list[Chunk]:
        """The reply is complete, or ``cut`` off in the middle."""
        while not self.over and self._step(complete=True):
            pass
        if self._state == "trial" and not self._is_call(self._reader.end(cut=cut)):
            self._give_up()
            self._say(self._text)
        elif self._state == "calls":
            self._take(self._reader.end(cut=cut))
        # Where nothing may be called, only a call is left out: anything else was a word like others.
        self._say("" if self._tools or self._in_vain else self._unsaid, complete=True)
        self._chunks += self._called.end(said=self._words.said, invented=self._invented)
        return self._taken()

    def _taken(self) -> list[Chunk]:
        chunks, self._chunks = self._chunks, []
        return chunks

    def _step(self, *, complete: bool = False) -> bool:
        """Read on in what has come; whether something else has begun there."""
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
        if not line_start and not self._openings.may_stand_in(self._text):
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
        """See whether what has begun is a call of a tool on offer; else these are words."""
        fresh, self._tried = self._text[self._tried :], len(self._text)
        if self._is_call(self._reader.push(fresh)):
            return True
        if self._state == "trial" and not self._reader.over and self._tried < _LONGEST_TRIAL:
            return False
        self._give_up()
        return True

    def _is_call(self, read: list[Read]) -> bool:
        """Whether it has turned out to be a call; if it has turned out to be none, the reader is over."""
        if not read:
            return False
        first = read[0]
        if not isinstance(first, Named) or first.tool not in self._names:
            self._reader.over = True
            return False
        self._say("", complete=True)
        self._text, self._state = "", "calls"
        self._take(read)
        return True

    def _give_up(self) -> None:
        """It was no call: its beginning is words, and what follows may be anything again."""
        sign = len(self._text) - len(self._text.lstrip(" \t"))
        end = sign + (3 if self._text.startswith("```", sign) else 1)
        self._say(self._text[:end])
        self._text, self._state = self._text[end:], "words"

    def _read_calls(self) -> bool:
        text, self._text = self._text, ""
        self._unsaid += text
        self._take(self._reader.push(text))
        if not self._reader.over:
            return False
        self._text, self._state = text, "after"
        return True

    def _look_for_results(self) -> bool:
        self.over = self._openings.invents_results(self._text)
        self._text = self._text[-_TAIL:]
        return False

    def _take(self, read: list[Read]) -> None:
        for one in read:
            if self._tools:
                self._chunks += self._called.take(one)
            elif isinstance(one, Named):
                self._in_vain = True

    def _say(self, text: str, *, complete: bool = False) -> None:
        words = self._words.push(text) + (self._words.end() if complete else "")
        if words:
            self._chunks.append(TextDelta(words))
