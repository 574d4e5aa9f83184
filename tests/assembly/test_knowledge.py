"""The folder of the company's documents, and the library that follows it."""

import asyncio
import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.assembly.knowledge_folder import Knowledge, look_once
from assistant.conversation.documents import ALL_CUSTOMERS, Document
from assistant.errors import DocumentRefused
from assistant.memory.file_reader import ReadFile
from assistant.testing.virtual_time import VirtualClock
from tests.support.library import FakeEmbedder, FakeLibrary, SmallLibrary

TENANT = "demo"


async def read(name: str, content: bytes) -> ReadFile:
    if b"\0" in content:
        raise DocumentRefused(f"{name!r} is no text; save it as text")
    return ReadFile(title=Path(name).stem, text=content.decode(), mime="text/markdown")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "knowledge").mkdir()
    return tmp_path / "knowledge"


def knowledge(folder: Path, library: FakeLibrary) -> Knowledge:
    return Knowledge(folder, TENANT, library, read, VirtualClock())


async def held(library: FakeLibrary) -> dict[str, str]:
    listed = await library.documents(TENANT)
    loaded = [await library.load(TENANT, "ana", one.ref) for one in listed]
    return {one.title: one.text for one in loaded if one is not None}


def save(path: Path, text: str) -> None:
    """As an editor does: the new text is there whole, at another time than the old one."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


async def test_documents_of_the_folder_are_for_all_customers(folder: Path) -> None:
    save(folder / "returns.md", "30 days")
    save(folder / "more" / "prices.TXT", "$5")
    library = FakeLibrary()

    await knowledge(folder, library).look()

    assert await held(library) == {"returns": "30 days", "prices": "$5"}
    assert {(one.kind, one.customer, one.mime) for one in library.kept} == {
        ("knowledge", ALL_CUSTOMERS, "text/markdown")
    }


async def test_an_unchanged_document_is_not_read_again_even_at_the_next_start(folder: Path) -> None:
    save(folder / "returns.md", "30 days")
    library = FakeLibrary()
    first = knowledge(folder, library)
    await first.look()
    await first.look()
    save(folder / "returns.md", "30 days")  # saved again, and the same
    await first.look()

    await knowledge(folder, library).look()

    assert len(library.kept) == 1


async def test_an_edited_file_replaces_its_earlier_version(folder: Path) -> None:
    save(folder / "returns.md", "30 days")
    library = FakeLibrary()
    here = knowledge(folder, library)
    await here.look()
    save(folder / "returns.md", "60 days")

    await here.look()

    assert await held(library) == {"returns": "60 days"}
    assert len({one.ref for one in library.kept}) == 1


async def test_a_file_that_was_removed_between_two_starts_is_deleted_too(folder: Path) -> None:
    for name in ("returns", "delivery", "payment"):
        save(folder / f"{name}.md", name)
    library = FakeLibrary()
    here = knowledge(folder, library)
    await here.look()
    (folder / "returns.md").unlink()
    await here.look()
    (folder / "delivery.md").unlink()

    await knowledge(folder, library).look()

    assert await held(library) == {"payment": "payment"}


async def test_a_broken_file_is_reported_once_and_its_earlier_version_stays(folder: Path) -> None:
    save(folder / "a.md", "first")
    save(folder / "b.md", "second")
    library = FakeLibrary()
    here = knowledge(folder, library)
    await here.look()
    save(folder / "a.md", "\0\0")
    save(folder / "b.md", "edited")

    with capture_logs() as told:
        await here.look()
        save(folder / "c.md", "third")
        await here.look()

    assert await held(library) == {"a": "first", "b": "edited", "c": "third"}
    (warning,) = [one for one in told if one["log_level"] == "warning"]
    assert warning["document"] == str(folder / "a.md")
    assert warning["why"] == "'a.md' is no text; save it as text"
    save(folder / "a.md", "mended")
    await here.look()
    assert (await held(library))["a"] == "mended"


async def test_files_for_editors_are_not_shown_to_customers(folder: Path) -> None:
    for name in ("README.md", "readme.txt", "_draft.md", ".#returns.md", "_old/returns.md", "logo.png"):
        save(folder / name, "not for customers")
    library = FakeLibrary()

    await knowledge(folder, library).look()

    assert library.kept == []


async def test_documents_from_other_sources_are_not_changed(folder: Path) -> None:
    elsewhere = [
        Document(
            ref="document:1", tenant=TENANT, customer=ALL_CUSTOMERS, kind="knowledge", title="added", text="x",
        ),
        Document(
            ref="document:2", tenant=TENANT, customer=ALL_CUSTOMERS, kind="knowledge", title="by path", text="x",
            origin="/srv/knowledge/a.md",
        ),
        Document(ref="document:3", tenant=TENANT, customer="ana", kind="upload", title="hers", text="x"),
    ]  # fmt: skip
    library = FakeLibrary(*elsewhere)
    save(folder / "returns.md", "30 days")

    await knowledge(folder, library).look()

    assert set(await held(library)) == {"added", "by path", "hers", "returns"}


async def test_a_folder_that_is_missing_for_a_while_deletes_nothing(folder: Path) -> None:
    save(folder / "returns.md", "30 days")
    library = FakeLibrary()
    here = knowledge(folder, library)
    await here.look()
    folder.rename(folder.with_name("moved"))

    await here.look()
    await knowledge(folder, library).look()

    assert await held(library) == {"returns": "30 days"}


async def test_a_file_that_cannot_be_opened_does_not_affect_the_others(folder: Path) -> None:
    save(folder / "a.md", "first")
    (folder / "b.md").symlink_to(folder / "nowhere.md")
    (folder / "c.md").mkdir()
    library = FakeLibrary()

    await knowledge(folder, library).look()

    assert await held(library) == {"a": "first"}


async def test_a_file_that_breaks_its_reader_does_not_affect_the_others(folder: Path) -> None:
    async def breaks(name: str, content: bytes) -> ReadFile:
        if name == "a.pdf":
            raise RecursionError
        return await read(name, content)

    save(folder / "a.pdf", "hostile")
    save(folder / "b.md", "second")
    library = FakeLibrary()

    with capture_logs() as told:
        await Knowledge(folder, TENANT, library, breaks, VirtualClock()).look()

    assert await held(library) == {"b": "second"}
    assert [one["why"] for one in told if one["log_level"] == "warning"] == [
        "RecursionError while it was read; is it whole?"
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_an_unreadable_file_is_reported(folder: Path) -> None:
    save(folder / "a.md", "first")
    (folder / "a.md").chmod(0)
    library = FakeLibrary()

    with capture_logs() as told:
        await knowledge(folder, library).look()

    assert [one["why"] for one in told] == ["Permission denied"]


async def test_files_wait_for_a_library_that_does_not_answer(folder: Path) -> None:
    save(folder / "returns.md", "30 days")
    clock = VirtualClock()
    library = SmallLibrary(clock, FakeEmbedder())
    library.queue.away = True
    with capture_logs() as logs:
        looking = asyncio.create_task(look_once(Knowledge(folder, TENANT, library, read, clock), clock))
        await clock.sleep(15)
        library.queue.away = False
        await looking

    assert [one["again_in_s"] for one in logs if "again_in_s" in one] == [10.0, 20.0]
    assert [one.title for one in await library.documents(TENANT)] == ["returns"]


async def test_a_file_that_another_server_has_queued_is_not_read(folder: Path) -> None:
    save(folder / "prices.md", "$5")
    save(folder / "returns.md", "30 days")
    library, reads = FakeLibrary(), list[str]()

    async def slow(name: str, content: bytes) -> ReadFile:
        reads.append(name)
        if name == "prices.md":  # the other server does the rest meanwhile
            await knowledge(folder, library).look()
        return await read(name, content)

    await Knowledge(folder, TENANT, library, slow, VirtualClock()).look()

    assert reads == ["prices.md"]
    assert await held(library) == {"prices": "$5", "returns": "30 days"}
