"""One document on its way into the store: how far it is, and what others want of it."""

import asyncio
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Job:
    """Somebody is at this document; ``done`` of its ``passages`` have vectors.

    ``hurry`` is set when somebody waits for it, ``dropped`` when nobody wants it any more, ``ended`` in the end.
    """

    tenant: str
    customer: str
    ref: str
    done: int = 0
    passages: int = 0
    dropped: bool = False
    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def key(self) -> tuple[str, str]:
        """The tenant and the reference, which are the document's alone."""
        return self.tenant, self.ref

    def drop(self) -> None:
        """Let it end soon, with nothing written."""
        self.dropped = True
        self.hurry.set()
