"""An admin adds people, changes what they may do, and reads what was done."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.staff.audit import AuditRecord
from assistant.store.storage import Storage
from tests.server.console.browser import Office, open_office
from tests.server.running_server import new_server
from tests.store.conftest import clock, postgres_installation, two_servers

__all__ = ["clock", "postgres_installation", "two_servers"]


async def test_ana_adds_eve_who_sets_a_password_and_signs_in(office: Office) -> None:
    ana, eve = await office.sits_down("ana"), await office.browser()

    added = await ana.asks(
        "POST", "people", {"login": "Eve@Shop.example", "name": "Eve", "roles": ["editor"]}
    )
    link = await ana.asks("POST", f"people/{added.body['id']}/link")

    assert (added.status, added.body) == (
        201,
        {
            "id": added.body["id"],
            "login": "eve@shop.example",
            "name": "Eve",
            "roles": ["editor"],
            "language": "",
            "disabled": False,
            "has_password": False,
            "last_seen_at": None,
        },
    )
    home, _, token = link.body["url"].partition("/console/link#")
    assert home == ana.home
    assert link.body["expires_at"] == office.clock.now_ms() + 24 * 3600 * 1000
    await eve.opens_link(token)
    assert (await eve.asks("PATCH", "account", {"password": "nine green bottles"})).status == 200
    assert (await (await office.browser()).signs_in("eve@shop.example", "nine green bottles")).status == 200
    people = {one["login"]: one for one in (await ana.asks("GET", "people")).body["people"]}
    assert list(people) == ["ana", "eve@shop.example", "kim", "lee"]
    assert people["eve@shop.example"]["has_password"]
    assert people["eve@shop.example"]["last_seen_at"] == office.clock.now_ms()


async def test_a_link_is_for_the_address_that_the_admin_uses(office: Office) -> None:
    ana = await office.sits_down("ana")
    ana.origin = "http://console.localhost"

    link = await ana.asks("POST", f"people/{office.people['kim'].id}/link", Host="console.localhost")

    assert link.body["url"].startswith("http://console.localhost/console/link#")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"login": "kim", "roles": []}, 409, "login_taken"),
        ({"login": "KIM ", "roles": []}, 409, "login_taken"),
        ({"login": "two words", "roles": []}, 422, "login_invalid"),
        ({"login": "zoe", "roles": ["owner"]}, 422, "invalid"),
        ({"login": "zoe", "roles": ["agent"], "password": "x"}, 422, "invalid"),
        ({"login": "zoe", "roles": [], "name": "a\nb"}, 422, "invalid"),
    ],
)
async def test_an_account_that_cannot_be_is_not_added(
    office: Office, body: dict[str, object], status: int, code: str
) -> None:
    ana = await office.sits_down("ana")

    answer = await ana.asks("POST", "people", body)

    assert (answer.status, answer.code) == (status, code)
    assert [one.login for one in await office.staff.people()] == ["ana", "kim", "lee"]


async def test_new_roles_hold_at_once(office: Office) -> None:
    ana, kim = await office.sits_down("ana"), await office.sits_down("kim")

    changed = await ana.asks(
        "PATCH", f"people/{office.people['kim'].id}", {"roles": ["admin"], "name": "Kim L."}
    )

    assert (changed.body["roles"], changed.body["name"]) == (["admin"], "Kim L.")
    assert (await kim.asks("GET", "people")).status == 200
    assert (await office.recorded())[2] == "ana people.change kim (name: Kim L.; roles: admin): ok"


async def test_a_disabled_account_is_out_at_once_and_stays_out(office: Office) -> None:
    ana, kim = await office.sits_down("ana"), await office.sits_down("kim")
    link = await office.staff.make_link(office.people["kim"])
    person = f"people/{office.people['kim'].id}"

    await ana.asks("PATCH", person, {"disabled": True})

    assert not await kim.is_signed_in()
    assert (await (await office.browser()).opens_link(link)).status == 401
    assert (await ana.asks("POST", f"{person}/link")).code == "account_disabled"
    await ana.asks("PATCH", person, {"disabled": False})
    assert not await kim.is_signed_in()  # but may sign in again
    assert (await kim.signs_in("kim")).status == 200


async def test_the_last_admin_stays_admin(office: Office) -> None:
    ana = await office.sits_down("ana")

    for change in ({"disabled": True}, {"roles": ["agent"]}):
        answer = await ana.asks("PATCH", f"people/{office.people['ana'].id}", change)
        assert (answer.status, answer.code) == (409, "last_admin")

    assert await ana.is_signed_in()
    assert (await office.recorded())[-1] == "ana people.change ana (roles: agent): refused"


@pytest.mark.parametrize("account", ["nobody", "%00", "x" * 300])
async def test_an_account_that_is_not_there_is_not_changed(office: Office, account: str) -> None:
    ana = await office.sits_down("ana")

    assert (await ana.asks("PATCH", f"people/{account}", {"disabled": True})).code == "unknown_account"
    assert (await ana.asks("POST", f"people/{account}/link")).code == "unknown_account"


async def test_two_servers_share_sessions_links_and_records(
    two_servers: tuple[Storage, Storage], tmp_path: Path
) -> None:
    stores = [(one.staff, one.audit) for one in two_servers]
    time = new_server()
    async with (
        open_office(tmp_path, server=time, stores=stores[0], shared=two_servers[0].rates) as here,
        open_office(tmp_path, server=replace(new_server(), clock=time.clock), stores=stores[1]) as there,
    ):
        for login, role in (("ana", "admin"), ("kim", "agent")):
            await here.hires(login, role)  # type: ignore[arg-type]
        ana, kim = await here.sits_down("ana"), await here.sits_down("kim")
        kim.home = kim.origin = f"http://127.0.0.1:{there.server.port}"
        assert await kim.is_signed_in()

        link = await ana.asks("POST", f"people/{here.people['kim'].id}/link")
        token = link.body["url"].partition("#")[2]
        opened = [await (await office.browser()).opens_link(token) for office in (there, here)]
        assert [one.status for one in opened] == [200, 401]

        await ana.asks("PATCH", f"people/{here.people['kim'].id}", {"disabled": True})
        assert not await kim.is_signed_in()

        assert (await there.recorded())[-1].endswith("(disabled: yes): ok")


async def test_the_records_are_read_in_pages(office: Office) -> None:
    ana = await office.sits_down("ana")
    for number in range(60):
        await office.audit.add_record(
            AuditRecord(
                tenant="demo", at_ms=number, account=office.people["kim"].id, login="kim",
                action="conversations.read", kind="conversation", object=f"c{number}", customer="ben",
                address="203.0.113.7",
            )
        )  # fmt: skip

    first = (await ana.asks("GET", "audit")).body
    second = (await ana.asks("GET", f"audit?before={first['before']}")).body
    of_ana = (await ana.asks("GET", f"audit?account={office.people['ana'].id}&action=session.begin")).body

    assert (len(first["records"]), len(second["records"]), second["before"]) == (50, 11, None)
    assert first["records"][0] == {  # not the look at the records that this is
        "id": first["records"][0]["id"],
        "at": 59,
        "account": {"id": office.people["kim"].id, "login": "kim", "name": "Kim"},
        "action": "conversations.read",
        "object": "conversation:c59",
        "customer": "ben",
        "detail": None,
        "address": "203.0.113.7",
        "outcome": "begun",
    }
    assert [one["action"] for one in of_ana["records"]] == ["session.begin"]
    assert (await ana.asks("GET", "audit")).body["records"][0]["action"] == "audit.read"
    assert (await ana.asks("GET", "audit?before=x")).status == 422


async def test_a_guess_has_no_account_in_the_records(office: Office) -> None:
    await (await office.browser()).signs_in("zoe")
    ana = await office.sits_down("ana")

    guess = (await ana.asks("GET", "audit")).body["records"][-1]

    assert (guess["account"], guess["action"], guess["outcome"]) == (None, "session.begin", "refused")
