"""Notices for operators on the page: an edit was refused, or everything works again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.server.frames.frame import JsonFrame
from assistant.sessions.listeners import Listeners

if TYPE_CHECKING:
    from assistant.server.frame_sender import FrameSender


@dataclass(frozen=True, slots=True)
class Notice:
    """Something is wrong (``problem``) or right again, in words for operators."""

    problem: bool
    message: str


class Notices:
    """Sends notices to its listeners, and remembers the problem that is not solved yet."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._listeners = Listeners[Notice]()

    def listen(self, listener: Callable[[Notice], None]) -> Callable[[], None]:
        """Call ``listener`` on the loop with every later notice; returns a function that stops it.

        A listener must not block or raise.
        """
        return self._listeners.add(listener)

    def mention(self, news: str) -> None:
        """Send information that is not about an edit. It is dropped while a problem is shown."""
        if self.problem is None:
            self._listeners.notify(Notice(problem=False, message=news))

    def notify(self, notice: Notice) -> None:
        """Send a notice to every listener."""
        self.problem = notice.message if notice.problem else None
        self._listeners.notify(notice)


def send_notices(notices: Notices, sender: "FrameSender") -> Callable[[], None]:
    """Send a client the current problem and every later notice; returns a function that stops it."""
    if notices.problem is not None:
        sender.reply(_frame(Notice(problem=True, message=notices.problem)))
    return notices.listen(lambda notice: sender.reply(_frame(notice)))


def _frame(notice: Notice) -> JsonFrame:
    return {"type": "notice", "problem": notice.problem, "message": notice.message}
