"""A provider's model that writes down what is said, through litellm."""

from assistant.conversation.spoken import Transcript
from assistant.errors import SpeechError
from assistant.models.speech.asking import Asking, HearsAndSpeaks
from assistant.models.speech.place import SpeechPlace
from assistant.models.speech.ungrouped import ungrouped
from assistant.models.speech.wav import in_wav
from assistant.ports.speech import HEARD_RATE, Pcm


class HostedHearing:
    """A transcription model of any provider that litellm knows; it is imported for the first utterance.

    Args:
        place: the model, and where it is.
        asking: how it is asked.
    """

    def __init__(self, place: SpeechPlace, asking: Asking) -> None:
        self._place, self._asking = place, asking

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        return self._place.name

    async def warm(self) -> None:
        """Import litellm; nothing is sent. Raises ``DeclarationError`` when it does not know the provider."""
        await self._asking.warm()

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcript:
        """What is said in an utterance of 16 kHz. How sure it is, providers do not say. Raises ``SpeechError``."""
        if len(audio) % 2:
            raise SpeechError(f"{len(audio)} bytes are no sound of 16-bit samples: their number must be even")
        seconds = len(audio) / 2 / HEARD_RATE
        if not audio:
            return Transcript(text="")
        wav, language = in_wav(audio, HEARD_RATE), locale.replace("_", "-").partition("-")[0]

        async def ask(litellm: HearsAndSpeaks) -> str:
            place = self._place
            return await litellm.written_down(place.model, wav, language, hint, place.api_base, place.api_key)

        text = (await self._asking.ask(ask)).strip()
        return Transcript(text=ungrouped(text, locale), seconds=seconds)
