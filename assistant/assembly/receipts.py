"""Receipts from the log's file, with the disclosure from the prompts that the conversation is on."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import TurnStarted
from assistant.receipts import Disclosure, ReceiptSigner, commitment, writes_in
from assistant.store.data_folder import read_secret
from assistant.store.log_reader import LogReader

_VOICE = "voice.toml"


@dataclass(frozen=True, slots=True)
class Receipts:
    """Makes receipts from a log that a server may be writing to.

    Args:
        log: the log's file.
        signer: the installation's.
    """

    log: Path
    signer: ReceiptSigner

    def of_call(self, key: ConversationKey, call_key: str) -> bytes:
        """The receipt of one call, as the bytes of a file. Raises ``ReceiptError`` when there is no such call."""
        with LogReader(self.log) as reader:
            return self._receipt(reader, key, call_key)

    def commitments(self, key: ConversationKey) -> list[bytes]:
        """What an erasure of this conversation is to leave: one commitment for each call that ran on a yes."""
        with LogReader(self.log) as reader:
            return [
                commitment(self._receipt(reader, key, call_key)) for call_key in writes_in(reader.read(key))
            ]

    def _receipt(self, reader: LogReader, key: ConversationKey, call_key: str) -> bytes:
        def disclosed(turn: TurnStarted, locale: str) -> Disclosure | None:
            kept = reader.bundle(turn.bundle)
            text = _disclosure(kept.prompts.get(_VOICE, ""), locale) if kept is not None else ""
            return Disclosure(text=text, bundle=turn.bundle) if text else None

        return self.signer.receipt(reader.read(key), key, call_key, disclosed)


def receipts_in(data_dir: Path) -> Receipts | None:
    """The receipts of a data folder; None for one without a secret, which has never given any."""
    if not (data_dir / "secret").is_file():
        return None
    return Receipts(data_dir / "log.db", ReceiptSigner(read_secret(data_dir)))


def _disclosure(voice: str, locale: str) -> str:
    """The disclosure that a version of ``voice.toml`` has for a locale; "" where it cannot be read."""
    try:
        found: Mapping[str, Any] = tomllib.loads(voice)
        own = found.get("locales", {}).get(locale.partition("-")[0], {})
        return str(own.get("disclosure") or found.get("disclosure") or "")
    except (ValueError, AttributeError):
        return ""
