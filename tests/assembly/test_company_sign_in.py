"""The settings of the company's own sign-in, and what the doctor says about it."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from assistant.assembly.staff import identity_provider_of
from assistant.clock import SystemClock
from assistant.doctor.service_findings import sign_in_findings
from assistant.errors import DeclarationError
from assistant.findings import Doubtful, Fine, looked_at
from assistant.settings import Settings
from assistant.settings_sources import load_installation
from assistant.staff.roles import ROLES
from assistant.tenants import load_tenants
from tests.support.openid_provider import CLIENT, SECRET, OpenIdProvider

ISSUER = "https://id.example.com/staff"


def provided(**settings: Any) -> Any:
    return identity_provider_of(Settings(**settings), SystemClock())


def test_without_an_issuer_there_is_none() -> None:
    assert provided() is None


def test_the_settings_say_who_may_enter() -> None:
    provider = provided(
        oidc_issuer=ISSUER, oidc_client_id=CLIENT, oidc_client_secret="new old", oidc_domains=["shop.example"]
    )

    assert (provider.client.label, provider.client.secret) == ("id.example.com", "new")
    assert "new" not in repr(provider.client)
    assert provider.rules.domains == ["shop.example"]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"oidc_client_id": CLIENT}, "set without ASSISTANT_OIDC_ISSUER"),
        ({"console_passwords": False}, "leaves no way to sign in"),
        ({"oidc_issuer": ISSUER}, "needs ASSISTANT_OIDC_CLIENT_ID"),
        ({"oidc_issuer": "http://id.example.com", "oidc_client_id": CLIENT}, "must begin with https://"),
        (
            {"oidc_issuer": ISSUER, "oidc_client_id": CLIENT, "oidc_domains": ["@shop.example"]},
            "write the domain alone",
        ),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(DeclarationError, match=why):
        provided(**settings)


def test_roles_are_written_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_OIDC_ROLES", '{"support": "agent", "it": ["admin", "editor"]}')
    assert load_installation().oidc_roles == {"support": ["agent"], "it": ["admin", "editor"]}

    for written, why in (
        ("support", "no JSON"),
        ('["agent"]', "no.*JSON object"),
        ('{"it": "owner"}', "admin"),
    ):
        monkeypatch.setenv("ASSISTANT_OIDC_ROLES", written)
        with pytest.raises(DeclarationError, match=f"ASSISTANT_OIDC_ROLES.*{why}"):
            load_installation()


def test_each_role_can_be_given() -> None:
    assert Settings(oidc_roles={"all": [*ROLES]}).oidc_roles == {"all": [*ROLES]}


def test_each_tenant_has_its_own_provider(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    monkeypatch.setenv("ASSISTANT_TENANTS_DIR", str(tmp_path))
    monkeypatch.setenv("ASSISTANT_OIDC_ISSUER", ISSUER)

    with pytest.raises(DeclarationError, match="ASSISTANT_OIDC_ISSUER is one company's own"):
        load_tenants(load_installation())


async def test_the_doctor_asks_the_provider() -> None:
    assert await sign_in_findings(Settings(), offline=False) == []
    async with OpenIdProvider().running() as provider:
        settings = Settings(
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT,
            oidc_client_secret=SecretStr(SECRET),
            oidc_label="Acme ID",
            oidc_roles={"it": ["admin"]},
        )
        told = f"staff sign in with Acme ID ({provider.issuer})"
        assert await sign_in_findings(settings, offline=False) == [
            Fine("sign-in", f"{told}; it answers, and has 1 keys for signatures")
        ]
        assert await sign_in_findings(settings, offline=True) == [Fine("sign-in", f"{told}; not asked")]
        open_to_all = settings.model_copy(update={"oidc_roles": {}})
        [_, doubt] = await sign_in_findings(open_to_all, offline=True)
        assert isinstance(doubt, Doubtful)
        assert "may make an account" in doubt.says
        provider.metadata = {"code_challenge_methods_supported": ["plain"]}
        [_, doubt] = await sign_in_findings(settings, offline=False)
        assert "PKCE" in doubt.says

    async def asked() -> Any:
        return await sign_in_findings(settings, offline=False)

    [wrong] = await looked_at("sign-in", asked)
    assert "Acme ID (127.0.0.1) cannot be reached" in wrong.says
