"""Opens a line for each customer who wants to speak, once the models that hear and speak are loaded."""

from collections.abc import Callable

from assistant.conversation.people import ConversationKey
from assistant.errors import SpeechError
from assistant.voice.line.line import Line
from assistant.voice.ports import Conversation, Loudspeaker, Voice


class Switchboard:
    """All lines of this process, one for each conversation: it has one voice, wherever it is open.

    ``problem`` says, for whoever runs the assistant, why nobody can speak; None: they can.
    """

    def __init__(self, problem: str) -> None:
        self.problem: str | None = problem
        self.voice: Voice | None = None
        self._lines: dict[ConversationKey, tuple[Line, Callable[[], None]]] = {}

    def connect(self, voice: Voice) -> None:
        """Everything is loaded: from now on one can speak."""
        self.voice, self.problem = voice, None

    def fail(self, problem: str) -> None:
        """Nobody will be able to speak, for this reason."""
        self.voice, self.problem = None, problem

    async def open(
        self,
        conversation: Conversation,
        loudspeaker: Loudspeaker,
        *,
        locale: str,
        lost: Callable[[], None] = lambda: None,
    ) -> Line:
        """A line that has started. Whoever had one to the same conversation has ``lost`` it.

        Raises ``SpeechError`` while there is a ``problem``.
        """
        if self.voice is None:
            raise SpeechError(self.problem or "no voice")
        earlier = self._lines.pop(conversation.key, None)
        line = Line(conversation, self.voice, loudspeaker, locale=locale)
        self._lines[conversation.key] = line, lost
        if earlier is not None:
            earlier[1]()
            await earlier[0].close()
        line.start()
        return line

    async def hang_up(self, line: Line) -> None:
        """This line is not needed any more."""
        self._lines = {key: known for key, known in self._lines.items() if known[0] is not line}
        await line.close()

    async def close(self) -> None:
        """Nobody speaks any more."""
        for line, _ in tuple(self._lines.values()):
            await self.hang_up(line)
        self.fail("the server is stopping")
