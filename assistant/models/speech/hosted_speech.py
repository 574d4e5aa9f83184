"""A provider's voice, through litellm."""

from collections.abc import AsyncIterator, Mapping

from assistant.models.speech.asking import Asking, HearsAndSpeaks, Refused
from assistant.models.speech.place import SpeechPlace
from assistant.models.speech.wav import pcm_of
from assistant.ports.speech import Pcm

_RATE = 24_000
_BARE = "pcm"
_FILE = "wav"
_FORMS: Mapping[str, str] = {
    "elevenlabs": "pcm_24000",  # bare samples have another rate there
    "groq": _FILE,
    "minimax": _FILE,
    "vertex_ai": _FILE,
}
"""What providers are asked for who do not give bare samples of our rate; a file says which rate it has."""

_PIECE = _RATE // 5 * 2
"""Bytes of a fifth of a second: whoever has stopped listening need not take all of it."""


class HostedSpeech:
    """A speech model of any provider that litellm knows; it is imported for the first text.

    Args:
        place: the model, and where it is.
        asking: how it is asked.
        voice: which of the provider's voices speaks, by its own name.
    """

    def __init__(self, place: SpeechPlace, asking: Asking, voice: str) -> None:
        self._place, self._asking, self._voice = place, asking, voice
        self._form = _FORMS.get(place.model.partition("/")[0], _BARE)

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        return self._place.name

    @property
    def rate(self) -> int:
        """Samples a second of what it says."""
        return _RATE

    async def warm(self) -> None:
        """Import litellm; nothing is sent. Raises ``DeclarationError`` when it does not know the provider."""
        await self._asking.warm()

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """The sound of a clause or sentence, in pieces, once all of it has come.

        The provider's model hears itself which language it is. Raises ``SpeechError``.
        """
        del locale
        if not text.strip():
            return
        pcm = pcm_of(await self._sound(text, tempo), _RATE)
        for at in range(0, len(pcm), _PIECE):
            yield pcm[at : at + _PIECE]

    async def _sound(self, text: str, tempo: float) -> bytes:
        try:
            return await self._asked(text, tempo, self._form)
        except Refused as error:
            if self._form == _FILE or not _about_the_form(str(error), self._form):
                raise
        sound = await self._asked(text, tempo, _FILE)
        self._form = _FILE
        return sound

    async def _asked(self, text: str, tempo: float, form: str) -> bytes:
        async def ask(litellm: HearsAndSpeaks) -> bytes:
            place = self._place
            return await litellm.sound_of(
                place.model, text, self._voice, form, tempo, place.api_base, place.api_key
            )

        return await self._asking.ask(ask)


def _about_the_form(told: str, form: str) -> bool:
    return any(word in told.casefold() for word in ("response_format", "format", form))
