"""A file is sent with a message, with the name that the server knows; and only by its owner."""

from typing import Any

import orjson

from assistant.conversation.documents import Attached
from assistant.server.frames.client_frames import MOST_FILES
from assistant.server.frames.server_frames import SERVER_FRAMES
from assistant.server.operators.routes import change_frames, transcript
from tests.server.client import Client, Frame, bare
from tests.server.files.conftest import BEN, MOST_BYTES, FileEndpoints
from tests.server.running_server import ANA


async def _ana(endpoints: FileEndpoints, **hello: Any) -> Client:
    client = Client(endpoints.server)
    client.token = endpoints.token(ANA)
    await client.enter(**hello)
    return client


async def _sends(client: Client, id_: str, *refs: str, text: str = "") -> Frame:
    files = [{"ref": ref, "name": "whatever I call it"} for ref in refs]
    await client.say(type="message", id=id_, text=text, attachments=files)
    frame = await client.hear()
    SERVER_FRAMES.validate_json(orjson.dumps(frame))
    return frame


async def test_the_welcome_says_which_files_are_accepted(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)

    assert ana.heard[0]["uploads"] == {
        "max_bytes": MOST_BYTES,
        "max_files": MOST_FILES,
        "endings": [".md", ".pdf", ".txt"],
    }
    SERVER_FRAMES.validate_json(orjson.dumps(ana.heard[0]))


async def test_a_file_is_shown_with_its_message_everywhere(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)
    _, file = await endpoints.uploads("May.txt")

    accepted = await _sends(ana, "m1", file["ref"], text="Is this right?")

    files = [{"ref": file["ref"], "name": "May.txt"}]
    assert bare(accepted) == {"type": "accepted", "id": "m1", "text": "Is this right?", "attachments": files}
    (said,) = endpoints.server.session.customer_said
    assert said.attachments == (Attached(ref=file["ref"], name="May.txt"),)
    again = await _ana(endpoints, last_seq=0)
    snapshot = await again.hear()
    SERVER_FRAMES.validate_json(orjson.dumps(snapshot))
    shown = {
        "from": "customer",
        "message_id": "m1",
        "text": "Is this right?",
        "attachments": files,
        "at": 1_000,
    }
    assert snapshot["messages"] == [shown]
    session: Any = endpoints.server.session
    assert transcript(session)["messages"] == [shown]
    assert [frame["message"] for frame in change_frames(session, session.entries)] == [shown]


async def test_a_message_with_a_file_needs_no_text(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)
    _, file = await endpoints.uploads("May.txt")

    assert (await _sends(ana, "m1", file["ref"], file["ref"]))["attachments"] == [
        {"ref": file["ref"], "name": "May.txt"}
    ]
    assert (await _sends(ana, "m2"))["code"] == "empty"


async def test_another_customers_or_a_missing_file_cannot_be_sent(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)
    _, bens = await endpoints.uploads("secret.txt", b"orchid", BEN)
    _, knowledge = await endpoints.operator("PUT", "/returns.md", "30 days")
    _, for_her = await endpoints.operator("PUT", "/offer.md?customer=ana", "For you")
    _, own = await endpoints.uploads("May.txt")

    for number, ref in enumerate(
        (bens["ref"], knowledge["ref"], for_her["ref"], "document:none", "result:c/t/c")
    ):
        refused = await _sends(ana, f"m{number}", own["ref"], ref, text="Look")
        assert (refused["type"], refused["code"]) == ("rejected", "unknown_file")
        assert "secret" not in orjson.dumps(refused).decode()
    assert endpoints.server.session.customer_said == []


async def test_an_accepted_message_is_accepted_again_when_its_file_is_gone(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)
    _, file = await endpoints.uploads("May.txt")
    first = await _sends(ana, "m1", file["ref"])
    await endpoints.asks("DELETE", f"/v1/uploads/{file['ref']}", endpoints.token())

    assert await _sends(ana, "m1", file["ref"]) == first
    assert (await _sends(ana, "m2", file["ref"]))["code"] == "unknown_file"


async def test_while_files_cannot_be_read_the_message_may_be_sent_again(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)
    _, file = await endpoints.uploads("May.txt")
    endpoints.keeper.away = True
    assert (await _sends(ana, "m1", file["ref"]))["code"] == "busy"

    endpoints.keeper.away = False
    assert (await _sends(ana, "m1", file["ref"]))["type"] == "accepted"


async def test_an_expired_file_is_not_sent(endpoints: FileEndpoints) -> None:
    _, file = await endpoints.uploads("May.txt")
    endpoints.server.clock.advance(90 * 24 * 3600)
    ana = await _ana(endpoints)

    assert (await _sends(ana, "m1", file["ref"]))["code"] == "unknown_file"


async def test_too_many_files_make_the_message_invalid(endpoints: FileEndpoints) -> None:
    ana = await _ana(endpoints)

    assert (await _sends(ana, "m1", *(f"document:{n}" for n in range(MOST_FILES + 1))))["code"] == "bad_frame"
