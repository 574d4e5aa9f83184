"""Appends until it is killed, and prints each acknowledged entry: ``endless_writer.py FILE``."""

import asyncio
import sys
from itertools import count
from pathlib import Path

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText
from assistant.store.sqlite.log import SqliteLog


async def write(log: SqliteLog, conversation: str) -> None:
    key = ConversationKey(tenant="acme", customer="ana", conversation=conversation)
    for seq in count(1):
        await log.append(key, [Logged(seq, seq, "t1", MessageText(message_id="m1", text="Hello"))])
        print(conversation, seq, flush=True)


async def main() -> None:
    log = SqliteLog(Path(sys.argv[1]))
    async with asyncio.timeout(20):  # in case no test kills this process
        await asyncio.gather(*(write(log, conversation) for conversation in "abcd"))


if __name__ == "__main__":
    asyncio.run(main())
