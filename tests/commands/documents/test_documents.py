"""``assistant documents``, as an editor calls it, alone and while a server runs."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.commands.stored.documents import open_library
from assistant.conversation.documents import ALL_CUSTOMERS, Document
from assistant.errors import DeclarationError
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.tenants import load_settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command is called in a folder with two documents."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_NOW", "2026-11-23T09:00:00+01:00")
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "returns.md").write_text(
        "# Returns policy\n\n## How long you have\n\nYou can send it back within 30 days.\n", encoding="utf-8"
    )
    (tmp_path / "hours.txt").write_text("On Sundays in December we are open from noon.\n", encoding="utf-8")
    return tmp_path


async def documents(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["documents", *words])


async def refs() -> list[str]:
    listed = (await documents("list")).stdout.splitlines()
    return [line.split()[0] for line in listed if line.startswith("document:")]


async def test_an_added_document_is_listed_and_found(folder: Path) -> None:
    added = await documents("add", "pages", "hours.txt")

    assert added.exit_code == 0, added.output
    assert "Returns policy  (document:" in added.stdout
    assert added.stdout.endswith("2 added, 0 refused.\n")
    listed = (await documents("list")).stdout
    assert "Returns policy" in listed
    assert "for all customers" in listed
    assert str(folder / "hours.txt") in listed
    found = (await documents("search", "How many days do I have to send it back?")).stdout.splitlines()
    assert found[0].split()[1:7] == ["Returns", "policy,", "How", "long", "you", "have"]
    assert any("within 30 days" in line for line in found)
    assert found[-1].endswith("to be shown to the model.")


async def test_a_file_that_is_added_again_is_replaced(folder: Path) -> None:
    await documents("add", "hours.txt")
    (folder / "hours.txt").write_text("Closed in January.\n", encoding="utf-8")
    before = await refs()

    await documents("add", str(folder / "hours.txt"), "--title", "Opening hours")

    assert await refs() == before
    assert "Opening hours" in (await documents("list")).stdout
    assert "Closed in January" in (await documents("search", "Are you closed in January?")).stdout


async def test_a_refused_file_is_reported_with_the_reason_and_others_are_kept(folder: Path) -> None:
    (folder / "broken.md").write_bytes(b"\0\1\2")
    (folder / "logo.png").write_bytes(b"x")
    (folder / "empty").mkdir()

    result = await documents("add", "hours.txt", "broken.md", "logo.png", "nowhere.md", "empty")

    assert result.exit_code == 1
    assert result.stdout.endswith("1 added, 4 refused.\n")
    told = result.stderr
    assert "not added: broken.md: 'broken.md' has bytes in it that no text has" in told
    assert "not added: logo.png: files like this cannot be read; these can: .htm" in told
    assert "not added: nowhere.md: there is no such file" in told
    assert "not added: empty: there is no document in this folder; these are read: .htm" in told
    assert len(await refs()) == 1


async def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MAX_UPLOAD_BYTES", "10")

    result = await documents("add", "hours.txt")

    assert result.exit_code == 1
    assert "has 46 bytes; at most 10 are taken (ASSISTANT_MAX_UPLOAD_BYTES)" in result.stderr


async def test_a_document_for_one_customer_is_found_by_no_other() -> None:
    await documents("add", "hours.txt", "--customer", "bo", "--expires", "90d")

    listed = (await documents("list", "--customer", "bo")).stdout

    assert "2027-02-21" in listed
    assert "upload" in listed
    question = "Are you open on Sundays in December?"
    assert "from noon" in (await documents("search", question, "--customer", "bo")).stdout
    assert (await documents("search", question)).stdout == "There is nothing to be found.\n"
    assert (await documents("search", question, "--tenant", "other", "--customer", "bo")).stdout == (
        "There is nothing to be found.\n"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("--expires", "soon"),
            "'soon' is no day; write one such as 2027-01-31, or days from now such as 90d",
        ),
        (("--expires", "2026-11-23"), "2026-11-23 is past already"),
        (("--expires", "0d"), "0d is past already"),
        (("pages", "--title", "One title"), "goes with one file, and these are 2"),
    ],
)
async def test_an_invalid_option_adds_nothing(words: tuple[str, ...], complaint: str) -> None:
    result = await documents("add", "hours.txt", *words)

    assert result.exit_code == 2
    assert complaint in " ".join(result.output.replace("│", " ").split())
    assert await refs() == []


async def test_an_expiry_day_can_be_given() -> None:
    await documents("add", "hours.txt", "--expires", "2027-01-31")

    assert "2027-01-3" in (await documents("list")).stdout


async def test_results_of_tools_are_listed_only_on_request() -> None:
    settings, clock = load_settings(), SystemClock()
    settings.data_dir.mkdir()
    result = Document(
        ref="result:c1/t1/c1.1", tenant="demo", customer="bo", kind="result", title="Invoices", text="$150"
    )
    async with open_library(settings, clock, writes=True) as opened:
        await opened.library.keep(result)
        await opened.library.written()

    assert "Invoices" not in (await documents("list", "--customer", "bo")).stdout
    assert "Invoices" in (await documents("list", "--customer", "bo", "--results")).stdout


async def test_a_removed_document_is_gone() -> None:
    await documents("add", "hours.txt")
    (ref,) = await refs()

    removed = await documents("remove", ref)

    assert (removed.exit_code, removed.stdout) == (0, f"Deleted {ref}.\n")
    again = await documents("remove", ref)
    assert again.exit_code == 1
    assert f"There is no document '{ref}'" in again.stderr
    assert (
        await documents("list")
    ).stdout == "There are no documents. Add some: assistant documents add PATH\n"


async def test_a_command_leaves_the_work_to_a_running_server() -> None:
    settings, clock = load_settings(), SystemClock()
    settings.data_dir.mkdir()
    page = Document(
        ref="document:1",
        tenant="demo",
        customer=ALL_CUSTOMERS,
        kind="knowledge",
        title="Hours",
        text="From noon.",
    )
    with lock_data_folder(settings.data_dir):
        async with (
            open_library(settings, clock) as server,
            open_library(settings, clock, writes=True) as command,
        ):
            assert command.served
            await command.library.keep(page)
            assert [one.state for one in await command.library.documents("demo")] == ["waiting"]

            await server.library.written()

            assert [one.state for one in await command.library.documents("demo")] == ["kept"]
    async with open_library(settings, clock, writes=True) as alone:
        assert not alone.served


async def test_a_folder_that_cannot_be_locked_is_reported(folder: Path) -> None:
    (folder / "data" / "lock").mkdir(parents=True)

    result = await documents("add", "hours.txt")

    assert isinstance(result.exception, DeclarationError)
    assert "cannot be locked" in str(result.exception)
