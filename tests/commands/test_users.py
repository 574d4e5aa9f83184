"""``assistant users``: accounts on the command line, and the link that a server prints."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from typer.testing import CliRunner

from assistant.assembly.staff import LINK_PATH, operators_link, staff_of
from assistant.cli import app
from assistant.clock import SystemClock
from assistant.ids import SystemIds
from assistant.settings import Settings
from assistant.staff.accounts import StaffRefused
from assistant.staff.staff import Staff
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.store.storage import Storage

T = TypeVar("T")
GOOD = "nine green bottles"


class Commands:
    """The command line, and what it left behind."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runner = folder, CliRunner()

    def __call__(self, *words: str, typed: str = "") -> str:
        """What a command prints."""
        result = self.runner.invoke(app, ["users", *words], input=typed, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    def then(self, ask: Callable[[Staff, Storage], Awaitable[T]]) -> T:
        """What is found in the storage."""

        async def run() -> T:
            clock, ids = SystemClock(), SystemIds()
            async with open_sqlite_storage(self.folder, clock, ids, exclusive=False) as storage:
                return await ask(staff_of(Settings(), storage, clock, ids), storage)

        return asyncio.run(run())


@pytest.fixture
def users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Commands:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    return Commands(tmp_path / "data")


async def _records(_: Staff, storage: Storage) -> list[tuple[str, ...]]:
    found = await storage.audit.list_records("demo", before=None, limit=99)
    return [(one.login, one.action, one.detail, one.outcome) for one in reversed(found)]


def test_kim_is_added_gets_a_link_and_sets_a_password(users: Commands) -> None:
    assert users("list") == "there are no accounts; add one: assistant users add kim@example.com admin\n"

    added = users(
        "add", "Kim@Example.com", "admin", "agent", "--name", "Kim", "--server", "https://a.example/"
    )

    start, _, rest = added.partition(LINK_PATH)
    token = rest.split(" ", 1)[0]
    assert start == "kim@example.com: https://a.example"
    assert users.then(lambda staff, _: staff.use_link(token)).signed_in.account.name == "Kim"
    assert users("password", "kim@example.com", typed=f"{GOOD}\n") == "kim@example.com has a new password\n"
    users.then(lambda staff, _: staff.sign_in("kim@example.com", GOOD))
    listed = users("list").splitlines()
    assert listed[0].split() == ["login", "name", "roles", "password", "last", "seen"]
    assert listed[1].split()[:5] == ["kim@example.com", "Kim", "admin,", "agent", "yes"]
    assert users.then(_records) == [
        ("command line", "people.add", "Kim@Example.com: agent, admin", "ok"),
        ("command line", "people.link", "", "ok"),
        ("command line", "people.password", "", "ok"),
    ]


def test_an_account_is_disabled_and_enabled(users: Commands) -> None:
    users("add", "kim", "agent")
    begun = users.then(lambda staff, _: _begin(staff, "kim"))

    assert users("disable", "kim") == "kim: disabled\n"
    assert users.then(lambda staff, _: staff.signed_in(begun)) is None
    assert users("enable", "kim") == "kim: agent\n"
    assert users("roles", "kim", "editor", "analyst") == "kim: analyst, editor\n"
    assert users.then(_records)[-1] == ("command line", "people.change", "roles: editor, analyst", "ok")


async def _begin(staff: Staff, login: str) -> str:
    return (await staff.begin_session(await staff.person(login), "password")).token


def test_what_cannot_be_is_refused_and_recorded(users: Commands) -> None:
    users("add", "kim", "admin")

    for words, why in (
        (["add", "KIM", "agent"], "there is an account with the login kim already"),
        (["disable", "kim"], "the last account that may manage people"),
        (["link", "zoe"], "there is no account with the login 'zoe'"),
        (["add", "two words", "agent"], "cannot be a login"),
    ):
        with pytest.raises(StaffRefused, match=why):
            users(*words)
    with pytest.raises(StaffRefused, match="use 12 or more"):
        users("password", "kim", typed="short\n")
    result = users.runner.invoke(app, ["users", "add", "lee", "owner"])
    assert "'owner' is none of agent, editor, analyst, admin" in " ".join(result.output.split())

    assert [outcome for *_, outcome in users.then(_records)] == ["ok", "ok", *["refused"] * 4]


def test_a_server_prints_a_link_until_there_is_an_account(users: Commands) -> None:
    async def link(_: Staff, storage: Storage, *, asked: bool = False, console: bool = True) -> str | None:
        settings = Settings(console=console)
        return await operators_link(settings, storage, SystemClock(), SystemIds(), asked=asked)

    first = users.then(link)
    assert first is not None
    assert users.then(lambda staff, storage: link(staff, storage, console=False)) is None
    assert users.then(link) is not None  # no one has opened the first one yet
    begun = users.then(lambda staff, _: staff.use_link(first.removeprefix(LINK_PATH)))
    assert (begun.signed_in.account.login, begun.signed_in.account.roles) == ("admin", {"admin"})

    assert users.then(link) is None
    assert users.then(lambda staff, storage: link(staff, storage, asked=True)) is not None
