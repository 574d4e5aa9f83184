"""How much of what Twilio was sent to speak has been spoken. It speaks in order, and says little about it.

Where it reports what it has played, that counts. Where it does not, time tells, at the pace at which people usually
speak. Whoever answers without cutting in may have been spoken to faster than that, but not faster than anybody
speaks. For whoever cuts in, Twilio says up to which words it had spoken. A report that does not come is waited for
only as long as the slowest speaker would take.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from assistant.server.phone.place import place_of

PACE = 14.0
"""So many characters of its spoken form are spoken in a second."""

FAST = 20.0
"""And at most so many."""

SLOW = 8.0
"""And at least so many: a call must not fall silent because a report was lost."""

ON_ITS_WAY_S = 0.3
"""It takes so long until the first of them are heard."""

_KEPT = 50

Played: TypeAlias = tuple[int, float]
"""A clip's number, and which part of it was spoken, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A clip that says ``text``; the characters from ``skipped`` on were sent at ``at_s``, the others before."""

    number: int
    text: str
    at_s: float
    skipped: int = 0

    @property
    def new(self) -> str:
        """What was sent."""
        return self.text[self.skipped :]

    def part(self, spoken: int) -> float:
        """Which part of the clip was spoken, when so many characters of what was sent were."""
        return min(1.0, (self.skipped + max(0, spoken)) / max(1, len(self.text)))


class Ledger:
    """What was sent, in order, and how far it was spoken. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._sent: list[Sent] = []
        self._reached = 0
        self._reports = False

    def send(self, sent: Sent) -> None:
        """More was sent."""
        if len(self._sent) > _KEPT and self._reached >= len(self._text):
            self.forget()
        self._sent.append(sent)

    def passes(self, now_s: float) -> list[Played]:
        """Time has passed: what is spoken by now, of each clip that is not known to be over."""
        return self._reach(self._estimate(now_s, self._pace))

    def answered(self, now_s: float) -> list[Played]:
        """The caller has spoken and cut nothing off: what can have been spoken by now."""
        return self._reach(self._estimate(now_s, SLOW if self._reports else FAST))

    def played(self, text: str) -> list[Played]:
        """Twilio reports that this has been played, after what it has reported before."""
        self._reports = True
        place = place_of(text, self._text[self._reached :], near=0)
        return self._reach(self._reached + (place or 0))

    def cut(self, uttered: str, now_s: float) -> list[Played]:
        """The caller has cut in when so much of what was being spoken had been; nothing more will be.

        Where these words are not to be found, or are none, time tells what it can.
        """
        estimate = self._estimate(now_s, self._pace)
        return self._reach(place_of(uttered, self._text, near=estimate) or estimate)

    def next_s(self) -> float | None:
        """When the clip that is being spoken will have been, as far as is known; None: there is none."""
        return next((over_s for _, end, _, over_s in self._paced(self._pace) if end > self._reached), None)

    def rest(self) -> list[Sent]:
        """What was sent and not spoken, from the beginning of a word; nothing of it is known any more."""
        left: list[Sent] = []
        for one, end, _, _ in self._paced(self._pace):
            spoken = max(0, self._reached - (end - len(one.new)))
            if end > self._reached:
                begun = spoken if one.new[spoken : spoken + 1] == " " else one.new.rfind(" ", 0, spoken) + 1
                left.append(Sent(one.number, one.text, one.at_s, one.skipped + begun))
        self.forget()
        return left

    def drop(self, numbers: tuple[int, ...]) -> list[Played]:
        """These are not spoken any more; gives how far they were."""
        gone = [(each, end) for each, end, _, _ in self._paced(self._pace) if each.number in numbers]
        parts = [(one.number, one.part(self._reached - (end - len(one.new)))) for one, end in gone]
        lost = sum(max(0, min(self._reached, end) - (end - len(one.new))) for one, end in gone)
        self._sent = [one for one in self._sent if one.number not in numbers]
        self._reached -= lost
        return parts

    def forget(self) -> None:
        """Nothing was sent."""
        self._sent, self._reached = [], 0

    @property
    def _pace(self) -> float:
        return SLOW if self._reports else PACE

    def _estimate(self, now_s: float, pace: float) -> int:
        """How far speaking has got by now at this pace."""
        reached = self._reached
        for one, end, begun_s, _ in self._paced(pace):
            spoken = int((now_s - begun_s) * pace + 0.001)  # what is due now has been spoken
            if spoken > 0:
                reached = max(reached, end - len(one.new) + min(len(one.new), spoken))
        return reached

    def _paced(self, pace: float) -> Iterator[tuple[Sent, int, float, float]]:
        """Each clip: where it ends in all that was sent, and from when to when it is spoken at this pace."""
        end, over_s = 0, 0.0
        for one in self._sent:
            begun_s = max(one.at_s + ON_ITS_WAY_S, over_s)
            over_s = begun_s + len(one.new) / pace
            end += len(one.new)
            yield one, end, begun_s, over_s

    def _reach(self, reached: int) -> list[Played]:
        before, self._reached = self._reached, max(self._reached, reached)
        return [
            (one.number, one.part(self._reached - (end - len(one.new))))
            for one, end, _, _ in self._paced(self._pace)
            if end > before and end - len(one.new) < self._reached
        ]

    @property
    def _text(self) -> str:
        return "".join(one.new for one in self._sent)
