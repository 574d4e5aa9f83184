"""Looks at a server as it is, and changes nothing on it."""

from assistant.store.qdrant.client import answered, connect

_ANSWER_S = 5


async def look(address: str, key: str | None) -> str:
    """The server's version.

    Raises:
        DeclarationError: the address is none.
        StoreError: nobody answers, or the key is wrong.
    """
    client = connect(address, key, answer_s=_ANSWER_S)
    try:
        with answered(address):
            await client.get_collections()  # its version it tells to anybody, without a key
            return (await client.info()).version
    finally:
        await client.close()
