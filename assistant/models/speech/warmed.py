"""Models for speech that can be made ready before the first customer speaks."""

from typing import Protocol

from assistant.ports.speech import SpeechToText, TextToSpeech


class WarmedHearing(SpeechToText, Protocol):
    """Writes down what was said."""

    async def warm(self) -> None:
        """Load what it needs, so that the first utterance does not wait for it.

        Raises:
            SpeechError: it cannot be loaded.
            DeclarationError: nobody knows a model of its name.
        """
        ...


class WarmedSpeech(TextToSpeech, Protocol):
    """Says a text."""

    async def warm(self) -> None:
        """Load what it needs, so that the first words do not wait for it. Raises as :class:`WarmedHearing`'s."""
        ...
