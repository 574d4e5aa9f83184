"""Turns in requests: each is written once and cached while it is used, and each of its calls gets an id."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, assert_never
from weakref import ref

from assistant.conversation.calls import Call, number_of, round_of
from assistant.conversation.chunks import Opaque
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallStatus, call_status_name
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.formats.tools import media_of, result_text, text_with_captions

CallIds: TypeAlias = Mapping[str, str]
"""Our id of a call, unique in its turn -> its id on the wire."""

_LONGEST = 40
_PLAIN = re.compile(r"[a-zA-Z0-9_-]+")
_NINE = re.compile(r"[a-zA-Z0-9]{9}")
_OURS = re.compile(r"t\d+_c\d+_\d+|\d{9}")


@dataclass(frozen=True, slots=True)
class IdStyle:
    """A provider's rules for ids.

    ``fits`` tests whether an id is allowed. ``ours`` makes an id from the position of the call's turn,
    counted from 0, and our id of the call.
    """

    fits: Callable[[str], bool]
    ours: Callable[[int, str], str]


def short_id(given: str) -> bool:
    """Whether an id fits OpenAI's rule."""
    return len(given) <= _LONGEST


def plain_id(given: str) -> bool:
    """Whether an id fits Anthropic's rule: letters, digits, "_" and "-".

    >>> plain_id("toolu_01A"), plain_id("functions.find:0")
    (True, False)
    """
    return _PLAIN.fullmatch(given) is not None


def nine_signs(given: str) -> bool:
    """Whether an id fits Mistral's rule: nine letters and digits.

    >>> nine_signs("D681PevKs"), nine_signs("call_abc1")
    (True, False)
    """
    return _NINE.fullmatch(given) is not None


def place_and_id(place: int, call: str) -> str:
    """Returns our id with the turn's position, readable for people.

    >>> place_and_id(0, "c2.1")
    't1_c2_1'
    """
    return f"t{place + 1}_{call.replace('.', '_')}"


def nine_digits(place: int, call: str) -> str:
    """Returns our id in nine digits, for Mistral.

    >>> nine_digits(0, "c2.1")
    '000102001'
    """
    return f"{(place + 1) % 10_000:04d}{round_of(call):02d}{number_of(call):03d}"


SHORT = IdStyle(short_id, place_and_id)
PLAIN = IdStyle(plain_id, place_and_id)
NINE = IdStyle(nine_signs, nine_digits)


def given_ids(turn: TurnView, style: IdStyle) -> frozenset[str] | None:
    """Returns the providers' ids of a turn's calls. Returns None if one of the ids is missing, invalid, or
    used twice.

    An id in our own form is also invalid, because a model that has seen ours may have invented it.
    """
    calls = list(_calls(turn))
    given = frozenset(
        call.provider_id
        for call in calls
        if call.provider_id and style.fits(call.provider_id) and not _OURS.fullmatch(call.provider_id)
    )
    return given if len(given) == len(calls) else None


def ids_as_given(turn: TurnView) -> CallIds:
    """Returns the providers' own ids."""
    return {call.id: call.provider_id or "" for call in _calls(turn)}


def ids_by_place(turn: TurnView, place: int, style: IdStyle = SHORT) -> CallIds:
    """Returns our own ids. They repeat in each turn, so the turn's position in the view, from 0, makes them
    unique.
    """
    return {call.id: style.ours(place, call.id) for call in _calls(turn)}


def _calls(turn: TurnView) -> Iterable[Call]:
    return (call for said in turn.messages if isinstance(said, FromAssistant) for call in said.calls)


T = TypeVar("T")

_NO_IDS: frozenset[str] = frozenset()
_UNWRITTEN = -2
_AS_GIVEN = -1


@dataclass(frozen=True, slots=True)
class Reader:
    """The model that reads a request.

    ``images`` is True if the model can see pictures. ``provider`` is the name under which its opaque fields
    are stored; it gets only those. "" for a reader that gets none.
    """

    images: bool = True
    provider: str = ""

    def sees(self, pictures: frozenset[str]) -> frozenset[str]:
        """Returns those of the accepted types that this model can see."""
        return pictures if self.images else frozenset()

    def own(self, opaque: Sequence[Opaque]) -> Iterator[JsonObject]:
        """Yields the opaque fields of a message that this model wrote itself, in order."""
        for one in opaque:
            if one.provider == self.provider and self.provider and isinstance(one.value, Mapping):
                yield one.value

    def own_of(self, call: Call) -> JsonObject:
        """Returns the opaque fields of a call that this model wrote itself, or empty if there are none."""
        value: Json = call.opaque.get(self.provider) if call.opaque and self.provider else None
        return value if isinstance(value, Mapping) else {}


class Turns(Generic[T]):
    """Writes turns, and caches ended ones for each kind of reader.

    Calls keep the provider's ids if each has a valid one that no earlier turn uses, because some providers
    number their calls from the beginning in each reply. Otherwise they get ours.

    Args:
        write: writes one turn, given the ids of its calls and its reader. It has no side effects.
        style: which ids of providers may be kept, and how ours look.
    """

    def __init__(self, write: Callable[[TurnView, CallIds, Reader], T], style: IdStyle) -> None:
        self._write = write
        self._style = style
        self._finished: dict[Reader, WrittenTurns[_Written[T]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._finished.values()))

    def of(self, view: View, reader: Reader) -> Iterator[T]:
        """Yields the written form of each turn, oldest first."""
        finished = self._finished.setdefault(reader, WrittenTurns())
        taken: set[str] = set()
        current = len(view.turns) - 1
        for place, turn in enumerate(view.turns):
            written = finished.get(turn)
            if written is None:
                written = _Written[T](turn, self._style, self._write, reader)
                if place != current:  # The current turn still grows, and is a new object each time.
                    finished.keep(turn, written)
            yield written.at(turn, place, taken)


class _Written(Generic[T]):
    """The written form of one turn; it is written again only if the ids of its calls change."""

    __slots__ = ("_given", "_named", "_reader", "_style", "_text", "_write")

    def __init__(
        self, turn: TurnView, style: IdStyle, write: Callable[[TurnView, CallIds, Reader], T], reader: Reader
    ) -> None:
        # Holds no reference to the turn, which could then never be garbage-collected.
        self._write = write
        self._reader = reader
        self._style = style
        self._given = given_ids(turn, style)
        self._named = _UNWRITTEN
        self._text: T

    def at(self, turn: TurnView, place: int, taken: set[str]) -> T:
        """Returns the turn as written for its position in the view, from 0.

        Adds its providers' ids to ``taken``.
        """
        if self._given == _NO_IDS and self._named == _AS_GIVEN:
            return self._text
        named = place
        if self._given is not None and taken.isdisjoint(self._given):
            taken |= self._given
            named = _AS_GIVEN
        if named != self._named:
            self._named = named
            ids = ids_as_given(turn) if named == _AS_GIVEN else ids_by_place(turn, named, self._style)
            self._text = self._write(turn, ids, self._reader)
        return self._text


Made = TypeVar("Made")


class WrittenTurns(Generic[Made]):
    """A cache keyed by the turn object. It is used for each turn of each request, so it is a plain dict
    inside.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Made, ref[TurnView]]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, turn: TurnView) -> Made | None:
        """Returns the cached form of this turn object."""
        kept = self._kept.get(id(turn))
        return kept[0] if kept else None

    def keep(self, turn: TurnView, made: Made) -> None:
        """Cache it. It is removed when the turn is garbage-collected, before another object can have its id."""
        key = id(turn)
        self._kept[key] = (made, ref(turn, lambda _: self._kept.pop(key, None)))


def plain_messages(view: View, reader: Reader) -> list[Json]:
    """Returns all turns' messages in neutral form, without the instructions, for a gateway that translates
    them.

    A customer's message is ``{"role": "user", "content"}``, the assistant's ``{"role": "assistant",
    "content"}`` with its ``calls`` (``id``, ``tool``, ``arguments``) if it made any. The next message is then
    ``{"role": "tool"}`` with their ``outcomes`` (``id``, ``outcome``, ``content``, and ``media`` if there are
    any: ``mime``, ``data``, ``name``). Nothing is left out, merged or renamed; media are described for a
    reader that cannot see. Providers refuse calls in this form; they accept messages without calls.
    """
    return [
        _plain(message, ids, reader)
        for place, turn in enumerate(view.turns)
        for ids in (ids_by_place(turn, place),)
        for message in turn.messages
    ]


def _plain(message: ViewMessage, ids: CallIds, reader: Reader) -> Json:
    match message:
        case FromCustomer(text=text, media=media) if media and reader.images:
            return {"role": "user", "content": text, "media": _given(media)}
        case FromCustomer(text=text):
            return {"role": "user", "content": text}
        case FromAssistant(text=text, calls=()):
            return {"role": "assistant", "content": text}
        case FromAssistant(text=text, calls=calls):
            asked: Json = [
                {"id": ids[call.id], "tool": call.tool, "arguments": call.arguments} for call in calls
            ]
            return {"role": "assistant", "content": text, "calls": asked}
        case FromTools(outcomes=outcomes):
            return {"role": "tool", "outcomes": [_ended(each, ids, reader) for each in outcomes]}
        case _:
            assert_never(message)


def _ended(outcome: CallStatus, ids: CallIds, reader: Reader) -> Json:
    content = result_text(outcome) if reader.images else text_with_captions(outcome, seen=())
    ended: dict[str, Json] = {
        "id": ids[outcome.call.id],
        "outcome": call_status_name(outcome),
        "content": content,
    }
    if reader.images and (media := media_of(outcome)):
        ended["media"] = _given(media)
    return ended


def _given(media: Sequence[Media]) -> Json:
    return [{"mime": one.mime, "data": one.data, "name": one.name} for one in media]


def is_blank(text: str) -> bool:
    r"""Whether a text contains only white space.

    >>> is_blank(""), is_blank(" \n"), is_blank(" a")
    (True, True, False)
    """
    return not text or text.isspace()
