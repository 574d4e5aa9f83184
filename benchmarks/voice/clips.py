"""Whether customers are cut off, and how soon it is noticed that they have finished.

The clips are played through the real detector and Whisper in the time of their sound. A transcription counts as
long as it takes on a free core, which is its CPU time: on a busy machine nobody would be cut off, for all would
wait.
"""

import time
from collections import Counter
from dataclasses import dataclass, field

from assistant.prompts.book import shipped_book
from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, SpeechToText
from assistant.voice.dictation import expected_input_after
from assistant.voice.endpointing import (
    EndpointDetector,
    EndpointingEvent,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
    UtteranceEnded,
)
from benchmarks.voice.embedded import Embedded
from benchmarks.voice.figures import spread
from benchmarks.voice.speakers import speakers
from benchmarks.voice.spoken_clips import Clip, clips

_FRAME_BYTES = 2 * FRAME_SAMPLES
AIM = 2


@dataclass(slots=True, kw_only=True)
class Listener:
    """The detector, and who writes down for them, over one clip.

    ``ends_s`` are the moments at which the detector found that the customer had finished, ``ready_s`` those at
    which it was written down, too; ``wrote_s`` the CPU time of each transcription, ``waited_s`` how long it took
    in fact.
    """

    detector: EndpointDetector
    hearing: SpeechToText
    ends_s: list[float] = field(default_factory=list[float])
    ready_s: list[float] = field(default_factory=list[float])
    wrote_s: list[float] = field(default_factory=list[float])
    waited_s: list[float] = field(default_factory=list[float])
    texts: list[str] = field(default_factory=list[str])
    _understood: tuple[float, str] | None = None
    _written_s: float = 0.0

    async def listen(self, sound: bytes) -> None:
        """All of it, frame by frame."""
        for at in range(0, len(sound) - _FRAME_BYTES + 1, _FRAME_BYTES):
            now_s = (at + _FRAME_BYTES) / 2 / HEARD_RATE
            for event in self.detector.process_audio(sound[at : at + _FRAME_BYTES]):
                await self._follow(event, now_s)
            if self._understood is not None and now_s >= self._understood[0]:
                self.detector.update_transcript(self._understood[1])
                self._understood = None

    async def _follow(self, event: EndpointingEvent, now_s: float) -> None:
        match event:
            case SpeechPaused():
                began, used = time.perf_counter(), time.process_time()
                text = (await self.hearing.transcribe(event.audio)).text
                self.wrote_s.append(time.process_time() - used)
                self.waited_s.append(time.perf_counter() - began)
                self.texts.append(text)
                self._written_s = now_s + self.wrote_s[-1]
                self._understood = self._written_s, text
            case UtteranceEnded():
                self.ends_s.append(now_s)
                self.ready_s.append(max(now_s, self._written_s))
                self._understood = None
            case SpeechResumed():
                self._understood = None
            case SpeechStarted():
                pass


async def listened(clip: Clip, models: Embedded) -> Listener:
    """What the ears make of a clip."""
    words = shipped_book().words("en").listening
    detector = EndpointDetector(models.activity.stream(), words=words)
    detector.expecting = expected_input_after(clip.question, words)
    listener = Listener(detector=detector, hearing=models.hearing)
    await listener.listen(clip.sound)
    return listener


async def measure(models: Embedded) -> None:
    """Print whom they cut off, and how soon the others were answered."""
    many: Counter[str] = Counter()
    cut: Counter[str] = Counter()
    late: dict[str, list[float]] = {"finished": [], "paused": [], "dictated": []}
    ready: list[float] = []
    wrote: list[float] = []
    waited: list[float] = []
    for speaker in speakers():
        async for clip in clips(speaker):
            heard = await listened(clip, models)
            many[speaker] += 1
            wrote += heard.wrote_s
            waited += heard.waited_s
            if len(heard.ends_s) == 1 and heard.ends_s[0] > clip.ends_s:
                late[clip.kind].append((heard.ends_s[0] - clip.ends_s) * 1_000)
                if clip.kind == "finished":
                    ready.append((heard.ready_s[0] - clip.ends_s) * 1_000)
            else:
                cut[speaker] += 1
                print(f"cut off ({speaker}, {clip.pause_s} s): {clip.words!r}, heard as {heard.texts}")
    total = ", ".join(f"{cut[speaker]} of {many[speaker]} {speaker}'s" for speaker in many)
    print(f"cut off: {cut.total()} of {many.total()} clips ({total}); aim: {AIM} of 60 at most")
    for kind, ms in late.items():
        print(f"last sound to end of utterance, {kind:8}: {spread(ms)}")
    print(f"last sound to its transcript,   finished: {spread(ready)}")
    print(f"bare Whisper, one transcription, CPU    : {spread([took * 1_000 for took in wrote])}")
    print(f"the same by the clock                   : {spread([took * 1_000 for took in waited])}")
