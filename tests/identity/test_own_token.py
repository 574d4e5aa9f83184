"""An imported API with a token for each user, served: each customer reaches only their own data."""

import asyncio
from pathlib import Path

import aiohttp
import pytest
import structlog

from assistant.commands.logging import set_up_logging
from assistant.commands.record import RecordOptions, record
from tests.identity.conftest import OPERATOR, Running, imported, running, site_token
from tests.identity.hotel import TOKENS, Hotel
from tests.support.fake_model import openai_events
from tests.support.fake_model.replies import Reply, streams

ANA, BEN = TOKENS
CANARIES = (*TOKENS, "canary-claim-gold-3Z")

LIST = streams(openai_events.decision("list_reservations"))
PROFILE = streams(openai_events.decision("get_profile"))


def says(text: str) -> Reply:
    return streams(openai_events.answer(text))


@pytest.fixture
async def tools(hotel: Hotel, hotel_at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEASIDE_URL", hotel_at)
    return imported(hotel, tmp_path)


async def test_everyone_reaches_their_own_data_and_a_visitor_nothing(
    tools: Path, hotel: Hotel, tmp_path: Path
) -> None:
    replies = (LIST, says("You would have to sign in."), LIST, says("One."), LIST, says("One."))
    async with running(tools, tmp_path / "data", *replies) as served:
        visitor, _ = await served.guest()
        denied = await served.turn(visitor, "Show me my reservations")
        assert (denied, hotel.seen) == ([("denied", None)], [])

        ana, welcome = await served.guest(user=site_token("ana", ANA))
        assert 0 < welcome["credential"]["expires_in_s"] <= 300
        [(how, found)] = await served.turn(ana, "Show me my reservations")
        assert (how, [one["room"] for one in found]) == ("ok", ["Sea view"])

        ben, _ = await served.guest(user=site_token("ben", BEN))
        [(how, found)] = await served.turn(ben, "Show me my reservations")
        assert (how, [one["room"] for one in found]) == ("ok", ["Garden"])
        assert hotel.seen == [f"Bearer {ANA}", f"Bearer {BEN}"]


async def test_two_concurrent_customers_never_get_each_others_data(
    tools: Path, hotel: Hotel, tmp_path: Path
) -> None:
    async with running(tools, tmp_path / "data", *[LIST] * 2, *[says("One.")] * 2) as served:
        ana, _ = await served.guest(user=site_token("ana", ANA))
        ben, _ = await served.guest(user=site_token("ben", BEN))

        heard = await asyncio.gather(served.turn(ana, "my reservations"), served.turn(ben, "my reservations"))

        rooms = [[one["room"] for one in ended[0][1]] for ended in heard]
        assert rooms == [["Sea view"], ["Garden"]]
        assert sorted(hotel.seen) == sorted([f"Bearer {ANA}", f"Bearer {BEN}"])


async def test_no_token_means_no_request_and_a_clear_sentence(
    tools: Path, hotel: Hotel, tmp_path: Path
) -> None:
    async with running(tools, tmp_path / "data", LIST, says("Please sign in."), LIST, says("One.")) as served:
        ana, welcome = await served.guest(user=site_token("ana"))
        assert welcome["credential"] == {"expires_in_s": 0}
        ended = await served.turn(ana, "Show me my reservations")
        assert (ended, hotel.seen) == ([("denied", None)], [])
        told = str(served.model.received[-1].body)
        assert "acts with the customer's own sign-in, and there is none, or it has expired" in told

        await ana.say(type="identity", user=site_token("ana", ANA))
        renewed = await ana.hear()
        assert renewed["type"] == "identity.renewed"
        assert renewed["credential"]["expires_in_s"] > 0
        assert (await served.turn(ana, "And now?"))[0][0] == "ok"


async def test_a_token_that_the_system_refuses_is_denied_too(
    tools: Path, hotel: Hotel, tmp_path: Path
) -> None:
    async with running(tools, tmp_path / "data", PROFILE, says("Please sign in again.")) as served:
        ana, _ = await served.guest(user=site_token("ana", "revoked-token-42"))

        assert await served.turn(ana, "Who am I?") == [("denied", None)]
        assert hotel.seen == ["Bearer revoked-token-42"]
        assert "revoked-token-42" not in str(served.model.received[-1].body)


async def test_no_other_customer_can_renew_it(tools: Path, tmp_path: Path) -> None:
    async with running(tools, tmp_path / "data") as served:
        ana, _ = await served.guest(user=site_token("ana", ANA))
        visitor, welcome = await served.guest()
        assert "credential" not in welcome
        used = site_token("ana", ANA)
        for client, token, code in (
            (ana, site_token("ben", BEN), "user_refused"),
            (visitor, site_token("ana", ANA), "user_refused"),
            (ana, used, None),
            (ana, used, "user_replayed"),
            (ana, "nonsense", "user_refused"),
        ):
            await client.say(type="identity", user=token)
            frame = await client.hear()
            assert frame["type"] == ("error" if code else "identity.renewed"), frame
            assert frame.get("code") == code


async def test_it_survives_a_restart_in_an_encrypted_file(tools: Path, hotel: Hotel, tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with running(tools, data, LIST, says("One.")) as served:
        ana, _ = await served.guest(user=site_token("ana", ANA))
        await served.turn(ana, "Show me my reservations")
        token = ana.token
    async with running(tools, data, LIST, says("One.")) as served:
        ana, welcome = await served.guest(token=token)
        assert welcome["credential"]["expires_in_s"] > 0
        assert (await served.turn(ana, "Once more"))[0][0] == "ok"
        assert hotel.seen == [f"Bearer {ANA}"] * 2
        await served.assistant.customers.erase("demo", "ana")
    async with running(tools, data) as served:
        assert stored(data) == 0


def stored(data: Path) -> int:
    import sqlite3

    with sqlite3.connect(data / "credentials.db") as file:
        return int(file.execute("SELECT count(*) FROM credentials").fetchone()[0])


async def test_no_store_and_no_output_contains_it(
    tools: Path,
    hotel: Hotel,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The hotel repeats the token in an answer, and a tool raises with it."""
    data = tmp_path / "data"
    (tools / "careless.py").write_text(
        '"""Careless."""\n'
        "from assistant import ToolContext, tool\n\n\n"
        '@tool(waiting_hint="checking your points", credential=True)\n'
        "async def check_points(context: ToolContext) -> str:\n"
        '    """Check the points."""\n'
        "    held = context.credential\n"
        '    context.log.warning("asking", token=held.token, held=held)\n'
        "    raise RuntimeError(f\"{held.token} {held.claims['plan']} is not liked\")\n"
    )
    both = streams(openai_events.decision("get_profile", "check_points"))
    set_up_logging("DEBUG")
    try:
        async with running(tools, data, both, says("You are Ana.")) as served:
            said = site_token("ana", ANA, claims={"plan": CANARIES[2]})
            ana, _ = await served.guest(user=said)
            ended = await served.turn(ana, "Who am I, and how many points do I have?")
            assert dict(ended) == {"ok": {"guest": "ana", "session": "Bearer [secret]"}, "failed": None}
            assert hotel.seen == [f"Bearer {ANA}"]
            await served.assistant.sessions.close()
            sinks = {
                "frames": str(ana.heard),
                "prompts": str([one.body for one in served.model.received]),
                "export": str(await served.assistant.customers.export("demo", "ana")),
                "operators": await _as_operator(served),
            }
        monkeypatch.setenv("ASSISTANT_DATA_DIR", str(data))
        monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(tools))
        options = RecordOptions(conversation="last", out=tmp_path / "ana.conversation.yaml", masked=False)
        await asyncio.to_thread(record, options)
    finally:
        structlog.reset_defaults()
    sinks["cassette"] = (tmp_path / "ana.conversation.yaml").read_text()
    sinks["files"] = b"".join(one.read_bytes() for one in data.rglob("*") if one.is_file()).decode("latin-1")
    told = capsys.readouterr()
    sinks["log"] = told.err + told.out

    assert "tool raised" in sinks["log"]
    assert "[get_profile ok]" in sinks["cassette"]  # replayed without any credential
    assert len(sinks["files"]) > 20_000
    assert [(place, one) for place, text in sinks.items() for one in CANARIES if one in text] == []


async def test_a_call_that_was_denied_is_replayed_as_denied(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    async with running(tools, data, LIST, says("Please sign in again.")) as served:
        ana, _ = await served.guest(user=site_token("ana"))
        await served.turn(ana, "Show me my reservations")
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(data))
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(tools))
    try:
        options = RecordOptions(conversation="last", out=tmp_path / "ana.conversation.yaml", masked=False)
        await asyncio.to_thread(record, options)
    finally:
        structlog.reset_defaults()

    cassette = (tmp_path / "ana.conversation.yaml").read_text()
    assert "credential: false" in cassette
    assert "[list_reservations denied]" in cassette


async def _as_operator(served: Running) -> str:
    address = f"http://127.0.0.1:{served.server.port}/v1/operators"
    headers = {"Authorization": f"Bearer {OPERATOR}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        told = ""
        for path in ("/customers/ana", "/conversations", "/handoffs"):
            async with http.get(address + path) as answer:
                told += await answer.text()
        return told
