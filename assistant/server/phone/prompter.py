"""Lets Twilio speak: for a line it is a voice and a loudspeaker, though no sound ever comes here."""

from collections.abc import AsyncIterator, Callable
from math import ceil

from assistant.ports import Clock, Pcm
from assistant.server.frames.frame import Wire
from assistant.server.phone.alarm import Alarm
from assistant.server.phone.ledger import PACE, Ledger, Played, Sent
from assistant.server.phone.relay_frames import text
from assistant.voice.ports import Activity, Clip

_RATE = 1_000
_SAMPLE = b"\x00\x00"


class Prompter:
    """Sends each clip's words, and reckons how far they were spoken.

    As a voice it makes silence that lasts as long as the words probably will; so the mouth stays only a sentence
    ahead. Nothing that was sent can be taken back, but for what is sent as passing: the next words cut it off.

    Args:
        send: takes a frame for Twilio.

    Attributes:
        played: is told of every clip how many milliseconds of it were spoken, and whether it goes on.
        passing: whether a clip only says that something takes its time.
    """

    name = "relay"
    rate = _RATE

    def __init__(self, send: Callable[[Wire], None], clock: Clock) -> None:
        self.played: Callable[[int, int, bool], None] = lambda _number, _ms, _playing: None
        self.passing: Callable[[int], bool] = lambda _number: False
        self._send, self._clock = send, clock
        self._ledger = Ledger()
        self._alarm = Alarm(clock, self._ring)
        self._spoken = ""
        self._lengths: dict[int, int] = {}
        self._held: list[Sent] | None = None

    async def speak(
        self,
        text: str,
        *,
        locale: str = "en",  # noqa: ARG002 - as voices have it
        tempo: float = 1.0,  # noqa: ARG002
    ) -> AsyncIterator[Pcm]:
        """As much silence as the words will take; they are sent when the clip begins."""
        self._spoken = text
        yield _SAMPLE * _length_ms(text)

    async def close(self) -> None:
        """Reckon nothing any more."""
        self._report(self._ledger.passes(self._clock.monotonic()))
        await self._alarm.close()

    def begin_clip(self, clip: Clip, rate: int) -> None:  # noqa: ARG002 - the signature of AudioOutput
        """Send the clip's words."""
        self._lengths[clip.number] = _length_ms(self._spoken)
        self._tell(Sent(clip.number, self._spoken, self._clock.monotonic()))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """There is nothing in it."""

    def end_clip(self, number: int, ms: int) -> None:
        """Its words are complete since it began."""

    def pause(self) -> None:
        """Twilio fell silent by itself when the caller cut in, and has forgotten what it was sent."""
        if self._held is None:
            self._held = self._ledger.rest()
            self._alarm.at(None)

    def resume(self) -> None:
        """Send again what was not spoken, from the beginning of a word."""
        held, self._held = self._held or [], None
        for one in held:
            self._tell(Sent(one.number, one.text, self._clock.monotonic(), one.skipped))

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:  # noqa: ARG002 - the signature of AudioOutput
        """These count as spoken only as far as they are by now."""
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
        """There is nothing to see on a phone."""

    def show_filler(self, text: str) -> None:
        """It is heard."""

    def show_activity(self, activity: Activity) -> None:
        """There is nothing to see on a phone."""

    def was_cut(self, uttered: str) -> None:
        """The caller has cut in when so much had been spoken."""
        self._report(self._ledger.cut(uttered, self._clock.monotonic()), playing=False)

    def was_answered(self) -> None:
        """The caller has spoken, and cut nothing off."""
        self._report(self._ledger.answered(self._clock.monotonic()), playing=False)

    def was_played(self, spoken: str) -> None:
        """Twilio reports that it has played this."""
        self._report(self._ledger.played(spoken), playing=False)
        self._alarm.at(self._ledger.next_s())

    def _tell(self, sent: Sent) -> None:
        if self._held is not None:
            self._held.append(sent)
            return
        self._send(text(sent.new + " ", last=True, preemptible=self.passing(sent.number)))
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
