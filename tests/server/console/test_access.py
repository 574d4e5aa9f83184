"""Each route of the console asks who it is, whether they may, and where the request comes from; and records it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from assistant.server.console.access import Access, ConsoleRoute, own_page
from assistant.server.console.routes import console_routes
from assistant.staff.roles import SHOWS_CUSTOMERS, permissions_of
from assistant.store.sqlite.file import SqliteKeyValue
from assistant.store.sqlite.staff import STAFF_FILE, STAFF_TABLES, SqliteStaff
from tests.server.console.browser import Browser, Office, new_staff

OPEN = {
    "GET /console/api/sign-in": "tells how to sign in",
    "GET /console/api/session": "tells who is signed in",
    "POST /console/api/session": "signs in",
    "POST /console/api/session/link": "signs in",
}
"""The routes for people who are not signed in."""

ROUTES = {
    "DELETE /console/api/session": (None, "session.end"),
    "PATCH /console/api/account": (None, "account.change"),
    "GET /console/api/people": ("people.manage", ""),
    "POST /console/api/people": ("people.manage", "people.add"),
    "PATCH /console/api/people/{account_id}": ("people.manage", "people.change"),
    "POST /console/api/people/{account_id}/link": ("people.manage", "people.link"),
    "GET /console/api/audit": ("audit.read", "audit.read"),
    "GET /console/api/conversations": ("conversations.read", "conversations.search"),
    "GET /console/api/conversations/{conversation_id}": ("conversations.read", "conversations.read"),
    "GET /console/api/conversations/{conversation_id}/requests/{seq}": (
        "conversations.read",
        "conversations.request",
    ),
    "POST /console/api/conversations/{conversation_id}/test": (
        "conversations.read",
        "conversations.copy_as_test",
    ),
    "POST /console/api/conversations/{conversation_id}/replay": (
        "conversations.read",
        "conversations.replay",
    ),
    "GET /console/api/conversations/{conversation_id}/what-if": (None, ""),
    "POST /console/api/conversations/{conversation_id}/what-if": (
        "conversations.read",
        "conversations.what_if",
    ),
    "GET /console/api/conversations/{conversation_id}/receipts/{turn_id}/{call_id}": (
        "conversations.read",
        "conversations.receipt",
    ),
    "GET /console/api/approvals": ("approvals.decide", "approvals.read"),
    "GET /console/api/approvals/mark": (None, ""),
    "POST /console/api/approvals": ("approvals.decide", "approvals.decide"),
    "POST /console/api/approvals/reply": ("approvals.decide", "approvals.reply"),
    "POST /console/api/pauses/launch": ("assistant.pause", "assistant.launch"),
    "GET /console/api/pauses": ("assistant.pause", ""),
    "POST /console/api/pauses": ("assistant.pause", "assistant.pause"),
    "POST /console/api/pauses/resume": ("assistant.pause", "assistant.resume"),
    "GET /console/api/replies": ("replies.read", ""),
    "POST /console/api/replies": ("replies.edit", "replies.write"),
    "DELETE /console/api/replies/{reply}": ("replies.edit", "replies.delete"),
    "POST /console/api/presence": ("inbox.read", "presence.change"),
    "GET /console/api/inbox": ("inbox.read", "inbox.read"),
    "GET /console/api/inbox/colleagues": ("inbox.read", "inbox.colleagues"),
    "POST /console/api/inbox/{conversation}/take-over": ("conversations.take_over", "conversation.take_over"),
    "POST /console/api/inbox/{conversation}/messages": ("conversations.take_over", "conversation.reply"),
    "POST /console/api/inbox/{conversation}/hand-back": ("conversations.take_over", "conversation.hand_back"),
    "POST /console/api/inbox/{conversation}/close": ("conversations.take_over", "conversation.close"),
    "POST /console/api/inbox/{conversation}/notes": ("conversations.take_over", "conversation.note"),
    "POST /console/api/inbox/{conversation}/tags": ("conversations.take_over", "conversation.tag"),
    "POST /console/api/inbox/{conversation}/assign": ("conversations.take_over", "conversation.assign"),
}
"""What each other route demands, and how its use is recorded."""

ADMINS = [
    name
    for name, (permission, _) in ROUTES.items()
    if permission is not None and permission not in permissions_of(["analyst"])
]
CHANGES = [name for name in (*OPEN, *ROUTES) if not name.startswith("GET")]

BODIES: dict[str, Any] = {
    "POST /console/api/session": {"login": "kim", "password": "a long walk in autumn"},
    "POST /console/api/session/link": {"token": "a-token"},
    "PATCH /console/api/account": {"name": "Eve"},
    "POST /console/api/people": {"login": "eve", "roles": ["admin"]},
    "PATCH /console/api/people/{account_id}": {"roles": ["admin"]},
    "POST /console/api/approvals": {
        "conversation": "c-1",
        "turn": "t1",
        "call": "c1.1",
        "decision": "approved",
    },
    "POST /console/api/pauses": {"kind": "tool", "name": "cancel_order"},
    "POST /console/api/pauses/resume": {"kind": "tool", "name": "cancel_order"},
    "POST /console/api/replies": {"id": "r1", "title": "Hello", "text": "Hello"},
    "POST /console/api/presence": {"away": True},
    "POST /console/api/pauses/launch": {"mode": "usual"},
    "POST /console/api/approvals/reply": {"conversation": "c-1", "turn": "t1", "decision": "approved"},
    "POST /console/api/inbox/{conversation}/messages": {"id": "m1", "text": "Hello"},
    "POST /console/api/inbox/{conversation}/hand-back": {"note": ""},
    "POST /console/api/inbox/{conversation}/notes": {"id": "n1", "text": "A note"},
    "POST /console/api/inbox/{conversation}/tags": {"tags": ["slow"]},
    "POST /console/api/inbox/{conversation}/assign": {"account": None},
}


def _routes(office: Office) -> dict[str, APIRoute]:
    console = office.server.context.console
    assert console is not None
    found: dict[str, APIRoute] = {}

    for route in console_routes(console).routes:
        assert isinstance(route, APIRoute)
        [method] = sorted(route.methods or ())
        found[f"{method} {route.path}"] = route
    return found


def _dependencies(route: APIRoute) -> list[Any]:
    return [one.call for one in route.dependant.dependencies]


async def test_each_route_has_its_place_here(office: Office) -> None:
    assert {*_routes(office)} == {*OPEN, *ROUTES}


async def test_each_route_checks_and_records(office: Office) -> None:
    for name, route in _routes(office).items():
        assert isinstance(route, ConsoleRoute), name
        accesses = [one for one in _dependencies(route) if isinstance(one, Access)]
        changes = not name.startswith("GET")
        if name in OPEN:
            assert accesses == []
            assert (own_page in _dependencies(route)) == changes, name
            continue
        [access] = accesses
        assert (access.permission, access.action) == ROUTES[name]
        assert access.action or not (changes or access.permission in SHOWS_CUSTOMERS), (
            f"{name} leaves no record"
        )


def test_what_shows_customers_cannot_go_unrecorded() -> None:
    with pytest.raises(ValueError, match="shows customers' data"):
        Access(None, "conversations.read")  # type: ignore[arg-type]


async def _tries(browser: Browser, name: str, account: str = "x", **headers: str) -> int:
    method, _, path = name.partition(" /console/api/")
    names = {"account_id": account, "conversation_id": account, "conversation": account}
    path = path.format(**names, reply="r1", seq=1, turn_id="t1", call_id="c1.1")
    answer = await browser.asks(method, path, BODIES.get(name), **headers)
    return answer.status


async def test_without_a_session_there_is_nothing(office: Office) -> None:
    for cookies in ({}, {"meanwhile_console": "guessed"}):
        stranger = await office.browser()
        stranger.http.cookie_jar.update_cookies(cookies)
        answered = {name: await _tries(stranger, name, office.people["kim"].id) for name in ROUTES}
        assert answered == dict.fromkeys(ROUTES, 401)
    assert await office.recorded() == []


async def test_another_site_changes_nothing(office: Office) -> None:
    ana = await office.sits_down("ana")
    before = await office.staff.people(), await office.recorded()

    answered: dict[tuple[str, str | None], int] = {}
    for origin in ("https://evil.example", "null", f"{ana.home}.evil.example", "http://127.0.0.1:1", None):
        ana.origin = origin
        for name in CHANGES:
            answered[name, origin] = await _tries(ana, name, office.people["kim"].id)

    assert answered == dict.fromkeys(answered, 403)
    assert (await office.staff.people(), await office.recorded()) == before


async def test_without_the_pages_token_nothing_changes(office: Office) -> None:
    ana, lee = await office.sits_down("ana"), await office.sits_down("lee")
    before = await office.staff.people(), await office.recorded()

    answered: dict[tuple[str, str], int] = {}
    for token in ("", "guessed", lee.csrf, "ü"):
        ana.csrf = token
        for name in [name for name in ROUTES if not name.startswith("GET")]:
            answered[name, token] = await _tries(ana, name, office.people["kim"].id)

    assert answered == dict.fromkeys(answered, 403)
    assert (await office.staff.people(), await office.recorded()) == before


async def test_an_analyst_does_not_do_what_admins_do(office: Office) -> None:
    lee = await office.sits_down("lee")
    before = await office.staff.people(), await office.recorded()

    answered = {name: await _tries(lee, name, office.people["lee"].id) for name in ADMINS}

    assert answered == dict.fromkeys(ADMINS, 403)
    assert await office.staff.people() == before[0]
    refused: list[str] = []
    for name in ADMINS:
        permission, action = ROUTES[name]
        names_lee = any(f"{{{one}}}" in name for one in ("account_id", "conversation_id", "conversation"))
        refused.append(f"lee {action or permission}{' lee' if names_lee else ''}: refused")
    assert await office.recorded() == [*before[1], *refused]


async def test_who_is_no_admin_any_more_does_not_either(office: Office) -> None:
    eve = (await office.hires("eve", "admin")).id
    browser = await office.sits_down("eve")
    assert await _tries(browser, "GET /console/api/people") == 200

    await office.staff.change_person(eve, roles=["analyst"])

    answered = {name: await _tries(browser, name, eve) for name in ADMINS}
    assert answered == dict.fromkeys(ADMINS, 403)


async def test_an_admin_of_another_company_reaches_nothing(office: Office, tmp_path: Path) -> None:
    file = SqliteKeyValue(tmp_path / STAFF_FILE, STAFF_TABLES, "staff accounts")
    bank = new_staff(SqliteStaff(file), office.clock, office.hasher, "bank")
    banks = await bank.add_person("max", "Max", ["admin"], password="a long walk in autumn")
    begun = await bank.begin_session(banks, "password")
    max_ = await office.browser()
    max_.http.cookie_jar.update_cookies({"meanwhile_console": begun.token})

    assert {name: await _tries(max_, name, office.people["kim"].id) for name in ADMINS} == dict.fromkeys(
        ADMINS, 401
    )
    assert (await max_.signs_in("max")).status == 401

    ana = await office.sits_down("ana")
    named = [name for name in ADMINS if "{" in name]
    # And the shop's admin does not reach the bank's account.
    assert {name: await _tries(ana, name, banks.id) for name in named} == dict.fromkeys(named, 404)
    assert "max" not in str((await ana.asks("GET", "people")).body)
    assert await bank.people() == [replace(banks, seen_ms=office.clock.now_ms())]
    await file.close()


async def test_what_fails_is_recorded_too(office: Office) -> None:
    ana = await office.sits_down("ana")

    async def breaks(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a bug")

    office.staff.make_link = breaks  # type: ignore[method-assign]
    async with ana.http.post(
        f"{ana.home}/console/api/people/{office.people['kim'].id}/link",
        headers={"Origin": ana.home, "X-Console-Token": ana.csrf},
    ) as answer:
        assert answer.status == 500

    assert (await office.recorded())[1:] == ["ana people.link kim: failed"]


async def test_the_record_is_there_before_anything_happens(office: Office) -> None:
    ana = await office.sits_down("ana")
    add, seen = office.staff.add_person, list[str]()

    async def looks_first(*given: Any, **options: Any) -> Any:
        seen.extend(await office.recorded())
        return await add(*given, **options)

    office.staff.add_person = looks_first  # type: ignore[method-assign]
    answer = await ana.asks("POST", "people", {"login": "eve", "roles": ["agent"]})

    assert seen[1:] == ["ana people.add: begun"]
    assert (await office.recorded())[1:] == [f"ana people.add {answer.body['id']} (eve: agent): ok"]
