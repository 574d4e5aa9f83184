"""``assistant receipt``: proves from the log what a customer agreed to, and verifies such a proof."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from assistant.assembly.storage import open_conversations
from assistant.commands.logging import set_up_logging
from assistant.commands.record import find_conversation
from assistant.conversation.customer import ConversationKey
from assistant.errors import DeclarationError
from assistant.privacy.receipts import ReceiptError, ReceiptMaker, ReceiptSigner, commitment, read_receipt
from assistant.settings import Settings
from assistant.tenants import load_settings

ENDING = ".receipt.json"


def make(call: str, out: Path | None) -> None:
    """Write the receipt of a call, and print what it proves.

    Raises:
        typer.BadParameter: there is no such conversation; the file exists.
        AssistantError: the conversation has no such call, or the log cannot be read.
    """
    set_up_logging("ERROR")
    conversation, slash, rest = call.removeprefix("result:").partition("/")
    if not slash or rest.count("/") != 1:
        raise typer.BadParameter(
            f"{call!r} is no call; write CONVERSATION/TURN/CALL, such as 'last/t2/c1.1': it is the idempotency key "
            "that the tool was given",
            param_hint="CALL_ID",
        )
    key, file = asyncio.run(_made(conversation, rest, load_settings()))
    path = out or Path(f"{key.conversation}-{rest.replace('/', '-')}{ENDING}")
    if path.exists() and path.read_bytes() != file:
        raise typer.BadParameter(f"{path} exists and is another receipt", param_hint="-o")
    path.touch(mode=0o600)
    path.write_bytes(file)
    _say(read_receipt(file))
    typer.echo(
        f"Written to {path}. It is as private as the conversation. Next: assistant receipt verify {path}"
    )


def verify(path: Path) -> int:
    """Print whether the file is a genuine receipt, and what it proves; returns 1 if it is not.

    It needs no server, no log and no network. If this machine has a data folder, it also prints whose key it is
    and whether the conversation was erased since.
    """
    try:
        file = path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error}", param_hint="FILE") from error
    try:
        receipt = read_receipt(file)
    except ReceiptError as error:
        typer.echo(f"NOT GENUINE: {path}: {error}.", err=True)
        return 1
    typer.echo(f"Genuine: {path} is as it was signed, and its chain of entries holds.")
    _say(receipt)
    typer.echo(asyncio.run(_whose(receipt["public_key"], file, load_settings())))
    return 0


async def _made(conversation: str, call: str, settings: Settings) -> tuple[ConversationKey, bytes]:
    async with open_conversations(settings) as conversations:
        key = await find_conversation(conversation, conversations)
        secrets = await conversations.secrets()
        if secrets is None:
            raise DeclarationError(f"{conversations.where} has no secret: is ASSISTANT_DATA_DIR right?")
        receipts = ReceiptMaker(conversations.read, conversations.bundle, ReceiptSigner(secrets.current))
        return key, await receipts.of_call(key, f"{key.conversation}/{call}")


async def _whose(public_key: str, file: bytes, settings: Settings) -> str:
    try:
        async with open_conversations(settings) as conversations:
            secrets = await conversations.secrets()
            erased = await conversations.erased_at(commitment(file))
    except DeclarationError:  # there is no installation here
        secrets = erased = None
    if secrets is None:
        return f"Signed with the key {public_key}: compare it with the one that the company published."
    told = f" The conversation was erased on {_time(erased)}; its commitment fits." if erased else ""
    if ReceiptSigner(secrets.current).public_key == public_key:
        return f"Signed with this installation's key {public_key}.{told}"
    before = [ReceiptSigner(secret).public_key for secret in secrets.accepted[1:]]
    if public_key in (*before, *secrets.retired_keys):
        return f"Signed with an earlier key of this installation, {public_key}.{told}"
    return f"Signed with the key {public_key}, which is not this installation's."


def _say(receipt: Mapping[str, Any]) -> None:
    call, outcome, consent = receipt["call"], receipt["outcome"], receipt["consent"]
    typer.echo(f"Call:     {call['tool']} {call['arguments']}, started {_time(call['started_at_ms'])}")
    if consent is None:
        typer.echo("Consent:  no question was asked before this call")
    else:
        question, answer = consent["question"], consent["answer"]
        how = question["delivered"]
        if how == "heard":
            how = f"heard up to character {question['heard_up_to']} of {question['characters']}"
        typer.echo(f"Question: {question['text']} ({how}, {_time(question['asked_at_ms'])})")
        by = "by button" if answer["button"] else "spoken" if answer["spoken"] else "written"
        typer.echo(f"Answer:   {answer['text']!r} ({by}, {_time(answer['at_ms'])})")
    if (approval := receipt.get("approval")) is not None:
        why = f", {approval['why']!r}" if approval["why"] else ""
        rule = f" (because {approval['rule']})" if approval["rule"] else ""
        at = _time(approval["decided_at_ms"])
        typer.echo(f"Approval: {approval['decision']} by {approval['name']}{rule}{why}, {at}")
    typer.echo(f"Outcome:  {outcome['kind'] if outcome else 'not recorded yet'}")


def _time(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
