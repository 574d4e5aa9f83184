"""What every line needs to hear and to speak, made once for the whole process."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.ports import Clock, Ids, SpeechToText, TextToSpeech, VoiceActivity
from assistant.prompts.book import PromptBook
from assistant.voice.turn_progress import Waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The models that hear and speak, loaded; and what lines share.

    ``book`` gives the prompts as they are now: what is said beside a conversation, and the words that ears listen
    for. ``waits`` remembers how long tools let customers wait.
    """

    hearing: SpeechToText
    speech: TextToSpeech
    activity: VoiceActivity
    clock: Clock
    ids: Ids
    book: Callable[[], PromptBook]
    waits: Waits = field(default_factory=Waits)
