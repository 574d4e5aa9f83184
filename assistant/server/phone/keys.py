"""What the keys of a telephone mean, pressed one after the other."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PAUSE_S = 2.0
"""Whoever presses no key for so long has finished a number."""

_LONG = 4
"""So many digits are a number even where none was asked for."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A key that answers the open question."""

    answer: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class WantsPerson:
    """The key that asks for a human being."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """A number is complete."""

    digits: str


Pressed: TypeAlias = Answered | WantsPerson | Keyed

_ANSWERS: dict[str, Literal["yes", "no"]] = {"1": "yes", "2": "no"}


class Keys:
    """One caller's keys. Times are seconds of a monotonic clock.

    1 and 2 answer a question that is open, and 0 asks for a person, each only as the first key. Other digits make a
    number, ended by # or by a pause; * takes it back. Short ones count only where a number was asked for.
    """

    def __init__(self) -> None:
        self._digits = ""
        self._last_s = 0.0
        self._wanted = False

    def press(self, key: str, now_s: float, *, asked: bool, wanted: bool) -> Pressed | None:
        """A key was pressed; gives what that means, once it does.

        ``asked``: a question is open that wants yes or no. ``wanted``: a number was asked for.
        """
        if not self._digits and not wanted:
            if asked and key in _ANSWERS:
                return Answered(_ANSWERS[key])
            if key == "0":
                return WantsPerson()
        if key == "#":
            return self._complete()
        if key == "*":
            self._digits = ""
        elif key.isdigit():
            self._digits += key
            self._last_s, self._wanted = now_s, wanted
        return None

    @property
    def due_s(self) -> float | None:
        """When the number that is being keyed in is complete; None: there is none."""
        return self._last_s + PAUSE_S if self._digits else None

    def passes(self, now_s: float) -> Keyed | None:
        """Time has passed: gives the number that is complete with this."""
        due_s = self.due_s
        # A clock that was asked to ring at this very moment may be a hair early.
        return self._complete() if due_s is not None and now_s >= due_s - 0.01 else None

    def _complete(self) -> Keyed | None:
        digits, self._digits = self._digits, ""
        return Keyed(digits) if digits and (self._wanted or len(digits) >= _LONG) else None
