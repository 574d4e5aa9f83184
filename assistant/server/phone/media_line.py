"""A line for a call: whatever the caller does by other means than speaking is done over it, too."""

from typing import Literal

from assistant.conversation.entries import MessageClosed, MessageText
from assistant.ports import Ids
from assistant.prompts.listening_words import ListeningWords
from assistant.server.phone.beside import OnThePhone, is_beside
from assistant.voice.dictation import ExpectedInput, expected_input_after
from assistant.voice.session import VoiceSession

_KEYS: dict[Literal["yes", "no"], str] = {"yes": "1", "no": "2"}


class MediaLine:
    """A :class:`VoiceSession` that has started, as a call asks for one."""

    def __init__(
        self, conversation: OnThePhone, line: VoiceSession, ids: Ids, words: ListeningWords, *, locale: str
    ) -> None:
        self._conversation, self._line, self._ids = conversation, line, ids
        self._words, self._locale = words, locale

    @property
    def asked(self) -> bool:
        """Whether a question is open that wants yes or no."""
        return self._conversation.question is not None

    @property
    def expecting(self) -> ExpectedInput:
        """What the assistant has just asked for."""
        return expected_input_after(self._last_answer(), self._words)

    async def said(self, text: str) -> None:
        """The caller has keyed this in. Raises ``LogError``."""
        await self._line.stop_speaking()
        await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}", text=text, locale=self._locale, spoken=True
        )

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """The caller has answered the open question with a key."""
        await self._line.press_key(_KEYS[answer])

    def _last_answer(self) -> str:
        closed: str | None = None
        said: list[str] = []
        for logged in reversed(self._conversation.entries):
            match logged.entry:
                case MessageClosed(message_id=id_, kind="response") if closed is None and not is_beside(id_):
                    closed = id_
                case MessageText(message_id=id_, text=text) if id_ == closed:
                    said.append(text)
                case MessageText() if said:
                    break
                case _:
                    pass
        return "".join(reversed(said))
