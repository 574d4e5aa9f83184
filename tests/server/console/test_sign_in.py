"""Who gets into the console, and how long they stay."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import LogError
from assistant.server.console.access import COOKIE
from assistant.staff.audit import AuditRecord
from tests.server.console.browser import PASSWORD, Browser, Office, open_office
from tests.server.running_server import new_server


async def test_the_page_is_told_how_to_sign_in(office: Office) -> None:
    answer = await (await office.browser()).asks("GET", "sign-in")

    assert answer.body == {
        "password": True,
        "oidc": None,
        "company": "Willow & Finch",
        "accent": None,
        "locales": ["en", "de"],
    }
    assert answer.headers["Cache-Control"] == "no-store"


async def test_kim_signs_in_and_out(office: Office) -> None:
    kim = await office.browser()
    assert (await kim.asks("GET", "session")).body == {"account": None}

    begun = await kim.signs_in(" Kim ")

    assert begun.body == {
        "account": {
            "id": office.people["kim"].id,
            "login": "kim",
            "name": "Kim",
            "roles": ["agent"],
            "language": "",
        },
        "may": [
            "inbox.read",
            "conversations.read",
            "conversations.take_over",
            "approvals.decide",
            "replies.read",
            "knowledge.read",
            "health.read",
        ],
        "csrf": kim.csrf,
        "company": "Willow & Finch",
        "accent": None,
        "sample": False,
        "passwords": True,
    }
    assert (await kim.asks("GET", "session")).body == begun.body
    assert (await kim.asks("DELETE", "session")).body == {"elsewhere": None}
    assert not await kim.is_signed_in()
    assert await office.recorded() == ["kim session.begin: ok", "kim session.end: ok"]


async def test_no_script_and_no_other_site_gets_the_cookie(office: Office) -> None:
    answer = await (await office.browser()).signs_in("kim")

    parts = answer.headers["Set-Cookie"].split("; ")
    assert parts[0].startswith(f"{COOKIE}=")
    assert {*parts[1:]} == {"HttpOnly", "Max-Age=604800", "Path=/console", "SameSite=lax"}


async def test_behind_https_the_cookie_stays_there(tmp_path: Path) -> None:
    server = new_server()
    server.trusted_proxies = ("127.0.0.1",)
    async with open_office(tmp_path, server=server) as office:
        await office.hires("kim", "agent")
        kim = await office.browser()
        kim.origin = "https://chat.example"
        proxy = {
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "chat.example",
            "X-Forwarded-For": "203.0.113.7",
        }

        answer = await kim.signs_in("kim", **proxy)

        assert "Secure" in answer.headers["Set-Cookie"].split("; ")
        [record] = await office.audit.list_records("demo", before=None, limit=9)
        assert record.address == "203.0.113.7"


async def test_a_wrong_password_and_an_unknown_login_are_answered_alike(office: Office) -> None:
    await office.staff.change_person(office.people["lee"].id, disabled=True)
    browser = await office.browser()

    wrong, unknown, disabled, none, odd = [
        await browser.signs_in(login, password)
        for login, password in (
            ("kim", "wrong"), ("zoe", "wrong"), ("lee", PASSWORD), ("kim", "x" * 200), ("a b", "wrong")
        )
    ]  # fmt: skip

    assert wrong.status == 401
    assert wrong.code == "wrong_password"
    assert wrong.body == unknown.body == disabled.body == none.body == odd.body
    assert office.hasher.compared == 5  # each took as long as the others
    assert not await browser.is_signed_in()
    assert await office.recorded() == [
        "kim session.begin: refused",
        "someone session.begin: refused",
        "lee session.begin: refused",
        "kim session.begin: refused",
        "someone session.begin: refused",
    ]


async def test_too_many_guesses_of_a_password_must_wait(office: Office) -> None:
    browser = await office.browser()
    guesses = [await browser.signs_in("kim", f"guess {number}") for number in range(10)]

    refused = await browser.signs_in("KIM")  # the right one, too: else it would tell itself from the others

    assert [one.status for one in guesses] == [401] * 10
    assert (refused.status, refused.code, refused.headers["Retry-After"]) == (429, "too_many", "60")
    assert office.hasher.compared == 10
    assert (await browser.signs_in("lee")).status == 200  # others are not kept out
    office.clock.advance(60)
    assert (await browser.signs_in("kim")).status == 200


async def test_too_many_tries_from_one_address_must_wait(office: Office) -> None:
    browser = await office.browser()

    tried = [(await browser.signs_in(f"person{number}", "summer2026")).status for number in range(62)]

    assert tried == [401] * 60 + [429] * 2


async def test_guessed_links_keep_no_one_elses_link_out(tmp_path: Path) -> None:
    server = new_server()
    server.trusted_proxies = ("127.0.0.1",)
    async with open_office(tmp_path, server=server) as office:
        kim = await office.hires("kim", "agent")
        browser = await office.browser()

        async def opens(token: str, address: str) -> int:
            headers = {"X-Forwarded-For": address}
            return (await browser.asks("POST", "session/link", {"token": token}, **headers)).status

        tried = [await opens("guessed", "203.0.113.7") for _ in range(12)]
        assert tried == [401] * 10 + [429] * 2

        assert await opens(await office.staff.make_link(kim), "203.0.113.8") == 200


async def test_a_session_ends_when_it_is_not_used(office: Office) -> None:
    kim = await office.sits_down("kim")
    for _ in range(3):
        office.clock.advance(7.9 * 3600)
        assert await kim.is_signed_in()

    office.clock.advance(8 * 3600)

    assert not await kim.is_signed_in()


async def test_a_session_ends_after_a_week_in_any_case(office: Office) -> None:
    kim = await office.sits_down("kim")
    for _ in range(7 * 24 - 1):
        office.clock.advance(3600)
        assert await kim.is_signed_in()

    office.clock.advance(3600)

    assert not await kim.is_signed_in()


async def test_a_link_opens_once(office: Office) -> None:
    token = await office.staff.make_link(office.people["kim"])
    kim, thief = await office.browser(), await office.browser()

    assert (await kim.opens_link(token)).body["account"]["login"] == "kim"

    again = await thief.opens_link(token)
    assert (again.status, again.code) == (401, "link_invalid")
    assert not await thief.is_signed_in()
    assert await office.recorded() == [
        "kim session.begin_by_link: ok",
        "someone session.begin_by_link: refused",
    ]


async def test_an_old_link_opens_nothing(office: Office) -> None:
    token = await office.staff.make_link(office.people["kim"])
    office.clock.advance(24 * 3600)

    answer = await (await office.browser()).opens_link(token)

    assert (answer.status, answer.code) == (401, "link_invalid")


async def test_the_operators_link_opens_an_account_of_its_own(office: Office) -> None:
    first, second = await office.staff.make_operators_link(), await office.staff.make_operators_link()

    opened = [await (await office.browser()).opens_link(token) for token in (first, second)]

    assert [one.body["account"]["roles"] for one in opened] == [["admin"], ["admin"]]
    assert opened[0].body["account"] == opened[1].body["account"]
    assert [one.login for one in await office.staff.people()] == ["admin", "ana", "kim", "lee"]


async def test_after_a_link_a_password_is_set_without_the_old_one(office: Office) -> None:
    kim = await office.browser()
    await kim.opens_link(await office.staff.make_link(office.people["kim"]))

    answer = await kim.asks("PATCH", "account", {"password": "nine green bottles", "name": "Kim L."})

    assert answer.body["account"]["name"] == "Kim L."
    assert (await (await office.browser()).signs_in("kim")).status == 401
    assert (await (await office.browser()).signs_in("kim", "nine green bottles")).status == 200


async def test_an_hour_after_a_link_the_old_password_is_needed(office: Office) -> None:
    kim = await office.browser()
    await kim.opens_link(await office.staff.make_link(office.people["kim"]))
    office.clock.advance(3600)

    answer = await kim.asks("PATCH", "account", {"password": "nine green bottles"})

    assert (answer.status, answer.code) == (403, "password_current")


async def test_a_new_password_ends_the_other_sessions(office: Office) -> None:
    kim, at_home = await office.sits_down("kim"), await office.sits_down("kim")
    change = {"password": "nine green bottles", "current_password": PASSWORD}

    wrong = await kim.asks("PATCH", "account", {**change, "current_password": "wrong"})
    assert (wrong.status, wrong.code) == (403, "password_current")
    weak = await kim.asks("PATCH", "account", {**change, "password": "kim12345678"})
    assert (weak.status, weak.code) == (422, "password_weak")
    assert await at_home.is_signed_in()

    assert (await kim.asks("PATCH", "account", change)).status == 200

    assert [await kim.is_signed_in(), await at_home.is_signed_in()] == [True, False]
    assert (await office.recorded())[2:] == [
        "kim account.change kim (password): refused",
        "kim account.change kim (password): refused",
        "kim account.change kim (password): ok",
    ]


async def test_kim_chooses_a_language(office: Office) -> None:
    kim = await office.sits_down("kim")

    assert (await kim.asks("PATCH", "account", {"language": "de"})).body["account"]["language"] == "de"

    assert (await kim.asks("PATCH", "account", {"language": "xx"})).status == 422


async def test_a_hash_of_another_time_is_renewed_at_the_next_sign_in(office: Office) -> None:
    await office.staff._store.change_account(
        "demo", office.people["kim"].id, lambda one: replace(one, password=f"old {one.password}")
    )

    assert (await (await office.browser()).signs_in("kim")).status == 200

    assert (await office.staff.person("kim")).password == f"hash of {PASSWORD}"


BAD: list[tuple[str, Any]] = [
    ("nothing", None),
    ("a list", []),
    ("no password", {"login": "kim"}),
    ("a number", {"login": "kim", "password": 1}),
    ("one more field", {"login": "kim", "password": PASSWORD, "tenant": "bank"}),
    ("a long password", {"login": "kim", "password": "x" * 201}),
    ("half a character", {"login": "kim", "password": "\ud800"}),
]


@pytest.mark.parametrize(("what", "body"), BAD, ids=[what for what, _ in BAD])
async def test_a_request_that_does_not_fit_is_refused(office: Office, what: str, body: Any) -> None:
    answer = await (await office.browser()).asks("POST", "session", body)

    assert answer.status == 422
    assert answer.body["error"]["message"]
    assert PASSWORD not in str(answer.body)


async def test_a_large_request_is_not_read(office: Office) -> None:
    browser = await office.browser()
    answer = await browser.asks("POST", "session", {"login": "kim", "password": "x" * 70_000})
    assert (answer.status, answer.code) == (413, "too_large")

    async def parts() -> Any:
        yield b"{}"

    headers = {"Origin": browser.home, "Content-Type": "application/json"}
    async with browser.http.post(
        f"{browser.home}/console/api/session", data=parts(), headers=headers
    ) as told:
        assert told.status == 413


class NoRecords:
    """The records cannot be written."""

    async def add_record(self, record: AuditRecord) -> int:
        raise LogError("what staff does cannot be recorded: the disk is full")


async def test_without_a_record_no_one_signs_in(office: Office) -> None:
    console = office.server.context.console
    assert console is not None
    console.audit = NoRecords()  # type: ignore[assignment]
    kim: Browser = await office.browser()

    answer = await kim.signs_in("kim")

    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (503, "busy", "5")
    assert kim.cookie == ""
