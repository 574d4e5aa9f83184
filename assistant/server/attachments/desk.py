"""Hands out attachments: knows their addresses, and finds what stands at one."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.server.attachments.address import Addresses, Place
from assistant.server.attachments.draw import AddressOf

Read: TypeAlias = Callable[[ConversationKey, int], Awaitable[Sequence[Logged]]]
"""(conversation, number) -> its entries above this number: how a log is read."""


class AttachmentDesk:
    """What the door asks about attachments.

    Args:
        addresses: writes and reads them.
        read: finds entries in the log.
    """

    def __init__(self, addresses: Addresses, read: Read) -> None:
        self._addresses, self._read = addresses, read

    def address_of(self, key: ConversationKey) -> AddressOf:
        """Where the attachments of this conversation are."""

        def of(seq: int, index: int) -> str:
            return self._addresses.of(Place(key=key, seq=seq, index=index))

        return of

    async def find(self, sealed: str) -> Media | None:
        """What stands at an address; None where there is nothing, or nothing any more. Raises ``LogError``."""
        place = self._addresses.read(sealed)
        if place is None:
            return None
        for logged in (await self._read(place.key, place.seq - 1))[:1]:
            match logged.entry:
                case CallEnded(outcome=CallSucceeded(media=media)):
                    return media[place.index] if place.index < len(media) else None
                case _:
                    pass
        return None
