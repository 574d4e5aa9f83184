"""Canned replies: editors write them, agents read them, and each change is recorded."""

from tests.server.console.browser import Office

HELLO = {"id": "r1", "title": "Hello", "text": "Hello {name}!", "locale": ""}


async def test_an_editor_writes_a_reply_and_agents_get_it(office: Office) -> None:
    await office.hires("eva", "editor")
    eva, kim = await office.sits_down("eva"), await office.sits_down("kim")
    written = await eva.asks("POST", "replies", HELLO)
    found = await kim.asks("GET", "replies")

    assert written.status == 200
    assert found.body == written.body
    [reply] = found.body["replies"]
    assert {name: reply[name] for name in HELLO} == HELLO
    assert reply["by"] == "Eva"

    await eva.asks("POST", "replies", HELLO | {"text": "Hi {name}!", "locale": "en"})
    [changed] = (await kim.asks("GET", "replies")).body["replies"]
    assert (changed["text"], changed["locale"]) == ("Hi {name}!", "en")
    assert (await eva.asks("DELETE", "replies/r1")).body == {"replies": []}
    assert (await eva.asks("DELETE", "replies/r1")).code == "unknown_reply"
    assert await office.recorded() == [
        "eva session.begin: ok",
        "kim session.begin: ok",
        "eva replies.write r1 (Hello): ok",
        "eva replies.write r1 (Hello): ok",
        "eva replies.delete r1: ok",
        "eva replies.delete r1: refused",
    ]


async def test_an_agent_writes_no_replies_and_an_analyst_sees_none(office: Office) -> None:
    await office.hires("lea", "analyst")
    kim, lea = await office.sits_down("kim"), await office.sits_down("lea")

    assert (await kim.asks("POST", "replies", HELLO)).code == "not_allowed"
    assert (await kim.asks("DELETE", "replies/r1")).code == "not_allowed"
    assert (await lea.asks("GET", "replies")).code == "not_allowed"


async def test_a_reply_without_words_or_with_a_wrong_language_is_refused(office: Office) -> None:
    ana = await office.sits_down("ana")

    for wrong in ({"title": "  "}, {"text": ""}, {"text": "x" * 4_001}, {"locale": "German"}, {"id": "a b"}):
        answer = await ana.asks("POST", "replies", HELLO | wrong)
        assert (answer.status, answer.code) == (422, "invalid"), wrong
        assert next(iter(wrong)) in answer.body["error"]["message"]
