"""The embedded models that hear and speak, loaded and warm."""

import os
from dataclasses import dataclass

from assistant.clock import SystemClock
from assistant.ids import SystemIds
from assistant.models.speech.choose import choose_speech_to_text, choose_text_to_speech, missing
from assistant.models.speech.silero import Silero
from assistant.ports import Clock
from assistant.prompts.book import shipped_book
from assistant.resilience import jitter_from
from assistant.speech_ports import SpeechToText, TextToSpeech, VoiceActivity
from assistant.voice.ports import VoiceServices
from assistant.voice.turn_progress import AnswerWaits


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What hears and speaks. Nothing that was said before is remembered: every sound is made anew."""

    hearing: SpeechToText
    speech: TextToSpeech
    activity: VoiceActivity
    clock: Clock

    def voice(self, waits: AnswerWaits | None = None) -> VoiceServices:
        """The same, for lines that expect to wait so long for tools."""
        return VoiceServices(
            speech_to_text=self.hearing,
            text_to_speech=self.speech,
            voice_activity=self.activity,
            clock=self.clock,
            ids=SystemIds(),
            book=shipped_book,
            waits=waits or AnswerWaits(),
        )


async def embedded(places: int = 1) -> Embedded:
    """Load them. ``places``: so many utterances are written down at the same time.

    Raises ``SystemExit``: something is not installed.
    """
    if (problem := missing()) is not None:
        raise SystemExit(problem)
    clock, jitter = SystemClock(), jitter_from(SystemIds())
    hearing = choose_speech_to_text(
        "offline", clock=clock, jitter=jitter, environ=os.environ, whisper_dir=None, worker_slots=places
    )
    speech = choose_text_to_speech("offline", None, clock=clock, jitter=jitter, environ=os.environ)
    activity = Silero()
    for model in (hearing, speech, activity):
        await model.warm()
    return Embedded(hearing=hearing, speech=speech, activity=activity, clock=clock)
