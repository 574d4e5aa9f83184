"""A loudspeaker in virtual time, at the end of a line that takes its time: it remembers all that it played."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from assistant.ports import Pcm
from assistant.voice.ports import Activity, Clip

REPORTS_S = 0.4

_HAIR_MS = 0.01
"""Virtual time is counted in fractions, which add up to a hair less than they should."""


@dataclass(slots=True, kw_only=True, eq=False)
class Sound:
    """One clip at the customer's end; times are the loop's. ``ms`` of it were played."""

    clip: Clip
    rate: int
    came_ms: float = 0.0
    complete: bool = False
    ms: float = 0.0
    began_at: float | None = None
    ended_at: float | None = None

    @property
    def heard(self) -> str:
        """The words that were heard in full, if each of the letters takes as long as the others."""
        text = self.clip.text.rstrip()
        letters = int((self.ms + _HAIR_MS) * len(text) / self.came_ms) if self.came_ms else 0
        if letters >= len(text) or text[letters].isspace():
            return text[:letters].rstrip()
        return text[:letters].rpartition(" ")[0].rstrip()


@dataclass(slots=True, kw_only=True)
class FakeLoudspeaker:
    """Whatever it is told arrives ``way_s`` later, and so does what it reports.

    ``sounds`` are all clips that came, in order; ``silent_at`` the moments at which it fell silent when it was told
    to; ``captions``, ``told`` and ``shown`` what the customer saw.
    """

    way_s: float = 0.02
    rate: int | None = None
    reports: Callable[[int, int, bool], None] = lambda clip, ms, playing: None
    sounds: list[Sound] = field(default_factory=list[Sound])
    silent_at: list[float] = field(default_factory=list[float])
    captions: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    told: list[str] = field(default_factory=list[str])
    shown: list[Activity] = field(default_factory=list[Activity])
    _queue: deque[Sound] = field(default_factory=deque[Sound])
    _on_the_way: deque[Callable[[], None]] = field(default_factory=deque[Callable[[], None]])
    _on_the_way_back: deque[Callable[[], None]] = field(default_factory=deque[Callable[[], None]])
    _paused: bool = False
    _since: float | None = None
    _timer: asyncio.TimerHandle | None = None

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """A clip follows."""
        self._arrives(partial(self._begin, Sound(clip=clip, rate=rate)))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """More of it."""
        self._arrives(partial(self._more, number, len(pcm) // 2))

    def end_clip(self, number: int, ms: int) -> None:
        """All of it."""
        self._arrives(partial(self._complete, number))

    def pause(self) -> None:
        """Be silent."""
        self._arrives(self._pause)

    def resume(self) -> None:
        """Go on."""
        self._arrives(self._resume)

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Play these no more."""
        self._arrives(partial(self._drop, numbers, fade_ms))

    def clear(self) -> None:
        """Be silent, and forget."""
        self._arrives(self._clear)

    def show_caption(self, text: str, *, final: bool) -> None:
        """Remember it."""
        self.captions.append((text, final))

    def show_filler(self, text: str) -> None:
        """Remember it."""
        self.told.append(text)

    def show_activity(self, activity: Activity) -> None:
        """Remember it."""
        self.shown.append(activity)

    @property
    def silent(self) -> bool:
        """Whether nothing plays, and nothing is on its way."""
        return not self._queue and not self._on_the_way

    @property
    def playing(self) -> Sound | None:
        """What sounds just now."""
        return self._queue[0] if self._queue and self._since is not None else None

    def heard(self, message_id: str | None) -> str:
        """All words of a message that were heard in full, once nothing plays."""
        said = (sound.heard for sound in self.sounds if sound.clip.message_id == message_id)
        return " ".join(words for words in said if words)

    def _arrives(self, what: Callable[[], None]) -> None:
        # All take equally long, but timers of the same moment have no order of their own.
        self._on_the_way.append(what)
        asyncio.get_running_loop().call_later(self.way_s, lambda: self._on_the_way.popleft()())

    def _begin(self, sound: Sound) -> None:
        self.sounds.append(sound)
        self._queue.append(sound)
        self._go_on()

    def _more(self, number: int, samples: int) -> None:
        for sound in self._queue:
            if sound.clip.number == number:
                sound.came_ms += samples * 1_000 / sound.rate
        self._go_on()

    def _complete(self, number: int) -> None:
        for sound in self._queue:
            if sound.clip.number == number:
                sound.complete = True
        self._go_on()

    def _pause(self) -> None:
        self._paused = True
        self._fall_silent()

    def _resume(self) -> None:
        self._paused = False
        self._go_on()

    def _clear(self) -> None:
        self._fall_silent()
        self._queue.clear()

    def _drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        first = self._queue[0] if self._queue else None
        self._queue = deque(
            sound for sound in self._queue if sound.clip.number not in numbers or sound is first
        )
        if first is not None and first.clip.number in numbers:
            now = self.playing is not None
            asyncio.get_running_loop().call_later(fade_ms / 1_000 if now else 0, self._let_go, first)

    def _let_go(self, sound: Sound) -> None:
        if self._queue and self._queue[0] is sound:
            self._fall_silent()
            self._queue.popleft()
            self._go_on()

    def _fall_silent(self) -> None:
        sound = self.playing
        self._hold_the_place()
        if sound is not None:
            self.silent_at.append(asyncio.get_running_loop().time())
            self._report(sound, playing=False)

    def _go_on(self) -> None:
        """Play what there is to play, and come back when it ends or a report is due."""
        self._hold_the_place()
        if self._paused or not self._queue:
            return
        sound, now = self._queue[0], asyncio.get_running_loop().time()
        if sound.ms >= sound.came_ms - _HAIR_MS:
            if sound.complete:
                self._queue.popleft()
                sound.ended_at = now
                self._report(sound, playing=False)
                self._go_on()
            return
        if sound.began_at is None:
            sound.began_at = now
            self._report(sound, playing=True)
        self._since = now
        left_s = (sound.came_ms - sound.ms) / 1_000
        self._timer = asyncio.get_running_loop().call_later(min(left_s, REPORTS_S), self._tick, sound)

    def _tick(self, sound: Sound) -> None:
        self._hold_the_place()
        if sound.ms < sound.came_ms - _HAIR_MS:
            self._report(sound, playing=True)
        self._go_on()

    def _hold_the_place(self) -> None:
        """Note how far the clip that plays has come; it does not go on by itself."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._since is not None and self._queue:
            gone_ms = (asyncio.get_running_loop().time() - self._since) * 1_000
            self._queue[0].ms = min(self._queue[0].came_ms, self._queue[0].ms + gone_ms)
        self._since = None

    def _report(self, sound: Sound, *, playing: bool) -> None:
        what = partial(self.reports, sound.clip.number, int(sound.ms + _HAIR_MS), playing)
        self._on_the_way_back.append(what)
        asyncio.get_running_loop().call_later(self.way_s, lambda: self._on_the_way_back.popleft()())
