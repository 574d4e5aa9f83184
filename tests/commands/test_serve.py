"""Serving: what stops the start, and what is said at it."""

import signal
import socket

from tests.commands.conftest import Premises


async def test_a_second_server_and_a_chat_are_refused_the_data_folder(premises: Premises) -> None:
    async with premises.serving() as served:
        second = await premises.run("serve", "--port", "0")
        chat = await premises.run("chat")
        elsewhere = await premises.run("chat", ASSISTANT_DATA_DIR="elsewhere")

    refused = (
        f"the data folder 'data' is in use by process {served.process.pid}: stop that one first, "
        "or set ASSISTANT_DATA_DIR to another folder\n"
    )
    assert second == chat == (2, "", refused)
    assert elsewhere[0] == 0


async def test_a_port_that_is_taken_is_named_before_anything_is_loaded(premises: Premises) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, errors = await premises.run("serve", "--port", str(port))

    assert code == 2
    assert errors.startswith(f"cannot listen on 127.0.0.1:{port}: ")
    assert not premises.data.exists()


async def test_a_folder_without_tools_is_mentioned_at_the_start(premises: Premises) -> None:
    (premises.folder / "tools").mkdir()

    async with premises.serving() as served:
        served.tell(signal.SIGTERM)
        code, errors = await served.end()

    assert code == 0
    assert "no tools, so nothing can be looked up" in errors
    assert "folder=tools setting=ASSISTANT_TOOLS_DIR" in errors
