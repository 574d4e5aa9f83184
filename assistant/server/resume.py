"""Decides how a client catches up with its conversation."""

from typing import Literal, TypeAlias

from assistant.server.client_frames import Hello
from assistant.server.live import Session

Resumed: TypeAlias = Literal["new", "replay", "snapshot"]


def resume(hello: Hello, session: Session, longest: int) -> Resumed:
    """Replay what a client missed where that is certain and short; else start it over.

    Args:
        hello: what the client has.
        session: what there is.
        longest: the longest gap that is replayed, in entries.
    """
    newest = len(session.entries)
    same_numbers = hello.epoch == session.epoch and 0 < hello.last_seq <= newest
    if same_numbers and newest - hello.last_seq <= longest:
        return "replay"
    return "snapshot" if newest else "new"
