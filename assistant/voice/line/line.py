"""One customer who speaks and is spoken to. Read this file first; the rest of the room is how."""

from typing import Literal, TypeAlias

from assistant.ports.speech import Pcm
from assistant.voice.line.conversation import Conversation
from assistant.voice.line.voice import Voice
from assistant.voice.speaking.loudspeaker import Loudspeaker

Mode: TypeAlias = Literal["hands_free", "push_to_talk"]


class Line:
    """A conversation that is spoken, over whatever carries the sound.

    Nothing but :meth:`close`, :meth:`hush` and :meth:`key` waits, and nothing raises because of what was heard or
    could not be said. Everything is called on the loop.

    Args:
        conversation: what is said becomes messages of it, and what it says is spoken.
        voice: hears and speaks.
        loudspeaker: the customer's end; it reports to :meth:`played`.
        locale: the customer's language, where their words do not tell.
        mode: who says when the customer has finished: the ears, or :meth:`end_of_speech`.
        speak: whether answers are spoken; else they are only written.
        tempo: how fast; 1 is usual.
    """

    def __init__(
        self,
        conversation: Conversation,
        voice: Voice,
        loudspeaker: Loudspeaker,
        *,
        locale: str,
        mode: Mode = "hands_free",
        speak: bool = True,
        tempo: float = 1.0,
    ) -> None: ...

    def start(self) -> None:
        """Begin to follow the conversation: what it says from now on is spoken."""
        raise NotImplementedError

    def hear(self, pcm: Pcm) -> None:
        """The next sound of the customer's microphone: 16 kHz, any length."""
        raise NotImplementedError

    def end_of_speech(self) -> None:
        """The customer says that they have finished: they let go of the button."""
        raise NotImplementedError

    def played(self, clip: int, ms: int, playing: bool) -> None:
        """So many milliseconds of a clip came out of the loudspeaker; ``playing``: it goes on."""
        raise NotImplementedError

    async def key(self, digit: str) -> bool:
        """A key of the phone was pressed: 1 is yes and 2 is no to an open question; False: it means nothing."""
        raise NotImplementedError

    async def hush(self) -> None:
        """Fall silent, and note what was heard: to be awaited before a typed message or a stop is passed on."""
        raise NotImplementedError

    def change(
        self, *, mode: Mode | None = None, speak: bool | None = None, tempo: float | None = None
    ) -> None:
        """Go on in another way; what is left out stays as it is."""
        raise NotImplementedError

    async def close(self) -> None:
        """The customer is gone, or goes on in writing: what was heard until now is noted, all else let go of."""
        raise NotImplementedError
