"""The turns of a view, each written once and remembered: a long history costs next to nothing."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from assistant.conversation.views import TurnView, View
from assistant.formats.call_ids import CallIds, IdStyle, given_ids, ids_as_given, ids_by_place
from assistant.formats.finished import Finished
from assistant.formats.reader import Reader

T = TypeVar("T")

_NO_IDS: frozenset[str] = frozenset()
_UNWRITTEN = -2
_AS_GIVEN = -1


class Turns(Generic[T]):
    """Writes turns, and remembers those that are finished, for each kind of reader.

    Calls keep the provider's ids, if each has one that fits and no earlier turn uses them: some providers
    number their calls anew in every reply. Else they have ours.

    Args:
        write: writes one turn, given what its calls are called and who reads it; pure.
        style: which ids of providers may be kept, and how ours look.
    """

    def __init__(self, write: Callable[[TurnView, CallIds, Reader], T], style: IdStyle) -> None:
        self._write = write
        self._style = style
        self._finished: dict[Reader, Finished[_Written[T]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._finished.values()))

    def of(self, view: View, reader: Reader) -> Iterator[T]:
        """What is written of each turn, oldest first."""
        finished = self._finished.setdefault(reader, Finished())
        taken: set[str] = set()
        current = len(view.turns) - 1
        for place, turn in enumerate(view.turns):
            written = finished.get(turn)
            if written is None:
                written = _Written[T](turn, self._style, self._write, reader)
                if place != current:  # The current turn still grows: next time it is another object.
                    finished.keep(turn, written)
            yield written.at(turn, place, taken)


class _Written(Generic[T]):
    """One turn, written anew only when its calls have to be called something else."""

    __slots__ = ("_given", "_named", "_reader", "_style", "_text", "_write")

    def __init__(
        self, turn: TurnView, style: IdStyle, write: Callable[[TurnView, CallIds, Reader], T], reader: Reader
    ) -> None:
        # Holds nothing of the turn itself, which would then never be forgotten.
        self._write = write
        self._reader = reader
        self._style = style
        self._given = given_ids(turn, style)
        self._named = _UNWRITTEN
        self._text: T

    def at(self, turn: TurnView, place: int, taken: set[str]) -> T:
        """The turn as it reads at its place in the view, from 0. Its providers' ids are added to ``taken``."""
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
