"""Passes on to the conversation what a customer was understood to say, and shows them what that was."""

from typing import Literal

import structlog

from assistant.errors import SpeechError
from assistant.ports import Ids
from assistant.prompts.listening_words import ListeningWords
from assistant.voice.barge_in import Meaning, Utterance, meaning_of
from assistant.voice.dictation import Expecting, spelled
from assistant.voice.line.conversation import Conversation
from assistant.voice.speaking.loudspeaker import Loudspeaker
from assistant.voice.speaking.progress import Progress
from assistant.voice.speaking.telling import Telling

log = structlog.get_logger(__name__)


class PassOn:
    """One customer's words on their way to the conversation."""

    def __init__(
        self,
        conversation: Conversation,
        loudspeaker: Loudspeaker,
        telling: Telling,
        progress: Progress,
        ids: Ids,
        *,
        locale: str,
        words: ListeningWords,
    ) -> None:
        self._conversation, self._loudspeaker = conversation, loudspeaker
        self._telling, self._progress, self._ids = telling, progress, ids
        self._locale, self._words = locale, words
        self._captioned = False

    def caption(self, text: str) -> None:
        """Show what is understood so far; "" for nothing any more."""
        if text or self._captioned:
            self._captioned = bool(text)
            self._loudspeaker.caption(text, final=False)

    def meaning(self, utterance: Utterance, text: str) -> Meaning:
        """What this means, as things stand."""
        return meaning_of(text, self._words, interrupts=utterance.interrupts, asked=self._progress.asked)

    async def say(self, text: str, spoken_until: float, expecting: Expecting = "anything") -> None:
        """Make it a message; what was dictated is put together as it was meant.

        Raises ``LogError`` when the conversation's log does not take it.
        """
        text = spelled(text, expecting, self._words)
        self._telling.expect(spoken_until)
        taken = await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}", text=text, locale=self._locale, spoken=True
        )
        if taken == "busy":
            self.caption("")
            self._loudspeaker.tell(self._telling.aside("busy"))
        else:
            self._progress.awaited = True
            self._captioned = False
            self._loudspeaker.caption(text, final=True)

    async def press(self, button: Literal["yes", "no"]) -> None:
        """Make it the answer to an open question. Raises ``LogError``."""
        await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}",
            text=button,
            locale=self._locale,
            button=button,
            spoken=True,
        )

    def not_understood(self, error: SpeechError) -> None:
        """It could not be written down: say so, and show it, for else it would be lost in silence."""
        log.warning("cannot hear", error=str(error))
        self.caption("")
        self._loudspeaker.tell(self._telling.aside("not_understood"))
