"""Signing in with the company's identity provider: the good way, and each way in which it must not work."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from structlog.testing import capture_logs

from assistant.ids import SystemIds
from assistant.ports import FixedKey, Keys
from assistant.server.console.access import COOKIE
from assistant.server.console.console_context import CompanySignIn
from assistant.staff.identity import IdentityRules
from assistant.staff.identity_provider import IdentityProvider
from assistant.staff.openid import ProviderClient
from tests.server.console.browser import Browser, Office, open_office
from tests.server.running_server import ManualClock, new_server
from tests.support.memory_used_tokens import MemoryUsedTokens
from tests.support.openid_provider import CLIENT, EVA, SECRET, OpenIdProvider
from tests.support.rows import check_rows

RULES = IdentityRules(roles={"support": ["agent"], "leads": ["agent", "analyst"], "it": ["admin"]})
KEYS = FixedKey(b"the secret of this installation, long enough")


@dataclass
class Company:
    """A company with an identity provider, and its console."""

    office: Office
    provider: OpenIdProvider

    @property
    def clock(self) -> ManualClock:
        return self.office.clock

    async def goes(self, browser: Browser, address: str, **headers: str) -> str:
        """Where a browser ends that opens this address: the first address that belongs to the console's page."""
        home = browser.home
        address = address if address.startswith("http") else f"{home}{address}"
        for _ in range(5):
            async with browser.http.get(address, allow_redirects=False, headers=headers) as answer:
                assert answer.status == 303, await answer.text()
                address = answer.headers["Location"]
            address = address if address.startswith("http") else f"{home}{address}"
            parts = urlsplit(address)
            if address.startswith(home) and not parts.path.startswith("/console/oidc/"):
                return address.removeprefix(home)
        raise AssertionError(address)

    async def signs_in(self, browser: Browser | None = None, next_address: str = "") -> tuple[Browser, str]:
        """A browser that has used the button of the sign-in page, and where it ended."""
        browser = browser or await self.office.browser()
        self.provider.now_s = self.clock.now_ms() // 1000
        return browser, await self.goes(browser, f"/console/oidc/start?next={quote(next_address)}")

    async def refused(self) -> str:
        """The code with which a sign-in is refused; nothing else must have happened."""
        browser, there = await self.signs_in()
        assert not await browser.is_signed_in()
        assert browser.cookie == ""
        return there.partition("#refused=")[2]

    async def answered(self, browser: Browser, next_address: str = "") -> str:
        """The address with which the provider sends a browser back, which is not opened yet."""
        self.provider.now_s = self.clock.now_ms() // 1000
        start = f"{browser.home}/console/oidc/start?next={quote(next_address)}"
        async with browser.http.get(start, allow_redirects=False) as answer:
            there = answer.headers["Location"]
        async with browser.http.get(there, allow_redirects=False) as answer:
            return answer.headers["Location"]


@asynccontextmanager
async def open_company(
    folder: Path,
    *,
    rules: IdentityRules = RULES,
    keys: Keys = KEYS,
    used: MemoryUsedTokens | None = None,
    provider: OpenIdProvider | None = None,
    **options: Any,
) -> AsyncGenerator[Company]:
    async with (provider or OpenIdProvider()).running() as running:
        server = options.pop("server", None) or new_server()
        client = ProviderClient(
            issuer=running.issuer, client_id=CLIENT, secret=SECRET, scopes="openid email", label="Acme ID"
        )
        company_sign_in = CompanySignIn(
            provider=IdentityProvider(client, rules, server.clock),
            keys=keys,
            ids=SystemIds(),
            used=used or MemoryUsedTokens(),
        )
        async with open_office(folder, server=server, company_sign_in=company_sign_in, **options) as office:
            yield Company(office, running)


@pytest.fixture
async def company(tmp_path: Path) -> AsyncGenerator[Company]:
    async with open_company(tmp_path) as company:
        yield company


async def test_eva_signs_in_for_the_first_time(company: Company) -> None:
    browser, there = await company.signs_in(next_address="/console/people?q=%C3%BC")

    assert there == "/console/people?q=%C3%BC"
    session = (await browser.asks("GET", "session")).body
    assert session["account"] | {"id": ""} == {
        "id": "",
        "login": "eva@shop.example",
        "name": "Eva Lind",
        "roles": ["agent"],
        "language": "",
    }
    eva = session["account"]["id"]
    assert await company.office.recorded() == [
        f"someone session.begin_by_provider {eva} (new_account eva@shop.example): ok"
    ]


async def test_the_page_is_told_of_the_provider(company: Company) -> None:
    told = (await (await company.office.browser()).asks("GET", "sign-in")).body

    assert told["oidc"] == {"name": "Acme ID", "href": "/console/oidc/start"}
    assert told["password"] is True


async def test_the_browser_is_sent_with_a_challenge_and_no_secret(company: Company) -> None:
    browser = await company.office.browser()
    async with browser.http.get(f"{browser.home}/console/oidc/start", allow_redirects=False) as answer:
        there, cookie = urlsplit(answer.headers["Location"]), answer.headers["Set-Cookie"]

    asked = {name: values[0] for name, values in parse_qs(there.query).items()}
    assert {*asked} == {
        *("response_type", "client_id", "redirect_uri", "scope", "state", "nonce"),
        *("code_challenge", "code_challenge_method"),
    }
    assert asked["redirect_uri"] == f"{browser.home}/console/oidc/callback"
    assert asked["scope"] == "openid email"
    assert {"HttpOnly", "SameSite=lax", "Path=/console/oidc", "Max-Age=600"} <= {*cookie.split("; ")}
    assert not [one for one in (asked["nonce"], asked["state"], SECRET) if one in cookie]


async def test_later_sign_ins_take_the_roles_anew(company: Company) -> None:
    assert company.provider.person is not None
    await company.signs_in()
    company.provider.person["groups"] = ["leads", "unknown"]
    company.provider.person["email"] = "eva.lind@shop.example"
    browser, _ = await company.signs_in()

    account = (await browser.asks("GET", "session")).body["account"]
    assert (account["login"], account["roles"]) == ("eva@shop.example", ["agent", "analyst"])
    assert (await company.office.recorded())[-1] == (
        f"eva@shop.example session.begin_by_provider {account['id']} (roles: agent, analyst): ok"
    )


async def test_without_a_group_the_roles_end_at_once(company: Company) -> None:
    assert company.provider.person is not None
    earlier, _ = await company.signs_in()
    company.provider.person["groups"] = []

    assert await company.refused() == "no_role"
    assert (await earlier.asks("GET", "session")).body["may"] == []
    assert (await company.office.recorded())[-1] == (
        "eva@shop.example session.begin_by_provider (no_role eva@shop.example): refused"
    )


async def test_a_stranger_without_a_group_gets_no_account(company: Company) -> None:
    assert company.provider.person is not None
    company.provider.person["groups"] = ["sales"]

    assert await company.refused() == "no_role"
    assert await company.office.staff.people() == []


async def test_admins_give_roles_if_no_claim_does(tmp_path: Path) -> None:
    async with open_company(tmp_path, rules=IdentityRules(roles={})) as company:
        await company.office.hires("eva@shop.example", "editor")
        browser, _ = await company.signs_in()

        assert (await browser.asks("GET", "session")).body["account"]["roles"] == ["editor"]


async def test_only_invited_people_come_in_if_the_company_says_so(tmp_path: Path) -> None:
    rules = IdentityRules(roles=RULES.roles, new_accounts=False)
    async with open_company(tmp_path, rules=rules) as company:
        assert await company.refused() == "not_invited"
        assert await company.office.staff.people() == []
        await company.office.hires("eva@shop.example")
        browser, _ = await company.signs_in()

        assert (await browser.asks("GET", "session")).body["account"]["roles"] == ["agent"]


async def test_a_disabled_account_stays_out(company: Company) -> None:
    await company.office.hires("ana", "admin")
    browser, _ = await company.signs_in()
    [eva] = [one for one in await company.office.staff.people() if one.login != "ana"]
    await company.office.staff.change_person(eva.id, disabled=True)

    assert not await browser.is_signed_in()
    assert await company.refused() == "account_disabled"


async def test_a_new_employee_with_an_old_address_gets_no_account(company: Company) -> None:
    assert company.provider.person is not None
    await company.signs_in()
    company.provider.person["sub"] = "u-another-eva"

    assert await company.refused() == "other_identity"
    [eva] = await company.office.staff.people()
    await company.office.staff.unlink(eva)
    browser, _ = await company.signs_in()
    assert (await browser.asks("GET", "session")).body["account"]["id"] == eva.id


async def test_the_last_admin_is_not_locked_out_by_a_group(company: Company) -> None:
    assert company.provider.person is not None
    company.provider.person["groups"] = ["it"]
    await company.signs_in()
    company.provider.person["groups"] = ["support"]

    assert await company.refused() == "last_admin"


@pytest.mark.parametrize(
    ("person", "code"),
    [
        ({"email": "eva@elsewhere.example"}, "domain"),
        ({"email": "eva@shop.example.evil.example"}, "domain"),
        ({"email": "eva@evil.example@shop.example"}, "domain"),
        ({"email": " Eva@SHOP.example"}, ""),
        ({"email": "shop.example"}, "domain"),
        ({"email_verified": False}, "email_unverified"),
        ({"email_verified": "true"}, "email_unverified"),
        ({"email_verified": None}, "email_unverified"),
        ({"email": None}, "identity_incomplete"),
        ({"email": 7}, "identity_incomplete"),
        ({"email": "<b>@shop.example"}, "login_invalid"),
    ],
)
async def test_only_verified_addresses_of_the_company(
    tmp_path: Path, person: dict[str, Any], code: str
) -> None:
    rules = IdentityRules(roles=RULES.roles, domains=["Shop.Example"])
    async with open_company(tmp_path, rules=rules) as company:
        company.provider.person = {**EVA, **person}
        if code:
            assert await company.refused() == code
            assert await company.office.staff.people() == []
        else:
            browser, _ = await company.signs_in()
            assert await browser.is_signed_in()


WRONG_TOKENS: dict[str, dict[str, Any]] = {
    "another nonce": {"claims": {"nonce": "another"}},
    "no nonce": {"claims": {"nonce": None}},
    "another audience": {"claims": {"aud": "another-client"}},
    "two audiences, for the other": {"claims": {"aud": [CLIENT, "other"], "azp": "other"}},
    "two audiences, for no one": {"claims": {"aud": [CLIENT, "other"]}},
    "no audience": {"claims": {"aud": None}},
    "another issuer": {"claims": {"iss": "https://evil.example"}},
    "no issuer": {"claims": {"iss": None}},
    "expired": {"claims": {"exp": 1_799_999_900}},
    "never expires": {"claims": {"exp": None}},
    "from the future": {"claims": {"iat": 1_800_000_100}},
    "no subject": {"claims": {"sub": None}},
    "an empty subject": {"claims": {"sub": ""}},
    "a long subject": {"claims": {"sub": "x" * 256}},
    "another person's access": {"claims": {"at_hash": "bm90IHRoaXMgb25l"}},
    "no signature": {"algorithm": "none"},
    "signed with the secret": {"algorithm": "HS256"},
    "an unknown key": {"signs_with": "second"},
}


@pytest.mark.parametrize("wrong", list(WRONG_TOKENS))
async def test_a_token_that_is_not_for_this_sign_in(company: Company, wrong: str) -> None:
    for name, value in WRONG_TOKENS[wrong].items():
        setattr(company.provider, name, value)

    assert await company.refused() == "identity_refused"
    assert await company.office.staff.people() == []
    assert await company.office.recorded() == [
        "someone session.begin_by_provider (identity_refused): refused"
    ]


async def test_clocks_may_differ_by_a_minute(company: Company) -> None:
    company.provider.claims = {"exp": 1_800_000_000 - 50, "iat": 1_800_000_000 + 50}

    browser, _ = await company.signs_in()

    assert await browser.is_signed_in()


async def test_the_provider_may_replace_its_keys(company: Company) -> None:
    provider = company.provider
    await company.signs_in()
    provider.published, provider.signs_with = ["ec", "first"], "ec"
    provider.algorithm = "ES256"
    assert await company.refused() == "identity_refused"  # its keys were read a moment ago
    company.clock.advance(31)
    browser, _ = await company.signs_in()

    assert await browser.is_signed_in()
    assert provider.asked.count("keys") == 2
    assert provider.asked.count("openid-configuration") == 1


async def test_addresses_and_keys_are_read_again_after_an_hour(company: Company) -> None:
    await company.signs_in()
    company.clock.advance(3601)
    await company.signs_in()

    assert company.provider.asked.count("keys") == 2
    assert company.provider.asked.count("openid-configuration") == 2


async def test_an_answer_works_once(company: Company) -> None:
    browser = await company.office.browser()
    back = await company.answered(browser, "/console/audit")
    saved = {one.key: one.value for one in browser.http.cookie_jar}

    assert await company.goes(browser, back) == "/console/audit"
    again = await company.office.browser()
    again.http.cookie_jar.update_cookies(saved)
    assert await company.goes(again, back) == "/console/audit#refused=sign_in_lost"
    assert not await again.is_signed_in()


async def test_a_code_that_was_used_elsewhere_is_refused(company: Company) -> None:
    browser = await company.office.browser()
    back = await company.answered(browser)
    company.provider.codes.clear()

    assert await company.goes(browser, back) == "/console#refused=identity_refused"


async def test_a_code_of_another_sign_in_is_refused(company: Company) -> None:
    eva, mallory = await company.office.browser(), await company.office.browser()
    stolen = parse_qs(urlsplit(await company.answered(mallory)).query)["code"][0]
    state = parse_qs(urlsplit(await company.answered(eva)).query)["state"][0]

    there = await company.goes(eva, f"/console/oidc/callback?state={state}&code={stolen}")

    assert there == "/console#refused=identity_refused"
    assert not await eva.is_signed_in()


async def test_another_browser_cannot_be_signed_in(company: Company) -> None:
    mallory, eva = await company.office.browser(), await company.office.browser()
    back = await company.answered(mallory)
    await company.answered(eva)

    assert await company.goes(eva, back) == "/console#refused=sign_in_lost"
    for state in ("", "guessed", "x" * 4_001):
        there = await company.goes(eva, f"/console/oidc/callback?state={state}&code=c")
        assert there in ("/console#refused=sign_in_lost", "/console#refused=failed")
    assert not await eva.is_signed_in()


async def test_a_sign_in_may_take_ten_minutes(company: Company) -> None:
    browser = await company.office.browser()
    back = await company.answered(browser)
    company.clock.advance(601)
    company.provider.now_s = company.clock.now_ms() // 1000

    assert await company.goes(browser, back) == "/console#refused=sign_in_lost"


async def test_two_tabs_sign_in_at_the_same_time(company: Company) -> None:
    browser = await company.office.browser()
    backs = [await company.answered(browser, f"/console/{view}") for view in ("people", "audit")]

    assert [await company.goes(browser, back) for back in backs] == ["/console/people", "/console/audit"]


async def test_a_page_that_begins_sign_ins_leaves_few_cookies(company: Company) -> None:
    browser = await company.office.browser()
    for _ in range(9):
        await company.answered(browser)

    assert len([one for one in browser.http.cookie_jar if one.key.startswith("meanwhile_sign_in")]) == 4


async def test_the_answer_of_another_issuer_is_refused(company: Company) -> None:
    company.provider.metadata = {"authorization_response_iss_parameter_supported": True}
    browser = await company.office.browser()
    back = await company.answered(browser)
    assert "&iss=" in back

    there = await company.goes(browser, f"{back.split('&iss=')[0]}&iss=https://evil.example")
    assert there == "/console#refused=identity_refused"
    back = await company.answered(browser)
    assert await company.goes(browser, back.split("&iss=")[0]) == "/console#refused=identity_refused"
    assert await company.goes(browser, await company.answered(browser)) == "/console"
    assert company.provider.asked.count("token") == 1


async def test_a_person_who_refuses_comes_back(company: Company) -> None:
    company.provider.person = None

    assert await company.refused() == "provider_denied"


async def test_what_the_token_lacks_is_asked_for(company: Company) -> None:
    company.provider.email_at = "userinfo"
    browser, _ = await company.signs_in()
    assert await browser.is_signed_in()

    company.provider.userinfo = {"sub": "another"}
    assert await company.refused() == "identity_refused"


@pytest.mark.parametrize("name", ["openid-configuration", "keys", "token"])
@pytest.mark.parametrize(
    "broken",
    ["giant", (500, "down"), (200, "no JSON"), (200, "[]"), (302, "http://127.0.0.1:9/"), (200, "{}")],
)
async def test_a_broken_provider_is_told_in_words(company: Company, name: str, broken: Any) -> None:
    company.provider.broken[name] = broken

    assert await company.refused() in ("provider_down", "provider_failed")
    company.provider.broken.clear()
    browser, _ = await company.signs_in()
    assert await browser.is_signed_in()


@pytest.mark.parametrize("name", ["openid-configuration", "keys", "token"])
async def test_a_slow_provider_is_not_waited_for(company: Company, name: str) -> None:
    company.provider.broken[name] = "slow"
    browser = await company.office.browser()
    going = asyncio.create_task(company.signs_in(browser))
    await company.provider.waiting.wait()
    company.clock.advance(5.1)

    _, there = await going
    assert there in ("/console#refused=provider_down", "/console#refused=provider_failed")


async def test_a_provider_that_is_down(company: Company) -> None:
    company.provider.broken["openid-configuration"] = (503, "")

    with capture_logs() as logged:
        assert await company.refused() == "provider_down"

    assert "with status 503" in logged[0]["why"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"issuer": "https://evil.example"}, "calls itself 'https://evil.example'"),
        ({"token_endpoint": "http://evil.example/token"}, "must begin with https://"),
        ({"jwks_uri": "https://user@evil.example/"}, "must begin with https://"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "must begin with https://"),
        ({"token_endpoint": None}, "token_endpoint is None"),
    ],
)
async def test_a_description_that_cannot_be_right(
    company: Company, changed: dict[str, Any], why: str
) -> None:
    company.provider.metadata = changed

    with capture_logs() as logged:
        assert await company.refused() == "provider_down"

    assert why in logged[0]["why"]


async def test_the_secret_is_sent_in_the_way_that_the_provider_reads(company: Company) -> None:
    company.provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}

    browser, _ = await company.signs_in()

    assert await browser.is_signed_in()


@check_rows(
    "next_address",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/console\\..\\evil",
        "\\\\evil.example",
        "/console//evil.example",
        "/console/../v1/x",
        "/console/%2e%2e/x",
        "/console@evil.example",
        "/consoles",
        "/console.evil.example",
        "/console/api/session",
        "/console/oidc/start",
        "/console/oidc",
        "javascript:alert(1)",
        "/console/a b",
        "/console/\nhttps://evil.example",
        "/console/ü",
        "console",
        "/",
        "/console/" + "x" * 2_000,
    ],
)
async def test_no_link_leads_away_from_the_console(company: Company, next_address: str) -> None:
    _, there = await company.signs_in(next_address=next_address)

    assert there == "/console"


@check_rows(
    "next_address", ["/console", "/console/", "/console/people", "/console/apis", "/console?x=//evil.example"]
)
async def test_a_link_leads_to_the_view_that_was_asked_for(company: Company, next_address: str) -> None:
    _, there = await company.signs_in(next_address=next_address)

    assert there == next_address


async def test_too_many_attempts_from_one_address(tmp_path: Path) -> None:
    server = new_server()
    server.trusted_proxies = ("127.0.0.1",)
    async with open_company(tmp_path, server=server) as company:
        browser = await company.office.browser()
        theirs = {"X-Forwarded-For": "203.0.113.7"}
        for _ in range(60):
            await company.goes(browser, "/console/oidc/callback?state=guessed", **theirs)

        there = await company.goes(browser, "/console/oidc/callback?state=guessed", **theirs)
        assert there == "/console#refused=too_many"
        colleague, there = await company.signs_in()
        assert await colleague.is_signed_in()


async def test_behind_a_proxy_the_provider_returns_to_its_address(tmp_path: Path) -> None:
    server = new_server()
    server.trusted_proxies = ("127.0.0.1",)
    async with open_company(tmp_path, server=server) as company:
        browser = await company.office.browser()
        proxy = {
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "chat.example",
            "X-Forwarded-For": "203.0.113.7",
        }
        start = f"{browser.home}/console/oidc/start"
        async with browser.http.get(start, allow_redirects=False, headers=proxy) as answer:
            there = answer.headers["Location"]
            assert "; Secure" in answer.headers["Set-Cookie"]

        assert parse_qs(urlsplit(there).query)["redirect_uri"] == [
            "https://chat.example/console/oidc/callback"
        ]


async def test_any_server_may_get_the_answer(tmp_path: Path) -> None:
    used = MemoryUsedTokens()
    async with (
        open_company(tmp_path, used=used) as one,
        open_office(
            tmp_path,
            company_sign_in=CompanySignIn(
                provider=IdentityProvider(
                    one.office.server.context.console.company_sign_in.provider.client,  # type: ignore[union-attr]
                    RULES,
                    one.clock,
                ),
                keys=FixedKey(KEYS.signing),
                ids=SystemIds(),
                used=used,
            ),
        ) as other,
    ):
        browser = await one.office.browser()
        back = urlsplit(await one.answered(browser))
        browser.home = f"http://127.0.0.1:{other.server.port}"

        assert await one.goes(browser, f"{back.path}?{back.query}") == "/console"
        assert await browser.is_signed_in()
        browser.home = f"http://127.0.0.1:{one.office.server.port}"
        assert await one.goes(browser, f"{back.path}?{back.query}") == "/console#refused=sign_in_lost"


async def test_the_installations_secret_is_replaced_meanwhile(tmp_path: Path) -> None:
    keys = _Rotating()
    async with open_company(tmp_path, keys=keys) as company:
        browser = await company.office.browser()
        back = await company.answered(browser)
        keys.signing, keys.accepted = b"new", [b"new", b"old"]
        assert await company.goes(browser, back) == "/console"

        back = await company.answered(browser)
        keys.signing, keys.accepted = b"newer", [b"newer"]
        assert await company.goes(browser, back) == "/console#refused=sign_in_lost"


class _Rotating:
    signing: bytes = b"old"
    accepted: list[bytes] = [b"old"]  # noqa: RUF012 - replaced by the test


async def test_signing_out_tells_of_the_provider(company: Company) -> None:
    browser, _ = await company.signs_in()
    browser.csrf = (await browser.asks("GET", "session")).body["csrf"]

    assert (await browser.asks("DELETE", "session")).body == {
        "elsewhere": {"name": "Acme ID", "href": "/console/oidc/end"}
    }
    assert not await browser.is_signed_in()
    assert await company.goes(browser, "/console/oidc/end") == "/console"
    assert await company.refused() == "provider_denied"


async def test_with_passwords_switched_off_only_the_provider_is_left(tmp_path: Path) -> None:
    async with open_company(tmp_path, passwords=False) as company:
        await company.office.hires("ana", "admin")
        browser = await company.office.browser()
        assert (await browser.asks("GET", "sign-in")).body["password"] is False
        assert (await browser.signs_in("ana")).code == "passwords_off"

        eva, _ = await company.signs_in()
        session = (await eva.asks("GET", "session")).body
        assert session["passwords"] is False
        eva.csrf = session["csrf"]
        changed = await eva.asks("PATCH", "account", {"password": "several words of Eva"})
        assert changed.code == "passwords_off"
        link = await company.office.staff.make_link(company.office.people["ana"])
        assert (await browser.opens_link(link)).status == 200


async def test_a_session_of_the_provider_has_the_same_cookie(company: Company) -> None:
    browser = await company.office.browser()
    back = await company.answered(browser)
    async with browser.http.get(back, allow_redirects=False) as answer:
        cookies = answer.headers.getall("Set-Cookie")

    [session] = [one for one in cookies if one.startswith(COOKIE)]
    assert {"HttpOnly", "Max-Age=604800", "Path=/console", "SameSite=lax"} == {*session.split("; ")[1:]}
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
