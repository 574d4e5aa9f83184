"""How much of what Twilio was sent to speak has been heard. It speaks in order, and says little about it.

Where it reports what it has played, that counts. Where it does not, time tells: what would have been spoken by now
at a slow pace has been heard. Whoever answers without cutting in may have been spoken to faster than that, but not
faster than anybody speaks. For whoever cuts in, Twilio says up to which words it had spoken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from assistant.server.phone.place import place_of
from assistant.voice.speaking.position import heard_up_to

SLOW = 12.0
"""At least so many characters of its spoken form are spoken in a second."""

FAST = 20.0
"""And at most so many."""

ON_ITS_WAY_S = 0.3
"""It takes so long until the first of them are heard."""

_KEPT = 100

Heard: TypeAlias = tuple[str, int]
"""A message's id, and how many of its characters were heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The characters of a message from ``start`` on, which are ``text``.

    ``passing``: it only says that something takes its time; what comes next cuts it off.
    """

    message_id: str
    start: int
    text: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class _Sent:
    """A part, and its place in all that was sent: the characters ``begins`` to ``ends`` of it, at ``at_s``."""

    part: Part
    spoken: str
    begins: int
    at_s: float

    @property
    def ends(self) -> int:
        return self.begins + len(self.spoken)

    def up_to(self, reached: int) -> int:
        """How far its message was heard, when all was up to there."""
        text = self.part.text
        return self.part.start + heard_up_to(
            text, 0, len(text), (reached - self.begins) / max(1, len(self.spoken))
        )


class Ledger:
    """What was sent, in order, and how far it was heard. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._sent: list[_Sent] = []
        self._reached = 0
        self._reports = False

    @property
    def silent(self) -> bool:
        """Whether everything that was sent has been heard."""
        return self.playing is None

    @property
    def playing(self) -> Part | None:
        """What is being spoken, as far as it is known."""
        return next((one.part for one in self._sent if one.ends > self._reached), None)

    def send(self, part: Part, spoken: str, now_s: float) -> None:
        """More was sent."""
        if len(self._sent) > _KEPT and self.silent:
            self.rest()
        self._sent.append(_Sent(part, spoken, self._end, now_s))

    def passes(self, now_s: float) -> list[Heard]:
        """Time has passed: gives what must have been heard since it was asked last."""
        return self._reach(self._estimate(now_s, SLOW))

    def answered(self, now_s: float) -> list[Heard]:
        """The caller has spoken and cut nothing off: what can have been heard by now."""
        return self._reach(self._estimate(now_s, FAST))

    def played(self, text: str) -> list[Heard]:
        """Twilio reports that this has been played, after what it has reported before."""
        self._reports = True
        place = place_of(text, self._text[self._reached :], near=0)
        return self._reach(self._reached + (place or 0))

    def cut(self, uttered: str, now_s: float) -> list[Heard]:
        """The caller has cut in when so much of what was being spoken had been; nothing more will be.

        Where these words are not to be found, or are none, time tells what it can.
        """
        estimate = self._estimate(now_s, SLOW)
        return self._reach(place_of(uttered, self._text, near=estimate) or estimate)

    def next_s(self) -> float | None:
        """When the part that is being spoken will have been; None: nothing is, or Twilio reports it."""
        if self._reports:
            return None
        return next((over_s for one, _, over_s in self._paced(SLOW) if one.ends > self._reached), None)

    def rest(self) -> list[Part]:
        """What was sent and not heard. Nothing is known of it any more from now on."""
        left = [
            Part(
                message_id=one.part.message_id,
                start=(start := one.up_to(self._reached)),
                text=one.part.text[start - one.part.start :],
                passing=one.part.passing,
            )
            for one in self._sent
            if one.ends > self._reached
        ]
        self._sent, self._reached = [], 0
        return left

    def _estimate(self, now_s: float, pace: float) -> int:
        """How far speaking has got by now at this pace; as far as it was reported, where it is."""
        reached = self._reached
        if self._reports:
            return reached
        for one, begun_s, _ in self._paced(pace):
            spoken = int((now_s - begun_s) * pace + 0.001)  # what is due now has been spoken
            reached = max(reached, min(one.ends, one.begins + max(0, spoken)))
        return reached

    def _paced(self, pace: float) -> Iterator[tuple[_Sent, float, float]]:
        """Each part, and from when to when it is spoken at this pace."""
        over_s = 0.0
        for one in self._sent:
            begun_s = max(one.at_s + ON_ITS_WAY_S, over_s)
            over_s = begun_s + len(one.spoken) / pace
            yield one, begun_s, over_s

    def _reach(self, reached: int) -> list[Heard]:
        before, self._reached = self._reached, max(self._reached, reached)
        new = [one for one in self._sent if one.ends > before and one.begins < self._reached]
        return list({one.part.message_id: one.up_to(self._reached) for one in new}.items())

    @property
    def _text(self) -> str:
        return "".join(one.spoken for one in self._sent)

    @property
    def _end(self) -> int:
        return self._sent[-1].ends if self._sent else 0
