"""Counts the tokens of a request, and cuts texts to a number of tokens or characters.

Counts are a little higher than any provider's. They are cached, so that a long conversation is counted as
fast as a short one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import assert_never

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallStatus
from assistant.conversation.snapshots import head_and_tail
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.formats.json_text import json_text
from assistant.formats.tools import PICTURES, media_of, schema, text_with_captions
from assistant.formats.turns import WrittenTurns
from assistant.language.sentences import sentences
from assistant.ports import TokenCounter

_CHARACTERS_PER_TOKEN = 8
"""A text with more characters per allowed token than this is too long, and need not be counted."""

ELLIPSIS = "…"
"""Marks a place where something was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimit:
    """At most ``most`` tokens by ``count``; without ``count``, at most that many characters."""

    most: int
    count: Callable[[str], int] = len

    def fits(self, text: str) -> bool:
        """Whether the text is short enough.

        >>> SizeLimit(most=5).fits("12345"), SizeLimit(most=5).fits("123456")
        (True, False)
        """
        return len(text) <= self.most * _CHARACTERS_PER_TOKEN and self.count(text) <= self.most

    def minus(self, text: str) -> "SizeLimit":
        """Returns the limit that is left after this text and a line break."""
        used = self.count(f"{text}\n") if text else 0
        return SizeLimit(most=max(0, self.most - used), count=self.count)

    def share(self, part: float) -> "SizeLimit":
        """Returns a part of the limit, such as 0.5."""
        return SizeLimit(most=int(self.most * part), count=self.count)

    def truncate(self, text: str) -> str:
        """Returns the longest beginning that fits, with "…" if anything was cut.

        >>> SizeLimit(most=6).truncate("12345"), SizeLimit(most=6).truncate("1234567")
        ('12345', '12345…')
        """
        return self._cut(text, lambda kept: f"{text[:kept]}{ELLIPSIS}")

    def keep_ends(self, text: str) -> str:
        """Returns the text. If the text is too long, returns its beginning and some of its end.

        >>> SizeLimit(most=15).keep_ends("a long text about nothing")
        'a long te … ing'
        """
        return self._cut(text, lambda kept: head_and_tail(text, kept))

    def keep_sentences(self, text: str, locale: str = "en") -> str:
        """Returns the first complete sentences that fit, or the beginning of the first sentence if no
        sentence fits.

        >>> SizeLimit(most=20).keep_sentences("It came. It is broken. Send another.")
        'It came.'
        """
        if self.fits(text.strip()):
            return text.strip()
        kept = ""
        for sentence in sentences(text[: self.most * _CHARACTERS_PER_TOKEN], locale):
            if not self.fits((kept + sentence).rstrip()):
                break
            kept += sentence
        return kept.strip() or self.truncate(text.strip())

    def _cut(self, text: str, shorter: Callable[[int], str]) -> str:
        """Returns a shorter form that fits and is not much too short.

        ``shorter`` makes a form with a number of characters.
        """
        if self.fits(text):
            return text
        kept = min(len(text), self.most * _CHARACTERS_PER_TOKEN)
        while kept > 0 and not self.fits(cut := shorter(kept)):
            # Counting is slow, and a few attempts are precise enough.
            kept = min(kept - 1, kept * self.most // max(1, self.count(cut)))
        return shorter(kept) if kept > 0 else ""


PER_REQUEST = 32
"""Tokens for the frame of a request and its reply."""

PER_MESSAGE = 8
"""Tokens for a message's role and the characters around it."""

PER_CALL = 40
"""Tokens for the characters around a call and its result, and for the id that both contain."""

PER_TOOL = 16
"""Tokens for the characters around a tool's declaration."""

PER_TOOL_LIST = 400
"""Tokens for a provider's own text about calling tools, before our instructions. Anthropic's is the
longest."""

PER_PICTURE = 2_100
"""Tokens for a picture of 1.5 million pixels, with one token for 750 pixels, and the line before it."""

PER_CAPTION = 64
"""Tokens for a line that describes a file of a customer's message."""

MAX_COUNTED_CHARACTERS = 200_000
"""A longer text is not counted: each of its bytes counts as a token, which is the maximum."""


def text_tokens(text: str, counter: TokenCounter) -> int:
    """Returns the tokens of a text. It takes at most about 50 ms, however long the text is."""
    if len(text) > MAX_COUNTED_CHARACTERS:
        return len(text.encode(errors="replace"))
    return counter.count(text) if text else 0


def turn_tokens(turn: TurnView, counter: TokenCounter) -> int:
    """Returns the tokens of a turn: its messages with their calls, results and pictures. No side effects."""
    return sum(message_tokens(message, counter) for message in turn.messages)


def message_tokens(message: ViewMessage, counter: TokenCounter) -> int:
    """Returns the tokens of one message."""
    match message:
        case FromCustomer(text=text, media=media):
            captions = PER_CAPTION * len(media)
            return PER_MESSAGE + text_tokens(text, counter) + captions + _pictures(media)
        case FromAssistant(text=text, calls=calls, opaque=opaque):
            returned = sum(text_tokens(json_text(one.value), counter) for one in opaque)
            asked = sum(_call_tokens(call, counter) for call in calls)
            return PER_MESSAGE + text_tokens(text, counter) + returned + asked
        case FromTools(outcomes=outcomes):
            return sum(PER_MESSAGE + result_tokens(outcome, counter) for outcome in outcomes)
        case _:
            assert_never(message)


def result_tokens(outcome: CallStatus, counter: TokenCounter) -> int:
    """Returns the tokens of a call's result, as a model reads it, with its pictures."""
    return text_tokens(text_with_captions(outcome, PICTURES), counter) + _pictures(media_of(outcome))


def tools_tokens(tools: Sequence[ToolSpec], counter: TokenCounter) -> int:
    """Returns the tokens of the list of tools, or 0 if no tool is offered."""
    return sum(_tool_tokens(spec, counter) for spec in tools) + (PER_TOOL_LIST if tools else 0)


def _call_tokens(call: Call, counter: TokenCounter) -> int:
    """Returns the tokens of a call, and of the id that its result repeats."""
    returned = json_text(call.opaque) if call.opaque else ""
    own_id = 2 * text_tokens(call.provider_id or "", counter)
    texts = (call.tool, json_text(call.arguments), returned)
    return PER_CALL + own_id + sum(text_tokens(text, counter) for text in texts)


def _tool_tokens(spec: ToolSpec, counter: TokenCounter) -> int:
    texts = (spec.name, spec.description, json_text(schema(spec)))
    return PER_TOOL + sum(text_tokens(text, counter) for text in texts)


def _pictures(media: Sequence[Media]) -> int:
    return PER_PICTURE * sum(each.mime in PICTURES for each in media)


_CACHED_LINES = 2_048
"""The number of cached lines. Instructions differ from request to request in a few lines; the others are
counted once, including a summary, which is one long line.
"""

_CACHED_TEXTS, _LONGEST_CACHED = 2_048, 2_000
"""The number of cached texts, and the most characters of one: names, arguments, and the texts of a turn,
which are sent to the decision model, to the narrator, and to both again after the turn.
"""


class _CachedCounter:
    """Counts a text, and caches the result."""

    __slots__ = ("_count", "_counter", "name")

    def __init__(self, counter: TokenCounter) -> None:
        self.name = counter.name
        self._counter = counter
        self._count = lru_cache(maxsize=_CACHED_TEXTS)(counter.count)

    def count(self, text: str) -> int:
        """Returns the tokens of a text."""
        return self._count(text) if len(text) <= _LONGEST_CACHED else self._counter.count(text)


class CachedTokenSizes:
    """Caches counts: of each turn as long as it exists, and of lists of tools, lines and short texts.

    If a counter begins to count in another way, for example because its vocabulary has been loaded, its name
    changes, and everything is counted again.
    """

    __slots__ = ("_counter", "_line", "_once", "_tools", "_turns")

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._forget()

    def turn(self, turn: TurnView) -> int:
        """Returns the tokens of a turn."""
        self._look_again()
        size = self._turns.get(turn)
        if size is None:
            size = turn_tokens(turn, self._once)
            self._turns.keep(turn, size)
        return size

    def text(self, text: str) -> int:
        """Returns the tokens of a text, summed over its lines; at least as many as for the undivided text."""
        self._look_again()
        return sum(map(self._line, text.splitlines(keepends=True)))

    def frame(self, system: str, late: str, tools: tuple[ToolSpec, ...]) -> int:
        """Returns the tokens of a request without a conversation."""
        return PER_REQUEST + 2 * PER_MESSAGE + self.text(system) + self.text(late) + self.tools(tools)

    def tools(self, tools: tuple[ToolSpec, ...]) -> int:
        """Returns the tokens of a list of tools; the last list is cached."""
        self._look_again()
        if not tools:
            return 0  # The narrator may call tools in one round and not in the next.
        if self._tools[0] is not tools:
            self._tools = tools, tools_tokens(tools, self._once)
        return self._tools[1]

    def _look_again(self) -> None:
        if self._counter.name != self._once.name:
            self._forget()

    def _forget(self) -> None:
        self._once = _CachedCounter(self._counter)
        self._line = lru_cache(maxsize=_CACHED_LINES)(partial(text_tokens, counter=self._counter))
        self._turns = WrittenTurns[int]()
        self._tools: tuple[tuple[ToolSpec, ...], int] = ((), 0)
