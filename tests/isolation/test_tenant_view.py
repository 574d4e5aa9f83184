"""Through one tenant's view of the storage, nothing of another tenant is read or changed.

Ports and their methods are found by introspection: one that is added to ``Storage`` needs a case here.
"""

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.documents import Document
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.errors import OtherTenant
from assistant.ids import SystemIds
from assistant.jobs import Job
from assistant.store.sqlite_storage import open_sqlite_storage
from assistant.store.storage import Recording, Storage, StoredBundle
from assistant.store.tenant_view import view_of
from assistant.testing.virtual_time import VirtualClock

ANAS = ConversationKey(tenant="bank", customer="ana", conversation="c-1")
SAID = Logged(
    1, 1_000, "", CustomerMessage(message_id="m1", client_message_id="m1", text="orchid-4711", locale="en")
)
BUNDLE = StoredBundle(bundle="b1", kept_ms=1, tools="t", prompts={})
CREDENTIAL = CustomerCredential(token="a-long-credential", expires_ms=2**53)
FILE = Document(
    ref="document:anas", tenant="bank", customer="ana", kind="upload", title="note", text="orchid-4711"
)
RECORDING = Recording(Path("/recordings/anas.yaml"))

Ask = Callable[[Any], Awaitable[object]]

CASES: Mapping[str, Ask | str] = {
    "log.append": lambda log: log.append(ANAS, [replace(SAID, seq=2)]),
    "log.read": lambda log: log.read(ANAS),
    "log.conversations": lambda log: log.conversations("bank", "ana"),
    "log.unfinished": lambda log: log.unfinished(),
    "log.visitors": lambda log: log.visitors("bank", "ana"),
    "log.erase": lambda log: log.erase("bank", "ana"),
    "log.forget": lambda log: log.forget(2**53),
    "log.thin_out": lambda log: log.thin_out("chunks", 2**53),
    "log.erasures": "a number", "log.check_writable": "names no one", "log.close": "does nothing",
    "writes.add": lambda writes: writes.add(FILE, 1),
    "writes.next": lambda writes: writes.next(["upload"], 2**52),
    "writes.waiting": lambda writes: writes.waiting(),
    "writes.read": lambda writes: writes.read(1),
    "writes.get": lambda writes: writes.get("bank", "ana", FILE.ref),
    "writes.put_off": lambda writes: writes.put_off(1, "broken", None),
    "writes.remove": lambda writes: writes.remove(1),
    "writes.delete": lambda writes: writes.delete("bank", FILE.ref),
    "writes.erase": lambda writes: writes.erase("bank", "ana"),
    "writes.expire": "goes by each document's own time", "writes.close": "does nothing",
    "bundles.keep": lambda bundles: bundles.keep("bank", BUNDLE),
    "bundles.read": lambda bundles: bundles.read("bank", "b1"),
    "deliveries.delivered": lambda deliveries: deliveries.delivered(ANAS),
    "deliveries.note": lambda deliveries: deliveries.note(ANAS, 9),
    "deliveries.forget": lambda deliveries: deliveries.forget(ANAS),
    "deliveries.erase": lambda deliveries: deliveries.erase("bank", "ana"),
    "deliveries.all": lambda deliveries: deliveries.all(),
    "credentials.keep": lambda credentials: credentials.keep(ANAS, CREDENTIAL),
    "credentials.kept": lambda credentials: credentials.kept(ANAS),
    "credentials.erase": lambda credentials: credentials.erase("bank", "ana"),
    "used_tokens.use": lambda used: used.use("bank", "n1", until_ms=9, now_ms=1),
    "records.note_recording": lambda records: records.note_recording(ANAS, RECORDING),
    "records.recordings": lambda records: records.recordings("bank", "ana"),
    "records.orphaned_recordings": lambda records: records.orphaned_recordings(),
    "records.forget_recording": lambda records: records.forget_recording(RECORDING),
    "records.keep_commitments": "salted hashes, which name no one",
    "jobs.later": lambda jobs: jobs.later(Job(kind="k", tenant="bank")),
    "jobs.run": lambda jobs: jobs.run([]),
    "jobs.failed": lambda jobs: jobs.failed(),
    "jobs.retry_failed": lambda jobs: jobs.retry_failed(),
    "jobs.erase": lambda jobs: jobs.erase("bank", "ana"),
}  # fmt: skip
"""By port and method: asks for the bank's data, or why that cannot be done."""


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncGenerator[Storage]:
    """A storage with data of the bank's customer in each port."""
    async with open_sqlite_storage(tmp_path, VirtualClock(), SystemIds()) as storage:
        await storage.log.append(ANAS, [SAID])
        await storage.writes.add(FILE, 0)
        await storage.bundles.keep("bank", BUNDLE)
        await storage.deliveries.note(ANAS, 1)
        await storage.credentials.keep(ANAS, CREDENTIAL)
        await storage.records.note_recording(ANAS, RECORDING)
        yield storage


async def _contents(storage: Storage) -> list[object]:
    kept = await storage.credentials.kept(ANAS)
    return [
        await storage.log.read(ANAS),
        await storage.writes.waiting(),
        await storage.bundles.read("bank", "b1"),
        await storage.deliveries.delivered(ANAS),
        kept.token if kept is not None else None,
        await storage.records.recordings("bank", "ana"),
    ]


async def test_each_method_of_each_port_has_a_case(storage: Storage) -> None:
    view = view_of(storage, "shop")
    ports: dict[str, object] = {field.name: getattr(view, field.name) for field in fields(view)}
    found: set[str] = {
        f"{port}.{name}"
        for port, adapter in ports.items()
        if adapter is not None and port != "secret"
        for name, _ in inspect.getmembers(type(adapter), inspect.isfunction)
        if not name.startswith("_")
    }
    assert found == set(CASES)


@pytest.mark.parametrize("case", [case for case, ask in CASES.items() if not isinstance(ask, str)])
async def test_nothing_of_another_tenant_is_read_or_changed(storage: Storage, case: str) -> None:
    before, ask = await _contents(storage), CASES[case]
    assert not isinstance(ask, str)

    try:
        answer = await ask(getattr(view_of(storage, "shop"), case.partition(".")[0]))
    except OtherTenant:
        answer = None

    assert not answer
    assert await _contents(storage) == before


async def test_tenants_have_secrets_of_their_own(storage: Storage) -> None:
    secrets = {storage.secret, view_of(storage, "shop").secret, view_of(storage, "bank").secret}

    assert len(secrets) == 3
