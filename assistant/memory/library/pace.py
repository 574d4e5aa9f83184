"""How hard the writer works: at full speed, or so that nobody notices."""

from contextlib import suppress
from dataclasses import dataclass

from assistant.memory.library.job import Job
from assistant.ports import Clock


@dataclass(frozen=True, slots=True)
class Pace:
    """After each piece of work it rests ``rest`` times as long as that took: nine times for a tenth of one core."""

    clock: Clock
    rest: float = 0.0

    async def after(self, job: Job, began: float) -> None:
        """Rest after work that began then, by the clock's ``monotonic``; not while somebody waits for this job."""
        rest_s = self.rest * (self.clock.monotonic() - began)
        if rest_s > 0 and not job.hurry.is_set() and not job.dropped:
            with suppress(TimeoutError):
                async with self.clock.timeout(rest_s):
                    await job.hurry.wait()
