"""Queued documents are indexed in the background: urgent ones first, results slowly, failed ones later."""

import asyncio
from dataclasses import replace

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import ALL_CUSTOMERS, Document
from assistant.conversation.values import Json
from assistant.errors import DocumentRefused
from assistant.testing.virtual_time import VirtualClock
from tests.support.library import FakeEmbedder, SmallLibrary, gave

ANA = ConversationKey(tenant="t", customer="ana", conversation="c1")
NOTE = Document(
    ref="document:note", tenant="t", customer="ana", kind="upload", title="note", text="Nothing much."
)
LONG: list[Json] = [{"number": index, "about": "x" * 300} for index in range(40)]
"""Forty passages."""


def note(ref: str) -> Document:
    return replace(NOTE, ref=f"document:{ref}")


async def test_a_result_is_written_at_a_tenth_of_one_core(slow: SmallLibrary) -> None:
    began = slow.clock.monotonic()
    await slow.ends(ANA, gave(LONG))

    await slow.clock.sleep(390)
    assert slow.store.put_refs == []
    assert len(slow.embedder.embedded) == 40
    await slow.clock.sleep(25)
    assert slow.store.put_refs == ["result:c1/t1/c1.1"]
    assert 400 <= slow.clock.monotonic() - began <= 420


async def test_progress_is_seen_while_a_document_is_written(slow: SmallLibrary) -> None:
    await slow.keep(replace(NOTE, text="A sentence of some length stands here. " * 700))
    await slow.clock.sleep(20)

    [shelved] = await slow.documents("t", "ana")
    assert (shelved.state, shelved.done, shelved.passages) == ("waiting", 16, 47)
    await slow.clock.sleep(30)
    [shelved] = await slow.documents("t", "ana")
    assert (shelved.state, shelved.done) == ("kept", 47)


async def test_files_of_people_do_not_wait_for_results(slow: SmallLibrary) -> None:
    await slow.ends(ANA, gave(LONG))
    await slow.clock.sleep(20)
    await slow.keep(NOTE)
    await slow.clock.sleep(2)

    assert slow.store.put_refs == ["document:note"]


async def test_a_search_waits_a_moment_for_its_customers_newest_document(library: SmallLibrary) -> None:
    await library.close()
    library.start()
    await library.clock.sleep(0.1)  # it has looked, and found nothing
    ref = await library.ends(ANA, gave(["aviator frames"]))

    assert [it.ref for it in await library.search("t", "ana", "aviator frames")] == [ref]


async def test_a_search_does_not_wait_longer_than_a_moment(slow: SmallLibrary) -> None:
    await slow.ends(ANA, gave(LONG))
    began = slow.clock.monotonic()

    assert await slow.search("t", "ana", "anything") == []
    assert slow.clock.monotonic() - began == pytest.approx(1.0)  # that is the question's own vector
    await slow.clock.sleep(60)
    assert slow.store.put_refs == ["result:c1/t1/c1.1"], "now that somebody wants it, at full speed"


async def test_a_search_speeds_up_a_result_that_is_being_indexed(slow: SmallLibrary) -> None:
    await slow.ends(ANA, gave(LONG))
    await slow.clock.sleep(40)
    await slow.search("t", "ana", "anything")
    await slow.clock.sleep(30)

    assert slow.store.put_refs == ["result:c1/t1/c1.1"]
    assert len(slow.embedder.embedded) == 41, "nothing was done twice"


async def test_others_do_not_wait_for_a_failing_document(library: SmallLibrary) -> None:
    library.store.refuses["document:bad"] = ValueError("a secret of the document")
    await library.keep(note("bad"))
    await library.keep(note("good"))
    await library.clock.sleep(1)

    good, bad = await library.documents("t", "ana")
    assert (bad.state, bad.problem) == (
        "waiting",
        "writing it ended with ValueError, an unexpected error",
    )
    assert good.state == "kept"


async def test_five_unexpected_errors_fail_a_document_permanently(library: SmallLibrary) -> None:
    library.store.refuses["document:bad"] = ValueError("what")
    await library.keep(note("bad"))
    await library.written()

    [bad] = await library.documents("t", "ana")
    assert bad.state == "failed"
    assert library.clock.monotonic() == pytest.approx(10 + 20 + 40 + 80, abs=40)
    assert await library.load("t", "ana", "document:bad") is not None
    assert await library.delete("t", "document:bad")


async def test_a_refused_document_is_not_tried_again(library: SmallLibrary) -> None:
    library.store.refuses["document:bad"] = DocumentRefused("it is no good; hand in another")
    await library.keep(note("bad"))
    await library.written()

    [bad] = await library.documents("t", "ana")
    assert (bad.state, bad.problem) == ("failed", "it is no good; hand in another")


async def test_an_unavailable_model_is_retried_with_growing_pauses(library: SmallLibrary) -> None:
    library.embedder.fails = 9
    await library.keep(NOTE)
    await library.clock.sleep(1)
    [waiting] = await library.documents("t")
    assert (waiting.state, waiting.problem) == ("waiting", "the embedding model is away")
    await library.written()

    assert [one.state for one in await library.documents("t")] == ["kept"]
    assert library.clock.monotonic() == pytest.approx(10 + 20 + 40 + 80 + 160 + 320 + 3 * 600, abs=90)


async def test_documents_of_an_earlier_process_are_indexed_by_the_next(library: SmallLibrary) -> None:
    await library.close()
    await library.keep(NOTE)
    await library.ends(ANA, gave(["frames"]))
    library.start()
    library.start()
    await library.clock.sleep(30)

    assert sorted(library.store.put_refs) == ["document:note", "result:c1/t1/c1.1"]


async def test_closing_leaves_a_document_in_the_queue(library: SmallLibrary) -> None:
    library.embedder.may_go_on.clear()
    await library.keep(NOTE)
    await library.clock.sleep(1)
    await library.close()
    await library.close()
    library.embedder.may_go_on.set()

    assert [one.state for one in await library.documents("t")] == ["waiting"]
    await library.written()
    assert library.store.put_refs == ["document:note"]


async def test_documents_of_another_embedder_are_indexed_again(library: SmallLibrary) -> None:
    for ref in ("first", "second"):
        await library.keep(note(ref))
    await library.written()
    await library.close()
    library.store.old = [("t", "ana", f"document:{ref}") for ref in ("first", "gone", "second")]
    library.store.refuses["document:first"] = ValueError("not yet")

    again = SmallLibrary(library.clock, FakeEmbedder("another"))
    again.store.__dict__.update(library.store.__dict__)
    again.start()
    await again.clock.sleep(5)
    assert again.store.old != []
    await again.clock.sleep(10)
    assert again.store.put_refs == ["document:first", "document:second", "document:second"]
    again.store.refuses.clear()
    await again.clock.sleep(60)
    await again.close()

    assert again.store.put_refs[3:] == ["document:first"]
    assert again.store.old == [("t", "ana", "document:gone")], "which is not there to be written"
    assert len(again.embedder.embedded) == 3


async def test_the_store_is_asked_once_for_documents_of_other_embedders() -> None:
    library = SmallLibrary(VirtualClock(), FakeEmbedder())
    for number in range(20):
        await library.store.put(note(f"old-{number}"), [])
    library.store.old = [("t", "ana", f"document:old-{number}") for number in range(20)]
    library.store.put_refs.clear()
    library.start()
    await library.clock.sleep(60)
    await library.close()

    assert library.store.put_refs == [f"document:old-{number}" for number in range(20)], "the oldest first"
    assert library.store.looks == 2, "and once to see that none is left"


async def test_an_unavailable_queue_is_asked_again(library: SmallLibrary) -> None:
    await library.close()
    library.store.away = True
    library.start()
    await library.clock.sleep(1)
    library.store.away = False
    await library.keep(note("later"))
    await library.clock.sleep(1)

    assert library.store.put_refs == ["document:later"]


async def test_all_documents_are_indexed_before_the_wait_ends(slow: SmallLibrary) -> None:
    await slow.ends(ANA, gave(LONG))
    await slow.keep(replace(NOTE, customer=ALL_CUSTOMERS, kind="knowledge"))
    began = slow.clock.monotonic()
    await asyncio.gather(slow.written(), slow.written())

    assert sorted(slow.store.put_refs) == ["document:note", "result:c1/t1/c1.1"]
    assert slow.clock.monotonic() - began < 60, "at full speed"


async def test_an_empty_queue_counts_as_indexed(slow: SmallLibrary) -> None:
    await slow.written()
    assert isinstance(slow.clock, VirtualClock)
