"""What the pages of the console can follow live: the port of a topic, and a feed of numbered news."""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from assistant.conversation.values import Json
from assistant.server.frames.frame import JsonFrame
from assistant.sessions.listeners import Listeners
from assistant.staff.accounts import Account
from assistant.staff.roles import Permission

Resumed: TypeAlias = Literal["new", "replay", "snapshot"]
"""How a page goes on: it had nothing; it gets what it missed; it missed too much and reads everything again."""

KEPT = 1_000
"""The number of news that a feed keeps for pages whose line was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """A page that follows a topic.

    Args:
        account: whose page it is.
        object_id: what of the topic, such as a conversation's id; "" if there is only one.
        epoch: the numbering that the page knows; "" for none.
        seq: the number of the newest news that it has.
        send: sends the page a frame; never blocks.
        record: records that a customer's data is shown, before it is sent. Raises ``LogError``.
    """

    account: Account
    object_id: str
    epoch: str
    seq: int
    send: Callable[[JsonFrame], None]
    record: Callable[[str], Awaitable[None]]


class TopicUnknown(Exception):
    """There is nothing of this topic with the follower's id."""


class Topic(Protocol):
    """Something that pages follow.

    Attributes:
        permission: what a person must be allowed to follow it.
    """

    permission: Permission

    async def follow(self, follower: Follower) -> Callable[[], None]:
        """Send ``following`` with ``resumed``, ``epoch`` and ``seq``, and then each ``news`` with its ``seq``.

        Returns what ends it. Raises ``TopicUnknown``, and ``LogError`` if the storage does not answer.
        """
        ...


@runtime_checkable
class TypedTopic(Topic, Protocol):
    """A topic in which people write."""

    def note_typing(self, account: Account, object_id: str) -> None:
        """The person is typing. Does nothing if what they type would reach no one."""
        ...


class NewsFeed:
    """Numbered news of this server.

    A page that comes back to another server, or much later, reads everything again.

    Args:
        permission: what a person must be allowed to follow it.
        epoch: names this numbering; another server, and the next start, have another one.
    """

    def __init__(self, permission: Permission, epoch: str) -> None:
        self.permission: Permission = permission
        self.epoch, self.seq = epoch, 0
        self._newest: deque[JsonFrame] = deque(maxlen=KEPT)
        self._listeners = Listeners[JsonFrame]()

    @property
    def followed(self) -> bool:
        """Whether any page follows it now."""
        return bool(len(self._listeners))

    def publish(self, news: JsonFrame) -> None:
        """Number the news and send it to all pages that follow."""
        self.seq += 1
        numbered: JsonFrame = {"type": "news", "seq": self.seq, **news}
        self._newest.append(numbered)
        self._listeners.notify(numbered)

    async def follow(self, follower: Follower, **state: Json) -> Callable[[], None]:
        """See the port. ``state`` is how things are now, besides the news."""
        missed = self.seq - follower.seq
        resumed: Resumed = "new" if not follower.epoch else "snapshot"
        if follower.epoch == self.epoch and 0 <= missed <= len(self._newest):
            resumed = "replay"
        told: JsonFrame = {"type": "following", "resumed": resumed, "epoch": self.epoch, "seq": self.seq}
        follower.send({**told, **state})
        if resumed == "replay" and missed:
            for news in list(self._newest)[-missed:]:
                follower.send(news)
        return self._listeners.add(follower.send)
