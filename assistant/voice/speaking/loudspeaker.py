"""The customer's end of a line: what plays the clips, and says how far it got."""

from typing import Literal, Protocol, TypeAlias

from assistant.ports.speech import Pcm
from assistant.voice.speaking.clip import Clip

Activity: TypeAlias = Literal["listening", "hearing", "thinking", "speaking"]


class Loudspeaker(Protocol):
    """Plays clips one after the other, in the order in which they began. Nothing here waits or raises.

    It reports to ``Line.played`` when a clip begins, at least twice a second while it plays, and exactly when
    it ends, is paused or is dropped.
    """

    @property
    def rate(self) -> int | None:
        """Samples a second that it wants; None: whatever the voice makes."""
        ...

    def begin(self, clip: Clip, rate: int) -> None:
        """A clip follows, with so many samples a second."""
        ...

    def play(self, number: int, pcm: Pcm) -> None:
        """More sound of a clip that began."""
        ...

    def end(self, number: int, ms: int) -> None:
        """A clip is complete; so long it takes to play."""
        ...

    def pause(self) -> None:
        """Fall silent at once, and remember where."""
        ...

    def resume(self) -> None:
        """Go on where it was paused."""
        ...

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Do not play these any more; the one that is playing falls silent within ``fade_ms``."""
        ...

    def clear(self) -> None:
        """Fall silent at once and forget all clips."""
        ...

    def caption(self, text: str, *, final: bool) -> None:
        """What the customer is understood to say; final: it is a message now."""
        ...

    def tell(self, text: str) -> None:
        """Show a sentence that is spoken beside the conversation, such as that something was not understood."""
        ...

    def show(self, activity: Activity) -> None:
        """What goes on, for the customer to see."""
        ...
