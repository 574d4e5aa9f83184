"""Several companies in one installation: their settings, their tools, and how a request finds its company."""

from pathlib import Path

import httpx
import pytest
from starlette.responses import PlainTextResponse

from assistant.errors import DeclarationError
from assistant.server.pages import Pages
from assistant.server.tenants import TenantServers
from assistant.settings import Settings
from assistant.settings_sources import environment, load_installation
from assistant.tenants import load_settings, load_tenants
from assistant.tools.discovery import discover, package_of


@pytest.fixture(autouse=True)
def tenants(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with two companies, and no settings of the tester's."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ASSISTANT_{name.upper()}", raising=False)
    for name in ("acme", "globex"):
        (tmp_path / "tenants" / name / "tools").mkdir(parents=True)
    return tmp_path / "tenants"


def refusal() -> str:
    """Why the tenants are refused."""
    with pytest.raises(DeclarationError) as wrong:
        load_tenants(load_installation())
    return str(wrong.value)


def test_a_tenants_file_replaces_the_installations_settings(
    tenants: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DEFAULT_LOCALE", "sv")
    (tenants / "acme" / ".env").write_text("ASSISTANT_DEFAULT_LOCALE=de\nCRM_TOKEN=acmes\n")

    acme, globex = load_tenants(load_installation())

    assert (acme.tenant, acme.default_locale, acme.hosts) == ("acme", "de", ["acme.localhost"])
    assert (globex.tenant, globex.default_locale) == ("globex", "sv")
    assert environment(acme)["CRM_TOKEN"] == "acmes"
    assert "CRM_TOKEN" not in environment(globex)


def test_without_the_folder_there_is_one_company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "alone").mkdir()
    monkeypatch.chdir(tmp_path / "alone")

    assert load_tenants(load_installation()) == []
    assert load_settings().tenant == "demo"


def test_a_command_must_name_one_of_several_tenants(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeclarationError, match=r"acme, globex; say which one is meant: `assistant --tenant"):
        load_settings()

    monkeypatch.setenv("ASSISTANT_TENANT", "globex")
    assert load_settings().tenant == "globex"


def test_a_setting_that_a_tenant_cannot_have_is_refused(
    tenants: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tenants / "acme" / ".env"
    for line, why in (
        ("ASSISTANT_DATABASE=postgresql://x/y", "ASSISTANT_DATABASE is for the whole installation"),
        (
            "ASSISTANT_TOOLS_DIR=x",
            "ASSISTANT_TOOLS_DIR is not needed: a tenant's folder is tenants/acme/tools",
        ),
        ("ASSISTANT_MODLE=x", "did you mean ASSISTANT_MODEL?"),
    ):
        own.write_text(line)
        assert "tenants/acme/.env" in refusal()
        assert why in refusal()
    own.unlink()
    monkeypatch.setenv("ASSISTANT_SITE_SECRET", "x" * 40)
    assert "ASSISTANT_SITE_SECRET is one company's own" in refusal()


def test_two_tenants_cannot_share_a_host_or_a_secret(tenants: Path) -> None:
    for name in ("acme", "globex"):
        text = f"ASSISTANT_HOSTS=chat.example\nASSISTANT_SITE_SECRET={'s' * 40}\n"
        (tenants / name / ".env").write_text(text)

    assert "ASSISTANT_HOSTS=chat.example is set by the tenants acme and globex" in refusal()
    assert "s" * 40 not in refusal()


def test_an_invalid_name_is_refused(tenants: Path) -> None:
    (tenants / "Acme Spa").mkdir()

    assert "Acme Spa: not a tenant's name; use lower-case letters" in refusal()


async def test_each_tenants_tools_import_their_own_files(tenants: Path) -> None:
    for name in ("acme", "globex"):
        (tenants / name / "tools" / "_crm.py").write_text(f"OWNER = {name!r}\n")
        (tenants / name / "tools" / "orders.py").write_text(
            "from tools import _crm\n\n\ndef owners():\n"
            "    from tools._crm import OWNER\n    import tools._crm\n"
            "    return _crm.OWNER, OWNER, tools._crm.OWNER\n"
        )
    import importlib

    for name in ("acme", "globex"):
        discover(tenants / name / "tools", package=package_of(name))
    for name in ("acme", "globex"):
        assert importlib.import_module(f"{package_of(name)}.orders").owners() == (name, name, name)


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://acme.localhost/v1/x", (200, "acme")),
        ("http://globex.localhost:8000/", (200, "globex")),
        ("http://127.0.0.1/t/globex/v1/x", (200, "globex")),
        ("http://127.0.0.1/t/unknown/", (404, "")),
        ("http://elsewhere.example/", (404, "")),
        ("http://elsewhere.example/healthz", (200, "acme")),
        ("http://elsewhere.example/meanwhile-chat.js", (200, "the widget")),
        ("http://elsewhere.example/t/acme/meanwhile-chat.js", (200, "acme")),
    ],
)
async def test_a_request_finds_its_tenant(url: str, answer: tuple[int, str], tmp_path: Path) -> None:
    servers = {name: PlainTextResponse(name) for name in ("acme", "globex")}
    (tmp_path / "meanwhile-chat.js").write_text("the widget")
    widget = Pages([tmp_path], ())
    app = TenantServers(servers, {f"{name}.localhost": name for name in servers}, widget)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        response = await client.get(url)

    assert (response.status_code, response.text if answer[1] else "") == answer
    if response.status_code == 404:
        assert "No company is served here under the name" in response.text
        assert ("acme" in response.text) == ("127.0.0.1" in url)  # names are for this machine alone
