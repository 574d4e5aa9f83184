"""The embedded ears: Whisper, in threads of this process."""

from collections.abc import Callable

from assistant.conversation.spoken import Transcript
from assistant.errors import AssistantError, SpeechError
from assistant.models.load_once import Once
from assistant.models.speech.whisper.places import Places
from assistant.models.speech.whisper.write_down import Loaded, write_down
from assistant.ports import Clock
from assistant.ports.speech import HEARD_RATE, Pcm

_SECOND_OF_NOTHING: Pcm = bytes(2 * HEARD_RATE)


class Whisper:
    """Needs no network and no key. The first utterance loads the weights, unless it has been warmed.

    Args:
        load: brings the model, in a thread; called once.
        places: how many utterances are written down at the same time.
        clock: measures how long one takes.
    """

    def __init__(self, load: Callable[[], Loaded], *, places: int, clock: Clock) -> None:
        self._loaded = Once(load)
        self._places = Places(places, clock=clock)

    @property
    def name(self) -> str:
        """As the operator writes it."""
        return "offline"

    async def warm(self) -> None:
        """Load the weights and write something down, two seconds of work. Raises ``SpeechError``."""
        await self.transcribe(_SECOND_OF_NOTHING)

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcript:
        """What is said in an utterance of 16 kHz; "" where nobody speaks.

        Raises:
            SpeechError: too many wait already, the sound is none, or the model cannot.
        """

        def work() -> Transcript:
            return write_down(audio, self._loaded(), locale, hint)

        try:
            return await self._places.run(work)
        except AssistantError:
            raise
        except Exception as error:
            # The wall to the model's own code: it raises what it likes where memory is short.
            raise SpeechError(f"the embedded model 'offline' wrote nothing down: {error!r}") from error
