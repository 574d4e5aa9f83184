"""Sends text to Twilio to be spoken, and estimates how much of it was spoken.

Twilio speaks in order and reports little. If Twilio reports what it has played, that counts. Otherwise the
estimate uses time and the usual speed of speech. If a caller answers without interrupting, Twilio may have
spoken faster than that, but not faster than a fixed maximum. When a caller interrupts, Twilio reports which
words it had spoken. A missing report is awaited only as long as the slowest speech would take.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

from assistant.ports import Clock
from assistant.prompts.locale import language, with_region
from assistant.server.frames.frame import JsonFrame
from assistant.server.phone.phone_context import Timer
from assistant.server.phone.twilio_frames import language_frame, text_frame
from assistant.speech_ports import Pcm
from assistant.voice.ports import Activity, Clip

_FEW = 3
"""This number of last words locates the end of an utterance whose beginning is not found."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """Only letters and digits, in lower case; ``ends[i]`` is the end of the i-th one in the text."""

    letters: str
    ends: tuple[int, ...]


def spoken_up_to(uttered: str, spoken: str, *, near: int) -> int | None:
    """The position in ``spoken`` that the utterance reaches; of several, the one closest to ``near``.

    0 for an utterance without words; None if it is not found.

    >>> spoken_up_to("YOU'RE booked , for tuesday", "You're booked for Tuesday at 2.", near=0)
    25
    >>> spoken_up_to("okay", "You're booked.", near=0) is None, spoken_up_to("", "You're booked.", near=5)
    (True, 0)
    """
    plain, sought = _plain(spoken), _plain(uttered).letters
    if not sought:
        return 0
    found = _ends_of(sought, plain.letters) or _ends_of(_last_words(uttered), plain.letters)
    places = [_with_its_mark(spoken, plain.ends[end - 1]) for end in found]
    return min(places, key=lambda place: abs(place - near)) if places else None


def _with_its_mark(spoken: str, end: int) -> int:
    """The end of a word together with a following full stop or other mark that takes no time."""
    while end < len(spoken) and not (spoken[end].isalnum() or spoken[end].isspace()):
        end += 1
    return end


def _last_words(uttered: str) -> str:
    """The last words, for an utterance whose beginning is read differently, such as a number; fewer words would
    occur anywhere.
    """
    words = [word for each in uttered.split() if (word := _plain(each).letters)]
    return "".join(words[-_FEW:]) if len(words) > _FEW else ""


def _ends_of(sought: str, letters: str) -> list[int]:
    ends: list[int] = []
    at = letters.find(sought) if sought else -1
    while at >= 0:
        ends.append(at + len(sought))
        at = letters.find(sought, at + 1)
    return ends


def _plain(text: str) -> _Plain:
    kept = [(folded, end) for end, each in enumerate(text, 1) if each.isalnum() for folded in each.casefold()]
    return _Plain("".join(each for each, _ in kept), tuple(end for _, end in kept))


PACE = 14.0
"""The usual number of characters of the spoken form per second."""

FAST = 20.0
"""The maximum of these characters per second."""

SLOW = 8.0
"""The minimum of these characters per second: a call must not fall silent because a report was lost."""

ON_ITS_WAY_S = 0.3
"""Seconds until the first of them are heard."""

_KEPT = 50

Played: TypeAlias = tuple[int, float]
"""A clip's number, and the part of it that was spoken, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A clip that says ``text``. Characters from ``skipped`` on were sent at ``at_s``, the others earlier."""

    number: int
    text: str
    at_s: float
    skipped: int = 0

    @property
    def new(self) -> str:
        """The text that was sent."""
        return self.text[self.skipped :]

    def part(self, spoken: int) -> float:
        """The part of the clip that was spoken, when this many characters of the sent text were."""
        return min(1.0, (self.skipped + max(0, spoken)) / max(1, len(self.text)))


class PlaybackLedger:
    """The sent clips, in order, and how much of each was spoken. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._sent: list[Sent] = []
        self._reached = 0
        self._reports = False

    def send(self, sent: Sent) -> None:
        """Record a sent clip."""
        if len(self._sent) > _KEPT and self._reached >= len(self._text):
            self.forget()
        self._sent.append(sent)

    def passes(self, now_s: float) -> list[Played]:
        """Update by time: how much is spoken now, for each clip that has not ended."""
        return self._reach(self._estimate(now_s, self._pace))

    def answered(self, now_s: float) -> list[Played]:
        """Update because the caller spoke without interrupting: how much can have been spoken by now."""
        return self._reach(self._estimate(now_s, SLOW if self._reports else FAST))

    def played(self, text: str) -> list[Played]:
        """Update by Twilio's report: this text was played after the text of the previous report."""
        self._reports = True
        place = spoken_up_to(text, self._text[self._reached :], near=0)
        return self._reach(self._reached + (place or 0))

    def cut(self, uttered: str, now_s: float) -> list[Played]:
        """Update because the caller interrupted after ``uttered``; nothing more will be spoken.

        If these words are not found, or are empty, the estimate by time counts.
        """
        estimate = self._estimate(now_s, self._pace)
        return self._reach(spoken_up_to(uttered, self._text, near=estimate) or estimate)

    def next_s(self) -> float | None:
        """When the current clip will probably end; None if there is none."""
        return next((over_s for _, end, _, over_s in self._paced(self._pace) if end > self._reached), None)

    def rest(self) -> list[Sent]:
        """Remove and return the text that was sent and not spoken, from the beginning of a word."""
        left: list[Sent] = []
        for one, end, _, _ in self._paced(self._pace):
            spoken = max(0, self._reached - (end - len(one.new)))
            if end > self._reached:
                begun = spoken if one.new[spoken : spoken + 1] == " " else one.new.rfind(" ", 0, spoken) + 1
                left.append(Sent(one.number, one.text, one.at_s, one.skipped + begun))
        self.forget()
        return left

    def drop(self, numbers: tuple[int, ...]) -> list[Played]:
        """Drop these clips; returns how much of them was spoken."""
        gone = [(each, end) for each, end, _, _ in self._paced(self._pace) if each.number in numbers]
        parts = [(one.number, one.part(self._reached - (end - len(one.new)))) for one, end in gone]
        lost = sum(max(0, min(self._reached, end) - (end - len(one.new))) for one, end in gone)
        self._sent = [one for one in self._sent if one.number not in numbers]
        self._reached -= lost
        return parts

    def forget(self) -> None:
        """Forget everything."""
        self._sent, self._reached = [], 0

    @property
    def _pace(self) -> float:
        return SLOW if self._reports else PACE

    def _estimate(self, now_s: float, pace: float) -> int:
        """The estimated position of speech now at this speed."""
        reached = self._reached
        for one, end, begun_s, _ in self._paced(pace):
            spoken = int((now_s - begun_s) * pace + 0.001)  # characters that are due now count as spoken
            if spoken > 0:
                reached = max(reached, end - len(one.new) + min(len(one.new), spoken))
        return reached

    def _paced(self, pace: float) -> Iterator[tuple[Sent, int, float, float]]:
        """For each clip: its end in all sent text, and when its speech begins and ends at this speed."""
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


_RATE = 1_000
_SAMPLE = b"\x00\x00"


class TextSender:
    """Sends each clip's words and estimates how far they were spoken.

    Its voice makes silence of the estimated length, so the player stays only one sentence ahead. Sent text
    cannot be withdrawn, except fillers, which the next words interrupt.

    Args:
        send: sends a frame to Twilio.
        locale: the language in which the call begins. Twilio is told when the language changes.

    Attributes:
        played: called with each clip, how many milliseconds of it were spoken, and whether it continues.
        passing: whether a clip only says that something takes time.
    """

    name = "relay"
    rate = _RATE

    def __init__(self, send: Callable[[JsonFrame], None], clock: Clock, locale: str = "en") -> None:
        self._told_locale = self._locale = locale
        self.played: Callable[[int, int, bool], None] = lambda _number, _ms, _playing: None
        self.passing: Callable[[int], bool] = lambda _number: False
        self._send, self._clock = send, clock
        self._ledger = PlaybackLedger()
        self._alarm = Timer(clock, self._ring)
        self._spoken = ""
        self._lengths: dict[int, int] = {}
        self._held: list[Sent] | None = None

    async def speak(
        self,
        text: str,
        *,
        locale: str = "en",
        tempo: float = 1.0,  # noqa: ARG002 - as voices have it
    ) -> AsyncIterator[Pcm]:
        """Silence of the estimated length; the words are sent when the clip begins."""
        self._spoken, self._locale = text, locale
        yield _SAMPLE * _length_ms(text)

    async def close(self) -> None:
        """Stop estimating."""
        self._report(self._ledger.passes(self._clock.monotonic()))
        await self._alarm.close()

    def begin_clip(self, clip: Clip, rate: int) -> None:  # noqa: ARG002 - the signature of AudioOutput
        """Send the clip's words."""
        self._lengths[clip.number] = _length_ms(self._spoken)
        if language(self._locale) != language(self._told_locale):
            self._told_locale = self._locale
            self._send(language_frame(with_region(self._locale)))
        self._tell(Sent(clip.number, self._spoken, self._clock.monotonic()))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """Does nothing: the audio is silence."""

    def end_clip(self, number: int, ms: int) -> None:
        """Does nothing: the words were sent at the beginning."""

    def pause(self) -> None:
        """Does nothing to Twilio, which stopped by itself at the interruption and has dropped its text."""
        if self._held is None:
            self._held = self._ledger.rest()
            self._alarm.at(None)

    def resume(self) -> None:
        """Send the text that was not spoken again, from the beginning of a word."""
        held, self._held = self._held or [], None
        for one in held:
            self._tell(Sent(one.number, one.text, self._clock.monotonic(), one.skipped))

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:  # noqa: ARG002 - the signature of AudioOutput
        """Drop these clips; they count as spoken only up to now."""
        self._report(self._ledger.passes(self._clock.monotonic()))
        self._report(self._ledger.drop(numbers), playing=False)
        if self._held is not None:
            self._held = [one for one in self._held if one.number not in numbers]
        self._alarm.at(self._ledger.next_s())

    def clear(self) -> None:
        """Forget all clips."""
        self._ledger.forget()
        self._lengths.clear()
        self._held = [] if self._held is not None else None
        self._alarm.at(None)

    def show_caption(self, text: str, *, final: bool) -> None:
        """Does nothing: a phone has no display."""

    def show_filler(self, text: str) -> None:
        """Does nothing: the caller hears it."""

    def show_activity(self, activity: Activity) -> None:
        """Does nothing: a phone has no display."""

    def was_cut(self, uttered: str) -> None:
        """Handle an interruption after ``uttered``."""
        self._report(self._ledger.cut(uttered, self._clock.monotonic()), playing=False)

    def was_answered(self) -> None:
        """Handle an answer without interruption."""
        self._report(self._ledger.answered(self._clock.monotonic()), playing=False)

    def was_played(self, spoken: str) -> None:
        """Handle Twilio's report that this was played."""
        self._report(self._ledger.played(spoken), playing=False)
        self._alarm.at(self._ledger.next_s())

    def _tell(self, sent: Sent) -> None:
        if self._held is not None:
            self._held.append(sent)
            return
        self._send(text_frame(sent.new + " ", last=True, preemptible=self.passing(sent.number)))
        self._ledger.send(sent)
        self._alarm.at(self._ledger.next_s())

    async def _ring(self) -> None:
        self._report(self._ledger.passes(self._clock.monotonic()))
        self._alarm.at(self._ledger.next_s())

    def _report(self, parts: list[Played], *, playing: bool = True) -> None:
        for number, part in parts:
            length_ms = self._lengths.get(number, 0)
            self.played(number, ceil(length_ms * part), playing and part < 1.0)
            if part >= 1.0:
                self._lengths.pop(number, None)


def _length_ms(spoken: str) -> int:
    return max(1, round(len(spoken) * _RATE / PACE))
