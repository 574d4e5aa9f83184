"""``assistant receipt``, as an operator calls it: made from the log, verified anywhere, proved after an erasure."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.privacy.receipts import ReceiptSigner
from assistant.store.keyring import InstallationSecret
from assistant.store.sqlite.bundles import SqliteBundles
from assistant.store.sqlite.log import SqliteLog
from assistant.store.storage import StoredBundle

KEY = ConversationKey(tenant="demo", customer="ana", conversation="0198-abc")
ASKED = Call(id="c1.1", tool="cancel_order", arguments={"order_number": "10455"})
READ_BACK = "Shall I cancel order 10455, sunglasses?"
SAID: tuple[tuple[str, Entry], ...] = (
    ("", CustomerMessage(message_id="u1", client_message_id="m1", text="Cancel my sunglasses")),
    ("t1", TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b1")),
    ("t1", MessageOpened(message_id="t1/m1", round=1)),
    ("t1", MessageText(message_id="t1/m1", text=READ_BACK)),
    ("t1", MessageClosed(message_id="t1/m1", kind="response")),
    ("t1", ConfirmationAsked(confirmation_id="t1/q", calls=(ASKED,), read_back=READ_BACK, expires_at_ms=9)),
    ("t1", TurnEnded(turn_id="t1", how="awaiting_confirmation")),
    ("", CustomerMessage(message_id="u2", client_message_id="m2", text="yes please")),
    ("t2", TurnStarted(turn_id="t2", message_id="u2", cause="confirmation", bundle="b1")),
    ("t2", ConfirmationAnswered(confirmation_id="t1/q", answer="yes", rules_version="r7")),
    ("t2", CallRequested(call=ASKED)),
    ("t2", CallStarted(call_id="c1.1", tool="cancel_order", idempotency_key="0198-abc/t2/c1.1")),
    ("t2", CallEnded(outcome=CallSucceeded(call=ASKED, value={"number": "10455"}))),
    ("t2", TurnEnded(turn_id="t2", how="answered")),
)
VOICE = 'disclosure = "You are talking to an automated assistant."\n'


@pytest.fixture(autouse=True)
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command is called in a folder with a log in which an order was cancelled."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secret").write_text("a secret of this installation\n")
    log = SqliteLog(tmp_path / "data" / "log.db")
    await log.append(
        KEY, [Logged(seq, 1_767_268_800_000 + seq, *said) for seq, said in enumerate(SAID, start=1)]
    )
    await log.close()
    await SqliteBundles(tmp_path / "data" / "log.db").keep(
        "demo", StoredBundle(bundle="b1", kept_ms=1, tools="t", prompts={"voice.toml": VOICE})
    )
    return tmp_path


async def run(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, list(words))


async def test_it_is_made_from_the_log_and_says_what_it_proves(folder: Path) -> None:
    made = await run("receipt", "last/t2/c1.1", "-o", "order.receipt.json")

    assert made.exit_code == 0, made.output
    assert READ_BACK in made.output
    assert "'yes please' (written, 2026-01-01 12:00:00 UTC)" in made.output
    assert "Outcome:  ok" in made.output
    assert (folder / "order.receipt.json").stat().st_mode & 0o077 == 0
    text = (folder / "order.receipt.json").read_text()
    assert '"rules": "r7"' in text
    assert "You are talking to an automated assistant." in text


async def test_it_is_verified_without_the_log(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await run("receipt", "0198-abc/t2/c1.1", "-o", "order.receipt.json")
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(folder / "elsewhere"))

    genuine = await run("receipt", "verify", "order.receipt.json")
    file = folder / "order.receipt.json"
    file.write_bytes(file.read_bytes().replace(b"yes please", b"yes pleasE"))
    altered = await run("receipt", "verify", "order.receipt.json")

    assert genuine.exit_code == 0
    assert "Genuine" in genuine.output
    assert "compare it with the one that the company published" in genuine.output
    assert altered.exit_code == 1
    assert "NOT GENUINE" in altered.output
    assert not (folder / "elsewhere").exists()


async def test_a_receipt_of_an_earlier_secret_still_verifies(folder: Path) -> None:
    await run("receipt", "last/t2/c1.1", "-o", "order.receipt.json")
    file = folder / "data" / "secret"
    rotated = InstallationSecret.parse(file.read_text()).rotated(
        "another secret, made later on by an operator", 1
    )
    for now in (rotated, rotated.finished(lambda secret: ReceiptSigner(secret).public_key, [])):
        file.write_text(now.text)
        verified = await run("receipt", "verify", "order.receipt.json")
        assert verified.exit_code == 0
        assert "Signed with an earlier key of this installation, " in verified.stdout
    file.write_text("a secret that this installation never had\n")
    verified = await run("receipt", "verify", "order.receipt.json")
    assert "which is not this installation's" in verified.stdout


async def test_an_erasure_leaves_a_commitment_and_no_words(folder: Path) -> None:
    await run("receipt", "last/t2/c1.1", "-o", "order.receipt.json")

    erased = await run("customer", "erase", "ana", "--yes")
    verified = await run("receipt", "verify", "order.receipt.json")

    assert erased.exit_code == 0, erased.output
    assert "this installation's key" in verified.output
    assert "The conversation was erased on" in verified.output
    assert b"10455" not in (folder / "data" / "log.db").read_bytes()


async def test_a_missing_call_or_conversation_is_reported(folder: Path) -> None:
    for words, told in (
        (
            ["last/t2/c9.9"],
            "no call '0198-abc/t2/c9.9' ran in this conversation; these did: 0198-abc/t2/c1.1",
        ),
        (["c1.1"], "write CONVERSATION/TURN/CALL"),
        (["nowhere/t1/c1.1"], "there is none that begins with 'nowhere'"),
        (["verify"], "which receipt?"),
        (["verify", "missing.json"], "cannot be read"),
    ):
        result = await run("receipt", *words)
        assert result.exit_code != 0
        assert told in result.output + str(result.exception), (words, result.output)
