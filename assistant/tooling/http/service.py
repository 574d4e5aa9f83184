"""One system that tools ask, and what is said of it when it does not answer."""

from dataclasses import dataclass

from assistant.tooling.http.address import Base
from assistant.tooling.http.connections import Connections
from assistant.tooling.http.credentials import Credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """``name`` is what customers hear of it; ``max_bytes`` the longest answer that is read."""

    name: str
    base: Base
    credentials: Credentials
    connections: Connections
    max_bytes: int
