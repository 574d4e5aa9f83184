"""A stored document is loaded immediately, found soon after, and gone permanently when it is deleted."""

from dataclasses import replace

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import ALL_CUSTOMERS, Document, Passage
from assistant.conversation.outcomes import CallEmpty, CallFailed
from assistant.errors import DocumentRefused, EmbeddingError, StoreError
from assistant.memory.document_writer import embedding_text
from tests.support.library import SmallLibrary, gave

ANA = ConversationKey(tenant="t", customer="ana", conversation="c1")
DAY_S = 86_400
POLICY = Document(
    ref="document:policy",
    tenant="t",
    customer=ALL_CUSTOMERS,
    kind="knowledge",
    title="Returns policy",
    text="# Returns\n\nFrames go back within thirty days.\n\n# Cleaning\n\nLenses like soap and water.",
    mime="text/markdown",
)
LETTER = Document(
    ref="document:letter",
    tenant="t",
    customer="ana",
    kind="upload",
    title="letter.txt",
    text="My prescription has changed: minus two.",
)


async def found(library: SmallLibrary, customer: str, question: str) -> list[str]:
    return [it.ref for it in await library.search("t", customer, question) if it.score > 0.2]


async def states(library: SmallLibrary, customer: str | None = None) -> dict[str, str]:
    return {one.ref: one.state for one in await library.documents("t", customer)}


async def test_a_document_is_loaded_immediately_and_found_when_it_is_indexed(library: SmallLibrary) -> None:
    await library.keep(POLICY)

    assert (await states(library)) == {"document:policy": "waiting"}
    assert (await library.load("t", "ben", "document:policy")) == replace(
        POLICY, kept_ms=library.clock.now_ms()
    )
    await library.written()

    [best, *_] = await library.search("t", "ben", "How do I clean lenses?")
    assert (best.title, best.passage.place) == ("Returns policy", "Cleaning")
    [shelved] = await library.documents("t")
    assert (shelved.state, shelved.done, shelved.passages) == ("kept", 2, 2)
    assert await library.queue.waiting() == []


async def test_a_passage_is_found_by_its_document_and_heading_too(library: SmallLibrary) -> None:
    await library.keep(POLICY)
    await library.written()

    assert library.embedder.embedded[0].startswith("Returns policy\n# Returns\n")


@pytest.mark.parametrize(
    ("text", "place", "embedded"),
    [
        ("# Returns policy\n\nThirty days.", "Returns policy", "# Returns policy\n\nThirty days."),
        ("## Costs\n\nNone.", "Returns policy, Costs", "Returns policy\n## Costs\n\nNone."),
        ("And nobody pays.", "Returns policy, Costs", "Returns policy, Costs\nAnd nobody pays."),
        ("Nobody pays.", "page 3", "Returns policy\npage 3\nNobody pays."),
        ("Nobody pays.", "", "Returns policy\nNobody pays."),
    ],
)
def test_the_subject_of_a_passage_is_not_repeated(text: str, place: str, embedded: str) -> None:
    passage = Passage(number=0, start=0, end=len(text), text=text, place=place)

    assert embedding_text(POLICY, passage) == embedded


async def test_a_customers_file_is_found_only_by_its_customer(library: SmallLibrary) -> None:
    await library.keep(LETTER)

    assert await found(library, "ana", "has my prescription changed?") == ["document:letter"]
    assert await found(library, "ben", "has my prescription changed?") == []
    assert await library.load("t", "ben", "document:letter") is None
    assert await library.load("other", "ana", "document:letter") is None


async def test_a_queued_file_is_only_its_customers(library: SmallLibrary) -> None:
    await library.close()
    await library.keep(LETTER)

    assert await library.load("t", "ben", "document:letter") is None
    assert await library.load("t", "ana", "document:letter") is not None


async def test_a_later_document_replaces_the_one_with_its_name(library: SmallLibrary) -> None:
    await library.keep(LETTER)
    await library.written()
    await library.keep(replace(LETTER, text="My glasses are broken."))
    assert await states(library) == {"document:letter": "waiting"}
    await library.written()

    assert await found(library, "ana", "prescription") == []
    assert await found(library, "ana", "broken glasses") == ["document:letter"]


async def test_a_result_is_loaded_from_the_log_until_it_is_stored(
    library: SmallLibrary,
) -> None:
    ref = await library.ends(ANA, gave([{"number": "M-1", "item": "aviator frames"}]))

    loaded = await library.load("t", "ana", ref)
    assert loaded is not None
    assert (loaded.text, loaded.mime, loaded.kind, loaded.title) == (
        '[{"number":"M-1","item":"aviator frames"}]',
        "application/json",
        "result",
        "list_orders",
    )
    assert loaded.conversation == "c1"
    assert await found(library, "ana", "aviator frames") == [ref]
    assert await library.store.get("t", "ana", ref, now_ms=library.clock.now_ms()) == loaded
    assert await library.load("t", "ben", ref) is None


async def test_a_text_result_is_not_changed(library: SmallLibrary) -> None:
    ref = await library.ends(ANA, gave("Dear Ana,\n\nyour frames are here."))
    await library.written()

    loaded = await library.load("t", "ana", ref)
    assert loaded is not None
    assert (loaded.text, loaded.mime) == ("Dear Ana,\n\nyour frames are here.", "text/plain")


async def test_a_call_without_a_result_is_no_document(library: SmallLibrary) -> None:
    call = Call(id="c1.1", tool="list_orders")
    failed = await library.ends(ANA, CallFailed(call=call, say="no", for_model="no"))
    empty = await library.ends(ANA, CallEmpty(call=call, value=[]), turn_id="t2")
    shortened = await library.ends(ANA, replace(gave([1]), full_ref="result:c1/t3/c1.1"), turn_id="t3")
    await library.written()

    assert await library.documents("t") == []
    assert [await library.load("t", "ana", ref) for ref in (failed, empty, shortened)] == [None] * 3
    assert await library.load("t", "ana", "result:c1/t9/c9.9") is None
    assert await library.load("t", "ana", "document:nowhere") is None


async def test_results_and_files_are_not_found_after_their_expiry(
    library: SmallLibrary,
) -> None:
    ref = await library.ends(ANA, gave(["aviator frames"]))
    await library.keep(LETTER)
    await library.keep(POLICY)
    await library.written()
    await library.close()  # the library does not look for work for three months

    await library.clock.sleep(31 * DAY_S)
    assert await library.load("t", "ana", "document:letter") is None
    assert await library.load("t", "ana", ref) is not None
    await library.clock.sleep(60 * DAY_S)
    assert await library.load("t", "ana", ref) is None, "although it stands in the log"
    assert await library.expire() == 2
    assert await states(library) == {"document:policy": "kept"}


async def test_a_file_that_expires_in_the_queue_is_never_indexed(library: SmallLibrary) -> None:
    library.store.away = True
    await library.keep(replace(LETTER, expires_ms=library.clock.now_ms() + 100_000))
    await library.clock.sleep(200)
    library.store.away = False
    await library.written()

    assert library.store.put_refs == []
    assert await library.documents("t") == []


async def test_expired_queued_documents_are_deleted(library: SmallLibrary) -> None:
    await library.close()
    await library.keep(LETTER)
    await library.clock.sleep(31 * DAY_S)

    assert await library.load("t", "ana", "document:letter") is None
    assert await library.expire() == 1
    assert await library.queue.waiting() == []


async def test_deleting_reaches_stored_and_queued_documents(library: SmallLibrary) -> None:
    await library.keep(POLICY)
    await library.written()
    await library.close()
    await library.keep(LETTER)

    assert await library.delete("t", "document:policy")
    assert await library.delete("t", "document:letter")
    assert not await library.delete("t", "document:letter")
    assert await library.documents("t") == []


async def test_a_document_that_is_deleted_while_it_is_indexed_stays_deleted(library: SmallLibrary) -> None:
    library.embedder.may_go_on.clear()
    await library.keep(LETTER)
    await library.clock.sleep(1)
    deleting = library.delete("t", "document:letter")
    library.embedder.may_go_on.set()

    assert await deleting
    await library.written()
    assert library.store.put_refs == []
    assert await library.documents("t") == []


async def test_an_erasure_deletes_everything_of_one_customer_only(library: SmallLibrary) -> None:
    await library.keep(POLICY)
    await library.keep(LETTER)
    await library.keep(replace(LETTER, ref="document:bens", customer="ben"))
    await library.written()
    library.embedder.fails = 10
    await library.keep(replace(LETTER, text="A newer one."))
    await library.keep(replace(LETTER, ref="document:second"))
    await library.clock.sleep(1)

    assert await library.erase("t", "ana") == 2
    assert await states(library) == {"document:policy": "kept", "document:bens": "kept"}
    with pytest.raises(ValueError, match="everybody"):
        await library.erase("t", ALL_CUSTOMERS)


async def test_a_document_of_an_erased_customer_is_refused(library: SmallLibrary) -> None:
    came_ms = library.clock.now_ms()
    await library.erase("t", "ana")

    with pytest.raises(DocumentRefused, match="was erased while it came"):
        await library.keep(replace(LETTER, kept_ms=came_ms))

    await library.clock.sleep(1)
    await library.keep(replace(LETTER, kept_ms=library.clock.now_ms()))
    assert list(await states(library, "ana")) == ["document:letter"]


async def test_while_the_store_is_away_the_queue_and_the_log_are_used(library: SmallLibrary) -> None:
    library.store.away = True
    await library.keep(LETTER)
    ref = await library.ends(ANA, gave([1]))

    assert await library.load("t", "ana", "document:letter") is not None
    assert await library.load("t", "ana", ref) is not None
    with pytest.raises(StoreError, match="away"):
        await library.load("t", "ana", "document:nowhere")


async def test_a_search_works_without_documents_that_cannot_be_indexed_first(library: SmallLibrary) -> None:
    await library.keep(POLICY)
    await library.written()
    library.queue.away = True

    assert await found(library, "ana", "frames back within thirty days") == ["document:policy"]


async def test_a_search_fails_if_the_question_has_no_vector(library: SmallLibrary) -> None:
    library.embedder.fails = 1
    with pytest.raises(EmbeddingError):
        await library.search("t", "ana", "anything")
