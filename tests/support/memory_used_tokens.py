"""Used tokens in memory: servers in one process share them, as they share a database."""

from dataclasses import dataclass, field

from assistant.ports import Clock
from assistant.server.phone.call_registry import CallRegistry
from assistant.testing.counted_ids import CountedIds


@dataclass(slots=True)
class MemoryUsedTokens:
    """The used tokens, and until when they are remembered."""

    until: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Mark a tenant's token as used; returns whether this is the first time."""
        self.until = {used: until for used, until in self.until.items() if until > now_ms}
        first = (tenant, token_id) not in self.until
        self.until.setdefault((tenant, token_id), until_ms)
        return first


def call_registry(
    clock: Clock, used: MemoryUsedTokens, *, tenant: str = "shop", server: str = "", secret: bytes = bytes(32)
) -> CallRegistry:
    """The calls of one server of an installation with this secret."""
    return CallRegistry(secret, tenant=tenant, clock=clock, ids=CountedIds(f"{server}call-"), used=used)
