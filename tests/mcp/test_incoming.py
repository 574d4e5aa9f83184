"""Which call an unreadable answer belongs to."""

from mcp_types import JSONRPCError

from assistant.mcp.transports import unreadable_answer

WHOSE: dict[str, int | str | None] = {
    '{"jsonrpc":"2.0","id":3,"result":{"id":77': 3,
    '{"id":3,"jsonrpc":"2.0","result":{"a": 1': 3,
    '{"jsonrpc": "2.0", "id": "a-3", "error": {': "a-3",
    '{"result":{"id":77,"x":"..."},"jsonrpc":"2.0","id":3}': 3,
    '{"result":{"id":77,"x":"..."},"id":3,"jsonrpc":"2.0"}\r': 3,
    # A request of the server's own has ids of its own.
    '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"\\ud800"}}': None,
    '{"jsonrpc":"2.0","method":"ping","params":{"x":"\\ud800","id":3}}': None,
    # An id within a result, or in a text, is not the answer's id.
    '{"jsonrpc":"2.0","result":{"x":"..., \\"id\\":3}': None,
    '{"jsonrpc":"2.0","result":{"x":1},"id":3},"id":4': None,
    "Starting up with id 3": None,
    "": None,
}


def test_the_call_of_an_unreadable_answer_is_found() -> None:
    wrong = {text: found for text, whose in WHOSE.items() if (found := _whose(text)) != whose}
    assert wrong == {}


def _whose(text: str) -> int | str | None:
    found = unreadable_answer(text.encode()[:512], text.encode()[-512:], "why")
    if found is None:
        return None
    assert isinstance(found.message, JSONRPCError)
    return found.message.id
