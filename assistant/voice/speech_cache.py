"""Caches the sound of short texts, so that they are synthesized only once."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from assistant.speech_ports import Pcm, TextToSpeech

_MOST_BYTES: Final = 16 * 1024 * 1024  # bytes; nearly six minutes at 24 kHz
_LONGEST: Final = 160  # characters; a longer text is an answer, which is not repeated
_Key: TypeAlias = tuple[str, str, float, str]


@dataclass(slots=True)
class _Making:
    """A text that is being synthesized for the first time, and its listeners."""

    made: list[Pcm] = field(default_factory=list[Pcm])
    over: bool = False
    error: Exception | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: int = 0
    task: asyncio.Task[None] | None = None

    async def follow(self) -> AsyncIterator[Pcm]:
        """Yields the sound so far, and then the sound as it is made."""
        at = 0
        while True:
            self.news.clear()
            while at < len(self.made):
                yield self.made[at]
                at += 1
            if self.error is not None:
                raise self.error
            if self.over:
                return
            await self.news.wait()


class CachedSpeech:
    """Text-to-speech with a cache for short texts, by locale and tempo.

    Requests for the same text at the same time share one synthesis. Only complete sounds are cached. If all
    listeners stop before the end, the synthesis stops.

    Args:
        inner: the text-to-speech that makes the sound.
        most_bytes: the size of the cache; the text that was not used for the longest time is removed first.
        longest: the most characters of a text in the cache.
    """

    def __init__(
        self, inner: TextToSpeech, *, most_bytes: int = _MOST_BYTES, longest: int = _LONGEST
    ) -> None:
        self._inner, self._most_bytes, self._longest = inner, most_bytes, longest
        self._kept: OrderedDict[_Key, tuple[Pcm, ...]] = OrderedDict()
        self._bytes = 0
        self._making: dict[_Key, _Making] = {}

    @property
    def name(self) -> str:
        """The name of the inner voice."""
        return self._inner.name

    @property
    def rate(self) -> int:
        """The sample rate of the inner voice."""
        return self._inner.rate

    @property
    def kept_bytes(self) -> int:
        """The bytes in the cache."""
        return self._bytes

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """Yields the sound of a text, immediately if it is cached. Raises what the inner voice raises."""
        key = (text, locale, tempo, self._inner.name)
        if (known := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            for pcm in known:
                yield pcm
            return
        making = self._making.get(key) or self._begin(key)
        making.listeners += 1
        try:
            async for pcm in making.follow():
                yield pcm
        finally:
            making.listeners -= 1
            if not making.listeners and not making.over:
                self._give_up(key, making)

    def _begin(self, key: _Key) -> _Making:
        making = self._making[key] = _Making()
        making.task = asyncio.create_task(self._make(key, making))
        return making

    def _give_up(self, key: _Key, making: _Making) -> None:
        del self._making[key]
        if making.task is not None:
            making.task.cancel()

    async def _make(self, key: _Key, making: _Making) -> None:
        text, locale, tempo, _ = key
        try:
            async for pcm in self._inner.speak(text, locale=locale, tempo=tempo):
                making.made.append(pcm)
                making.news.set()
            self._keep(key, tuple(making.made))
        except Exception as error:
            making.error = error
        making.over = True
        making.news.set()
        if self._making.get(key) is making:
            del self._making[key]

    def _keep(self, key: _Key, made: tuple[Pcm, ...]) -> None:
        size = sum(map(len, made))
        if len(key[0]) > self._longest or size > self._most_bytes:
            return
        self._kept[key] = made
        self._bytes += size
        while self._bytes > self._most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= sum(map(len, oldest))
