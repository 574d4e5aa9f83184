"""How much each visitor and each address may say in a minute, over all their sockets."""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from assistant.ports import Clock
from assistant.server.bucket import Buckets
from assistant.server.limits import Limits
from assistant.server.tokens import Visit


class Rates:
    """What everybody has left, in memory. A second socket shares the first one's allowance."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.messages = Buckets(limits.messages_per_minute, clock)
        self.frames = Buckets(limits.frames_per_minute, clock)
        self.address_messages = Buckets(limits.messages_per_minute * limits.visitors_per_address, clock)
        self.address_frames = Buckets(limits.frames_per_minute * limits.visitors_per_address, clock)

    def allowance(self, visit: Visit, host: str | None) -> "Allowance":
        """What this visitor, coming from this address, may say."""
        return Allowance(rates=self, visitor=visitor(visit), address=address(host))


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """One socket's share of what its visitor and its address have left."""

    rates: Rates
    visitor: str
    address: str | None

    def message(self) -> bool:
        """Whether one more message may pass; if so, it has."""
        return self.rates.messages.take(self.visitor) and (
            self.address is None or self.rates.address_messages.take(self.address)
        )

    def frame(self) -> bool:
        """Whether one more frame may pass; if so, it has."""
        return self.rates.frames.take(self.visitor) and (
            self.address is None or self.rates.address_frames.take(self.address)
        )


def visitor(visit: Visit) -> str:
    """Whose allowance it is: a signed-in customer has one for all conversations.

    Of others only the conversation tells one from the next: all visitors of a demo are its one customer.
    """
    who = visit.customer
    place = "" if who.level == "signed_in" else visit.conversation
    return "\0".join((who.tenant, who.id, place))


def address(host: str | None) -> str | None:
    """Whose address it is; None where it does not tell: ours, from which a proxy speaks for everybody.

    >>> address("203.0.113.7"), address("::ffff:203.0.113.7"), address("2001:db8:1:2:3:4:5:6")
    ('203.0.113.7', '203.0.113.7', '2001:db8:1:2::/64')
    >>> address("127.0.0.1"), address(None), address("a-socket")
    (None, None, None)
    """
    try:
        ip = ip_address(host or "")
    except ValueError:
        return None
    if isinstance(ip, IPv6Address):
        ip = ip.ipv4_mapped or ip
    if ip.is_loopback:
        return None
    # One household has a whole /64.
    return str(ip) if ip.version == 4 else str(ip_network((ip, 64), strict=False))
