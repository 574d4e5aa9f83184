"""What commands read from a log while a server runs."""

from assistant.conversation.documents import Document
from tests.store.conftest import Installation


async def test_a_file_is_known_while_it_waits_and_afterwards(installation: Installation) -> None:
    async with installation.open() as server:
        documents = installation.documents()
        await server.writes.add(_letter("document:1"), 0)
        await documents.put(_letter("document:2"), ())

        async with installation.open_to_read() as reader:
            kept = [await reader.keeps_file("shop", f"document:{number}") for number in (1, 2, 3)]
            others = [await reader.keeps_file("bank", f"document:{number}") for number in (1, 2)]
        await documents.close()

    assert (kept, others) == ([True, True, False], [False, False])


def _letter(ref: str) -> Document:
    return Document(
        ref=ref, tenant="shop", customer="ana", kind="upload", title="letter.pdf", text="Dear Ana"
    )
