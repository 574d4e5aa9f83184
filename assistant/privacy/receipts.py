"""Receipts: a signed proof of one tool call and of the customer's consent to it, complete in one file.

A receipt is a JSON document made from the log alone. It holds the disclosure, the question as the customer
got it, the answer word for word, how and by which rules the answer was read, the approval of staff if the call
needed one, the call's arguments, its idempotency key and its outcome. Three things make it verifiable without
the log:

* It contains the entries behind these facts, and a hash of each other entry between them. Each link of the
chain is a hash of the link before and of its entry; ``before`` is the hash of everything earlier.

* An Ed25519 signature covers the whole document. The key is derived from the installation's secret.

* The file has one canonical form. With any other byte, even white space, verification fails.

The same call gives the same bytes each time. So when the log is erased, a *commitment* can stay: a salted hash
of the document, which proves that a receipt is genuine and by itself reveals nothing.
"""

import asyncio
import hashlib
import hmac
import tomllib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.codec import from_json, to_json
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    ApprovalDecided,
    ApprovalRequested,
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    Logged,
    MessageClosed,
    MessageText,
    TurnStarted,
)
from assistant.conversation.outcomes import outcome_name
from assistant.conversation.snapshots import THINNERS
from assistant.conversation.values import Json
from assistant.errors import AssistantError
from assistant.store.storage import StoredBundle

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


FORMAT: Final = "meanwhile-receipt/1"

_Kind = TypeVar("_Kind", bound=Entry)


class ReceiptError(AssistantError):
    """A receipt cannot be made, or a file is not a genuine receipt. The message gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What the customer was told about talking to a machine, and the version of the prompts that contains it."""

    text: str
    bundle: str


class ReceiptSigner:
    """Makes receipts. The signature key and the salts are derived from the installation's secret.

    Args:
        secret: the installation's secret.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    @property
    def public_key(self) -> str:
        """The public key for verification, as 64 hexadecimal digits. Publish it."""
        return self._key().public_key().public_bytes_raw().hex()

    def receipt(
        self,
        entries: Sequence[Logged],
        key: ConversationKey,
        call_key: str,
        disclosed: Callable[[TurnStarted, str], Disclosure | None],
    ) -> bytes:
        """The receipt of one call, as the bytes of a file.

        Args:
            entries: the whole log of the conversation.
            key: the conversation.
            call_key: the call's idempotency key, ``<conversation>/<turn>/<call>``; a part after ``~`` may be
                left out.
            disclosed: returns the disclosure for a turn and a locale; None if it is no longer known.

        Raises:
            ReceiptError: the conversation has no such call.
        """
        kept = [_stable(logged, key.conversation) for logged in entries]
        call_key = _whole_key(kept, call_key)
        evidence = _evidence(kept, call_key)
        first, last = evidence[0].seq, evidence[-1].seq
        held = {logged.seq for logged in evidence}
        hashes = [_hash(logged) for logged in kept]
        document: dict[str, Json] = {
            "format": FORMAT,
            "tenant": key.tenant,
            "customer": key.customer,
            **_facts(evidence, call_key),
            "disclosure": _disclosure(evidence, disclosed),
            "chain": {
                "before": _link(b"", hashes[: first - 1]).hex(),
                "entries": [
                    to_json(logged)
                    if logged.seq in held
                    else {"seq": logged.seq, "sha256": hashes[logged.seq - 1].hex()}
                    for logged in kept[first - 1 : last]
                ],
                "head": _link(b"", hashes[:last]).hex(),
            },
            "salt": self._derived(call_key.encode()).hex(),
            "public_key": self.public_key,
        }
        return self.signed(document)

    def signed(self, document: Mapping[str, Json]) -> bytes:
        """A document with its signature, in the canonical form."""
        return _canonical({**document, "signature": self._key().sign(_canonical(document)).hex()})

    def _key(self) -> "Ed25519PrivateKey":
        # A server makes no receipts, so it should not load the library for them.
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._derived(b"signature"))

    def _derived(self, purpose: bytes) -> bytes:
        return hmac.digest(self._secret, b"meanwhile receipt " + purpose, "sha256")


def read_receipt(file: bytes) -> Mapping[str, Any]:
    """Verify a receipt's file, using only the file, and return its content.

    The signature proves that the owner of the private key wrote it: compare ``public_key`` with the key that
    the company published.

    Raises:
        ReceiptError: it is no receipt, or one byte of it has changed; the message gives the reason.
    """
    try:
        document: dict[str, Any] = orjson.loads(file)
        signature, public = bytes.fromhex(document["signature"]), bytes.fromhex(document["public_key"])
        known = document["format"] == FORMAT
    except (ValueError, KeyError, TypeError) as error:
        raise ReceiptError(f"this is no receipt: {error!r}") from error
    if not known:
        raise ReceiptError(f"its format is {document['format']!r}; this release reads {FORMAT!r}")
    if _canonical(document) != file:
        raise ReceiptError("it is not written as it was signed")
    _check_signature(document, public, signature)
    _check_content(document)
    return document


def commitment(file: bytes) -> bytes:
    """What stays of a receipt after an erasure: a salted hash, 32 bytes."""
    salt = bytes.fromhex(orjson.loads(file)["salt"])
    return hashlib.sha256(salt + hashlib.sha256(file).digest()).digest()


def confirmed_calls(entries: Sequence[Logged]) -> list[str]:
    """The idempotency keys of the calls that ran after a customer's yes, oldest first."""
    asked = {
        (call.tool, _canonical(call.arguments))
        for logged in entries
        if isinstance(logged.entry, ConfirmationAsked)
        for call in logged.entry.calls
    }
    requested = {
        (logged.turn_id, logged.entry.call.id): logged.entry.call
        for logged in entries
        if isinstance(logged.entry, CallRequested)
    }
    started = [(logged.turn_id, logged.entry) for logged in entries if isinstance(logged.entry, CallStarted)]
    return [
        entry.idempotency_key
        for turn_id, entry in started
        if (call := requested.get((turn_id, entry.call_id))) is not None
        and (call.tool, _canonical(call.arguments)) in asked
    ]


def _stable(logged: Logged, conversation: str) -> Logged:
    """The entry without its data that expire, so that its hash never changes."""
    entry = logged.entry
    for kind, thin in THINNERS.values():
        if isinstance(entry, kind):
            entry = thin(conversation, logged.turn_id, entry)
    return logged if entry is logged.entry else replace(logged, entry=entry)


def _whole_key(entries: Sequence[Logged], call_key: str) -> str:
    """The key of the call that ran, with the number after ``~`` that it has after an erasure or a restore."""
    keys = [one.entry.idempotency_key for one in entries if isinstance(one.entry, CallStarted)]
    return next((key for key in keys if call_key in (key, key.partition("~")[0])), call_key)


def _evidence(entries: Sequence[Logged], call_key: str) -> list[Logged]:
    """The entries that prove the consent and the action, in order."""
    started = next(
        (
            one
            for one in entries
            if isinstance(one.entry, CallStarted) and one.entry.idempotency_key == call_key
        ),
        None,
    )
    if started is None or not isinstance(started.entry, CallStarted):
        known = ", ".join(one.entry.idempotency_key for one in entries if isinstance(one.entry, CallStarted))
        raise ReceiptError(f"no call {call_key!r} ran in this conversation; these did: {known or 'none'}")
    call_id, turn = started.entry.call_id, started.turn_id
    requested = next(
        one
        for one in entries
        if one.turn_id == turn and isinstance(one.entry, CallRequested) and one.entry.call.id == call_id
    )
    ended = [
        one
        for one in entries
        if one.turn_id == turn and isinstance(one.entry, CallEnded) and one.entry.outcome.call.id == call_id
    ]
    approval = [
        one
        for one in entries
        if one.turn_id == turn
        and isinstance(one.entry, ApprovalRequested | ApprovalDecided)
        and one.entry.call_id == call_id
    ]
    found = [requested, started, *ended[:1], *approval, *_consent(entries, requested, started.seq)]
    return sorted(found, key=lambda one: one.seq)


def _consent(entries: Sequence[Logged], requested: Logged, before: int) -> list[Logged]:
    """The question about this call, its delivery, and the answer to it; empty if there was no question."""
    assert isinstance(requested.entry, CallRequested)  # noqa: S101 - for the type checker
    call = requested.entry.call
    past = [one for one in entries if one.seq < before]
    answers = {
        one.entry.confirmation_id: one
        for one in past
        if isinstance(one.entry, ConfirmationAnswered) and one.entry.answer == "yes"
    }
    for asked in reversed(past):
        if not isinstance(asked.entry, ConfirmationAsked) or not _asks_for(asked.entry, call):
            continue
        answered = answers.get(asked.entry.confirmation_id)
        if answered is None:
            continue
        turn = next(
            one for one in past if isinstance(one.entry, TurnStarted) and one.turn_id == answered.turn_id
        )
        assert isinstance(turn.entry, TurnStarted)  # noqa: S101
        answer = next(
            one
            for one in past
            if isinstance(one.entry, CustomerMessage) and one.entry.message_id == turn.entry.message_id
        )
        return [*_question(past, asked, answered.seq), answer, turn, answered]
    return []


def _asks_for(asked: ConfirmationAsked, call: Call) -> bool:
    return any(one.tool == call.tool and one.arguments == call.arguments for one in asked.calls)


def _question(past: Sequence[Logged], asked: Logged, before: int) -> list[Logged]:
    """The text of the read-back, how far it was delivered before the answer, and the entry of the question."""
    closed = [
        one.entry.message_id
        for one in past
        if one.seq < asked.seq and one.turn_id == asked.turn_id and isinstance(one.entry, MessageClosed)
    ]
    message = closed[-1] if closed else ""
    said = [
        one
        for one in past
        if isinstance(one.entry, MessageText | MessageClosed | DeliveryReceipt)
        and one.entry.message_id == message
        and one.seq < before
    ]
    return [*said, asked]


def _facts(evidence: Sequence[Logged], call_key: str) -> dict[str, Json]:
    """The receipt in plain words: everything in them can also be read from the entries."""
    requested, started = _only(evidence, CallRequested), _only(evidence, CallStarted)
    assert requested is not None  # noqa: S101 - an evidence always has both
    assert started is not None  # noqa: S101
    ended = _only(evidence, CallEnded)
    arguments = started.arguments if started.arguments is not None else requested.call.arguments
    return {
        "call": {
            "tool": started.tool,
            "arguments": dict(arguments),
            "idempotency_key": call_key,
            "started_at_ms": _at(evidence, CallStarted),
        },
        "outcome": None
        if ended is None
        else {
            "kind": outcome_name(ended.outcome),
            "late": ended.late,
            "recorded_at_ms": _at(evidence, CallEnded),
        },
        "consent": _consent_facts(evidence),
        **_approval_facts(evidence),
    }


def _approval_facts(evidence: Sequence[Logged]) -> dict[str, Json]:
    """Who of the staff approved the call, and what; nothing if it needed no approval."""
    requested, decided = _only(evidence, ApprovalRequested), _only(evidence, ApprovalDecided)
    if requested is None or decided is None:
        return {}
    return {
        "approval": {
            "rule": requested.rule,
            "arguments": dict(requested.arguments),
            "requested_at_ms": _at(evidence, ApprovalRequested),
            "decision": decided.decision,
            "account": decided.account,
            "name": decided.name,
            "why": decided.why,
            "decided_at_ms": _at(evidence, ApprovalDecided),
        }
    }


def _consent_facts(evidence: Sequence[Logged]) -> Json:
    asked, said = _only(evidence, ConfirmationAsked), _only(evidence, CustomerMessage)
    answered = _only(evidence, ConfirmationAnswered)
    if asked is None or said is None or answered is None:
        return None
    text = "".join(one.entry.text for one in evidence if isinstance(one.entry, MessageText))
    delivered = [one.entry for one in evidence if isinstance(one.entry, DeliveryReceipt)]
    reached = {how: max((one.up_to for one in delivered if one.how == how), default=0) for how in _HOW}
    spoken = any(one.how == "heard" for one in delivered)
    return {
        "question": {
            "text": text,
            "read_back": asked.read_back,
            "characters": len(text),
            "delivered": "heard" if spoken else "shown",
            "heard_up_to": reached["heard"] if spoken else None,
            "seen_up_to": reached["seen"],
            "sent_up_to": reached["sent"],
            "asked_at_ms": _at(evidence, ConfirmationAsked),
            "attempt": asked.attempt,
        },
        "answer": {
            "text": said.text,
            "button": said.button,
            "spoken": said.spoken,
            "locale": said.locale,
            "at_ms": _at(evidence, CustomerMessage),
        },
        "read_as": {
            "answer": answered.answer,
            "agreed": list(answered.agreed_call_ids),
            "rules": answered.rules_version,
        },
    }


_HOW: Final = ("sent", "seen", "heard")


def _disclosure(
    evidence: Sequence[Logged], disclosed: Callable[[TurnStarted, str], Disclosure | None]
) -> Json:
    turn, said = _only(evidence, TurnStarted), _only(evidence, CustomerMessage)
    found = disclosed(turn, said.locale) if turn is not None and said is not None else None
    return None if found is None else {"text": found.text, "bundle": found.bundle}


def _check_signature(document: Mapping[str, Any], public: bytes, signature: bytes) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    signed = {name: value for name, value in document.items() if name != "signature"}
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _canonical(signed))
    except (InvalidSignature, ValueError) as error:
        raise ReceiptError("its signature does not fit: something was changed after it was signed") from error


def _check_content(document: Mapping[str, Any]) -> None:
    """Check the hash chain, and that the plain words agree with the entries. Raises ``ReceiptError``."""
    try:
        chain = document["chain"]
        held = [from_json(one) for one in chain["entries"] if "entry" in one]
        hashes = [
            _hash(from_json(one)) if "entry" in one else bytes.fromhex(one["sha256"])
            for one in chain["entries"]
        ]
        numbers = [one["seq"] for one in chain["entries"]]
        head = _link(bytes.fromhex(chain["before"]), hashes).hex()
        facts = _facts(held, document["call"]["idempotency_key"])
        plain = {name: document[name] for name in facts}
        plain |= {name: document[name] for name in ("approval",) if name in document}
    except (AssistantError, AssertionError, KeyError, TypeError, ValueError) as error:
        raise ReceiptError(f"its content cannot be read: {error!r}") from error
    if head != chain["head"] or any(after != before + 1 for before, after in pairwise(numbers)):
        raise ReceiptError("its chain of entries is broken")
    if orjson.loads(_canonical(facts)) != plain:
        raise ReceiptError("its summary does not say what its entries say")


def _only(evidence: Sequence[Logged], kind: type[_Kind]) -> _Kind | None:
    return next((one.entry for one in evidence if isinstance(one.entry, kind)), None)


def _at(evidence: Sequence[Logged], kind: type[Entry]) -> int:
    return next(one.at_ms for one in evidence if isinstance(one.entry, kind))


def _hash(logged: Logged) -> bytes:
    return hashlib.sha256(_canonical(to_json(logged))).digest()


def _link(before: bytes, hashes: Sequence[bytes]) -> bytes:
    """The chain's last link: each link is the hash of the previous link and of an entry's hash."""
    link = before
    for each in hashes:
        link = hashlib.sha256(link + each).digest()
    return link


def _canonical(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2, default=dict) + b"\n"


_VOICE = "voice.toml"


@dataclass(frozen=True, slots=True)
class ReceiptMaker:
    """Makes receipts from a log to which a server may write.

    Args:
        read: returns all entries of a conversation.
        bundle: returns the bundle of this tenant with this name; None if it was not stored.
        signer: the installation's signer.
    """

    read: Callable[[ConversationKey], Awaitable[Sequence[Logged]]]
    bundle: Callable[[str, str], Awaitable[StoredBundle | None]]
    signer: ReceiptSigner

    async def of_call(self, key: ConversationKey, call_key: str) -> bytes:
        """The receipt of one call, as the bytes of a file. Raises ``ReceiptError`` if there is no such call."""
        entries = await self.read(key)
        return self.signer.receipt(entries, key, call_key, await self._disclosures(key.tenant, entries))

    async def commitments(self, key: ConversationKey) -> list[bytes]:
        """What stays after an erasure of this conversation: one commitment for each call that ran after a yes."""
        entries = await self.read(key)
        disclosed = await self._disclosures(key.tenant, entries)

        def made() -> list[bytes]:
            return [
                commitment(self.signer.receipt(entries, key, call_key, disclosed))
                for call_key in confirmed_calls(entries)
            ]

        return await asyncio.to_thread(made)

    async def _disclosures(
        self, tenant: str, entries: Sequence[Logged]
    ) -> Callable[[TurnStarted, str], Disclosure | None]:
        """A function that returns the disclosure for a turn and a locale."""
        names = {one.entry.bundle for one in entries if isinstance(one.entry, TurnStarted)}
        bundles = {name: await self.bundle(tenant, name) for name in names}

        def disclosed(turn: TurnStarted, locale: str) -> Disclosure | None:
            kept = bundles[turn.bundle]
            text = _disclosure_text(kept.prompts.get(_VOICE, ""), locale) if kept is not None else ""
            return Disclosure(text=text, bundle=turn.bundle) if text else None

        return disclosed


def _disclosure_text(voice: str, locale: str) -> str:
    """The disclosure in a version of ``voice.toml`` for a locale; "" if it cannot be read."""
    try:
        found: Mapping[str, Any] = tomllib.loads(voice)
        own = found.get("locales", {}).get(locale.partition("-")[0], {})
        return str(own.get("disclosure") or found.get("disclosure") or "")
    except (ValueError, AttributeError):
        return ""
