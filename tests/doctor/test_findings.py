"""Each check gives findings, and no finding hides the others."""

from pathlib import Path

import pytest

from assistant.assembly.config_builder import ConfigBuilder
from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.doctor import examine
from assistant.conversation.usage import Spent
from assistant.doctor.known_settings import read_settings
from assistant.doctor.setup_findings import (
    budget_findings,
    key_findings,
    page_findings,
    prompt_findings,
    settings_findings,
    time_findings,
    tool_findings,
    visitor_findings,
)
from assistant.errors import DeclarationError
from assistant.findings import Doubtful, Finding, Fine, Look, Wrong, looked_at
from assistant.ids import SystemIds
from assistant.settings import Settings


async def everything(*, offline: bool = True) -> list[Finding]:
    return [finding async for findings in examine(offline=offline) for finding in findings]


def raising(error: Exception) -> Look:
    def look() -> list[Finding]:
        raise error

    return look


async def test_an_error_in_a_check_is_a_finding() -> None:
    told = await looked_at("tools", raising(DeclarationError("a.py:1: wrong\nb.py:2: wrong")))
    assert told == [Wrong("tools", "a.py:1: wrong"), Wrong("tools", "b.py:2: wrong")]

    (surprise,) = await looked_at("log", raising(ValueError("odd")))
    assert isinstance(surprise, Wrong)
    assert surprise.says == "this could not be looked at: ValueError: odd"
    assert surprise.cure


async def test_the_package_itself_has_no_problem(folder: Path) -> None:
    found = await everything()

    assert {type(finding) for finding in found} == {Fine}
    assert [finding.what for finding in found] == [
        *(
            "settings",
            "keys",
            "tools",
            "prompts",
            "languages",
            "policies",
            "page",
            "data folder",
            "documents",
        ),
        *(
            "voice",
            "origins",
            "proxies",
            "site secret",
            "visitors",
            "time",
            "models",
            "models",
            "budgets",
            "model",
        ),
    ]
    assert not list(folder.iterdir())  # who looks leaves nothing behind


async def test_a_wrong_setting_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_TOOLS_TIMEOUT_S", "-3")
    monkeypatch.setenv("ASSISTANT_TEMPERATURE", "hot")
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", "nowhere")
    monkeypatch.setenv("ASSISTANT_PROMPTS_DIR", "nowhere")
    monkeypatch.setenv("ASSISTANT_TIME_ZONE", "Nowhere")
    monkeypatch.setenv("ASSISTANT_DATA_DIR", "/proc/nowhere")

    wrong = [finding for finding in await everything() if isinstance(finding, Wrong)]

    assert [finding.what for finding in wrong] == [
        *("settings", "settings", "tools", "prompts", "data folder", "time")
    ]
    assert wrong[0].says.startswith("ASSISTANT_TEMPERATURE='hot': ")
    assert wrong[1].says.startswith("ASSISTANT_TOOLS_TIMEOUT_S='-3': ")


async def test_an_unknown_setting_is_reported_and_the_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSISTANT_MODLE", "offline")
    monkeypatch.setenv("ASSISTANT_DEVELOPER", "true")

    known = read_settings()

    (wrong,) = known.wrong
    assert "did you mean ASSISTANT_MODEL?" in getattr(wrong, "says", "")
    assert known.settings.developer


def test_an_unreadable_file_of_settings_is_reported(folder: Path) -> None:
    (folder / ".env").write_bytes(b"ASSISTANT_MODEL=\xff")

    known = read_settings()

    assert [finding.what for finding in known.wrong] == ["settings"]
    (folder / ".env").unlink()
    assert known.settings == Settings()
    assert known.set_in("model") == "default"


def test_it_says_where_settings_come_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text(
        "ASSISTANT_MODEL=openai/a\nassistant_tools_timeout_s=7\nOPENAI_API_KEY=sk-1\n"
    )
    monkeypatch.setenv("ASSISTANT_DEMO", "false")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-2")

    known = read_settings()

    assert settings_findings(known) == [
        Fine(
            "settings",
            "from .env: ASSISTANT_MODEL, ASSISTANT_TOOLS_TIMEOUT_S; from the environment: ASSISTANT_DEMO",
        )
    ]
    assert key_findings(known) == [
        Fine("keys", "ANTHROPIC_API_KEY is set (the environment), OPENAI_API_KEY is set (.env)")
    ]


def test_settings_that_customers_should_not_meet_are_doubtful() -> None:
    found = visitor_findings(
        Settings.model_validate(
            {
                "allowed_origins": ["http://shop.example", "https://a.example", "http://localhost:1"],
                "developer": True,
            }
        )
    )

    assert [(type(finding), finding.what) for finding in found] == [
        (Doubtful, "origins"),
        (Fine, "origins"),
        (Fine, "origins"),
        (Doubtful, "proxies"),
        (Fine, "site secret"),
        (Doubtful, "visitors"),
        (Doubtful, "developer"),
    ]
    (clock,) = time_findings(Settings.model_validate({"now": "2026-11-21T10:00", "time_zone": "UTC"}))
    assert isinstance(clock, Doubtful)
    assert clock.says == "ASSISTANT_NOW is set: the clock starts at 2026-11-21 10:00 (UTC)"


@pytest.mark.parametrize(
    ("proxies", "kind", "says"),
    [
        ("", Fine, "ignored"),
        ("127.0.0.1, 10.0.0.0/8", Fine, "127.0.0.1, 10.0.0.0/8 may say"),
        ("10.0.0.1,0.0.0.0/0", Doubtful, "0.0.0.0/0 is trusted, so each client can forge"),
    ],
)
def test_trusted_proxies_are_named(proxies: str, kind: type[Finding], says: str) -> None:
    found = visitor_findings(Settings.model_validate({"trusted_proxies": proxies}))

    (finding,) = (one for one in found if one.what == "proxies")
    assert isinstance(finding, kind)
    assert says in finding.says


async def test_budgets_are_shown_with_todays_usage(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"data_dir": tmp_path, "tenant_day_budget": "1000 tokens", "turn_budget": "0.05 USD"}
    )
    async with open_storage(settings, SystemClock(), SystemIds()) as storage:
        await storage.spending.add("demo", "ana", SystemClock().now().date(), Spent(tokens=800))

    limits, used = await budget_findings(settings, offline=True)

    assert limits == Fine("budgets", "turn: 0.05 USD; tenant: 1000 tokens; shorter answers from 80% on")
    assert isinstance(used, Doubtful)
    assert used.says == "today all customers together have used 800 tokens and 0.00 USD of 1000 tokens"
    assert await budget_findings(Settings(), offline=True) == [
        Fine("budgets", "none: nothing limits what models cost")
    ]


async def test_a_budget_in_dollars_needs_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    given = {"turn_budget": "0.05 USD", "model": "openai/gpt-4o", "budget_model": "openai/no-such-model"}

    _, unknown = await budget_findings(Settings.model_validate(given), offline=True)

    assert isinstance(unknown, Doubtful)
    assert unknown.says.startswith("what openai/no-such-model costs is not known")


@pytest.mark.parametrize(("length", "kind"), [(31, Wrong), (32, Fine)])
def test_a_sites_secret_must_be_long_and_is_not_shown(length: int, kind: type[Finding]) -> None:
    secret = "s3cret" + "x" * (length - 6)

    _, _, found, visitors = visitor_findings(Settings.model_validate({"site_secret": secret, "demo": False}))

    assert type(found) is kind
    assert str(length) in found.says
    assert "s3cret" not in str(found)
    assert visitors == Fine("visitors", "anonymous until signed in")


def test_tools_prompts_and_page_are_counted(folder: Path) -> None:
    (folder / "empty").mkdir()

    (tools,) = tool_findings(Settings())
    (none,) = tool_findings(Settings(tools_dir=folder / "empty"))
    prompts, languages = prompt_findings(Settings())
    bundle = (
        ConfigBuilder(Settings(), SystemClock()).build_first().version.bundle
    )  # as logs, and `prompts check`, have it

    assert tools.says.endswith("8 look up, 6 change something")
    assert isinstance(none, Doubtful)
    assert prompts.says.endswith(f"with the tools, bundle {bundle}")
    assert languages.says.endswith("all guardrails work in en and de")
    assert page_findings()[0].what == "page"
    assert isinstance(page_findings()[0], Fine)
    (lost,) = page_findings(folder)
    assert isinstance(lost, Wrong)
    assert lost.says == f"index.html and meanwhile-chat.js not found in {folder}"


def test_guardrails_that_do_not_work_in_the_default_language_are_named() -> None:
    _, languages = prompt_findings(Settings(default_locale="fr-CA"))

    assert isinstance(languages, Doubtful)
    assert languages.says.endswith("in fr-CA, claims and repetition and facts are silent")
