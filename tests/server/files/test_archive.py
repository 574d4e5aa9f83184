"""Operators upload documents for all customers, see their state, and delete them."""

from dataclasses import replace

import pytest

from assistant.conversation.documents import Document
from tests.server.files.conftest import TOKEN, FileEndpoints
from tests.server.running_server import ANA


async def test_a_document_is_for_all_customers_and_stays(endpoints: FileEndpoints) -> None:
    status, answer = await endpoints.operator("PUT", "/policies/returns.md", "You have 30 days.")

    now = endpoints.server.clock.now_ms()
    (kept,) = endpoints.keeper.held.values()
    assert kept == Document(
        ref=kept.ref,
        tenant="demo",
        customer="",
        kind="knowledge",
        title="returns",
        text="You have 30 days.",
        origin="/v1/documents/policies/returns.md",
        kept_ms=now,
    )
    assert status == 202
    assert answer == {
        "ref": kept.ref,
        "kind": "knowledge",
        "customer": None,
        "title": "returns",
        "mime": "text/plain",
        "characters": 17,
        "passages": 0,
        "done": 0,
        "state": "waiting",
        "problem": None,
        "kept_at": now,
        "expires_at": None,
    }


async def test_its_title_customer_and_expiry_can_be_set(endpoints: FileEndpoints) -> None:
    now = endpoints.server.clock.now_ms()
    _, plain = await endpoints.operator("PUT", "/offer.txt?customer=ana", "For you")
    _, whole = await endpoints.operator(
        "PUT", "/offer.txt?title=Your%20offer&customer=ben&expires=2027-02-01", "x"
    )

    assert (plain["customer"], plain["kind"], plain["expires_at"]) == ("ana", "upload", now + 90 * 86_400_000)
    assert (whole["customer"], whole["title"]) == ("ben", "Your offer")
    assert whole["expires_at"] == 1_801_440_000_000  # the day's first moment, where we are
    assert plain["ref"] != whole["ref"]


async def test_the_same_name_again_replaces_the_document(endpoints: FileEndpoints) -> None:
    _, first = await endpoints.operator("PUT", "/returns.md", "30 days")
    _, again = await endpoints.operator("PUT", "/returns.md", "60 days")

    assert first["ref"] == again["ref"]
    assert endpoints.keeper.texts == ["60 days"]


async def test_documents_are_listed_newest_first_without_results_of_tools(endpoints: FileEndpoints) -> None:
    await endpoints.operator("PUT", "/old.md", "old")
    endpoints.server.clock.advance(1)
    await endpoints.operator("PUT", "/new.md", "new")
    await endpoints.uploads("letter.txt")
    await endpoints.keeper.keep(
        Document(
            ref="result:c-1/t1/c1.1", tenant="demo", customer="ana", kind="result", title="note", text="7"
        )
    )
    await endpoints.keeper.keep(
        Document(ref="document:x", tenant="bank", customer="", kind="knowledge", title="rates", text="7")
    )

    async def titles(query: str = "") -> list[str]:
        _, answer = await endpoints.operator("GET", query)
        return [one["title"] for one in answer["documents"]]

    assert await titles() in (["new", "letter.txt", "old"], ["letter.txt", "new", "old"])
    assert await titles("?kind=knowledge") == ["new", "old"]
    assert await titles("?kind=result") == ["note"]
    assert await titles("?kind=upload&customer=ana") == ["letter.txt"]
    assert await titles("?kind=upload&customer=ben") == []


async def test_a_document_is_shown_and_deleted_by_its_reference(endpoints: FileEndpoints) -> None:
    ref = (await endpoints.operator("PUT", "/a.md", "a"))[1]["ref"]
    endpoints.keeper.went(ref, "kept")

    assert (await endpoints.operator("GET", f"/{ref}"))[1]["state"] == "kept"
    assert await endpoints.operator("DELETE", f"/{ref}") == (204, None)

    for method in ("GET", "DELETE"):
        status, answer = await endpoints.operator(method, f"/{ref}")
        assert (status, answer["code"]) == (404, "unknown_document")
        assert ref in answer["message"]
    assert endpoints.keeper.held == {}


async def test_results_of_tools_can_be_deleted_too(endpoints: FileEndpoints) -> None:
    result = Document(
        ref="result:c-1/t1/c1.1", tenant="demo", customer="ana", kind="result", title="x", text="7"
    )
    await endpoints.keeper.keep(result)

    assert (await endpoints.operator("GET", f"/{result.ref}"))[0] == 200
    assert (await endpoints.operator("DELETE", f"/{result.ref}"))[0] == 204


@pytest.mark.parametrize(
    ("path", "content", "status", "code", "words"),
    [
        ("/a.jpg", "x", 415, "unknown_kind", ".md, .pdf, .txt"),
        ("/a.md", "x" * 1_001, 413, "too_large", "has 1001 bytes; at most 1000"),
        ("/a.md", "broken", 422, "unreadable", "save it again"),
        (
            "/a.md?expires=soon",
            "x",
            422,
            "bad_expiry",
            "expires='soon' is no day; write one such as 2028-01-31",
        ),
        ("/a.md?expires=2020-01-01", "x", 422, "bad_expiry", "expires='2020-01-01' is past"),
        ("/", "x", 422, "bad_name", "needs a name"),
    ],
)
async def test_an_unsupported_file_is_refused_with_the_supported_kinds(
    endpoints: FileEndpoints, path: str, content: str, status: int, code: str, words: str
) -> None:
    refused, answer = await endpoints.operator("PUT", path, content)

    assert (refused, answer["code"]) == (status, code)
    assert words in answer["message"]
    assert endpoints.keeper.held == {}


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1]])
async def test_without_the_token_every_request_is_refused(
    endpoints: FileEndpoints, token: str | None
) -> None:
    await endpoints.operator("PUT", "/a.md", "a")
    ((_, ref),) = endpoints.keeper.held

    for method, path in (("PUT", "/b.md"), ("GET", ""), ("GET", f"/{ref}"), ("DELETE", f"/{ref}")):
        assert (await endpoints.operator(method, path, "x" if method == "PUT" else None, token))[0] == 401
    assert endpoints.keeper.texts == ["a"]


async def test_a_customers_token_is_refused(endpoints: FileEndpoints) -> None:
    assert (await endpoints.operator("GET", token=endpoints.token()))[0] == 401


async def test_customers_cannot_delete_or_send_operators_files(
    endpoints: FileEndpoints,
) -> None:
    ref = (await endpoints.operator("PUT", "/offer.txt?customer=ana", "For you"))[1]["ref"]

    assert (await endpoints.asks("DELETE", f"/v1/uploads/{ref}", endpoints.token(ANA)))[0] == 404
    assert endpoints.keeper.texts == ["For you"]


async def test_operators_of_another_tenant_find_nothing(endpoints: FileEndpoints) -> None:
    _, kept = await endpoints.operator("PUT", "/a.md", "a")
    archive = endpoints.server.context.archive
    assert archive is not None
    other = replace(archive, tenant="bank")

    with pytest.raises(Exception, match="there is no document"):
        await other.one(kept["ref"])
    with pytest.raises(Exception, match="there is no document"):
        await other.delete(kept["ref"])
