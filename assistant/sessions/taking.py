"""The turn that a session's worker is taking, and how its stop is told from the session's end."""

import asyncio
from dataclasses import dataclass, field


@dataclass(slots=True)
class Taking:
    """A turn under way. ``stopped``: it alone is to end, and the worker goes on; ``over`` is set when it has."""

    turn_id: str
    stopped: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, worker: asyncio.Task[None]) -> None:
        """Stop it, once however often that is asked for."""
        if not self.stopped:
            self.stopped = True
            worker.cancel()


def go_on_after_cancelling() -> bool:
    """The cancellation was meant for the turn alone; time-outs of this task must not take it for theirs.

    Whether there was another, which came in the same moment and was meant for the worker.
    """
    task = asyncio.current_task()
    return task is not None and task.uncancel() > 0
