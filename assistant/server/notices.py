"""Notices for operators on the page: an edit was refused, or everything works again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assistant.server.frames.frame import JsonFrame

if TYPE_CHECKING:
    from assistant.server.frame_sender import FrameSender


@dataclass(frozen=True, slots=True)
class Notice:
    """Something is wrong (``problem``) or right again, in words for operators."""

    problem: bool
    message: str


class Notices(Protocol):
    """Where notices come from."""

    @property
    def problem(self) -> str | None:
        """What is wrong now, if anything is."""
        ...

    def listen(self, listener: Callable[[Notice], None]) -> Callable[[], None]:
        """Call ``listener`` on the loop with every later notice; returns how to stop."""
        ...


class NoNotices:
    """Nothing is ever wrong."""

    problem: str | None = None

    def listen(self, listener: Callable[[Notice], None]) -> Callable[[], None]:
        """Never calls it."""
        del listener
        return lambda: None


def send_notices(notices: Notices, sender: "FrameSender") -> Callable[[], None]:
    """Tell a client what is wrong, now and from now on; returns how to stop."""
    if notices.problem is not None:
        sender.reply(_frame(Notice(problem=True, message=notices.problem)))
    return notices.listen(lambda notice: sender.reply(_frame(notice)))


def _frame(notice: Notice) -> JsonFrame:
    return {"type": "notice", "problem": notice.problem, "message": notice.message}
