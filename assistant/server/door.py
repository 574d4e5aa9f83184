"""What every socket and page is handed: who lives behind the door, and on which terms one may come in."""

from dataclasses import dataclass, field

from assistant.ports import Clock, Identity, Ids
from assistant.server.about import About
from assistant.server.limits import Limits
from assistant.server.live import Sessions
from assistant.server.tokens import Tokens
from assistant.server.wire import Hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The parts of the door.

    ``origins`` are further web origins ("https://shop.example") whose pages may connect; a page of the
    server's own always may. ``developer_allowed``: clients that ask for it see inside tools.
    """

    sessions: Sessions
    identity: Identity
    tokens: Tokens
    clock: Clock
    ids: Ids
    about: About
    hints: Hints
    developer_allowed: bool = False
    origins: frozenset[str] = frozenset()
    limits: Limits = field(default_factory=Limits)
