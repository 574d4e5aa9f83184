"""A wrong setting stops the start, with its name, its value and what would work."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.settings import Settings, spending_limits
from assistant.settings_sources import checked_settings, environment
from assistant.tenants import load_settings


@pytest.fixture(autouse=True)
def an_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ASSISTANT_{name.upper()}", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def refusal() -> str:
    """Why the settings are refused."""
    with pytest.raises(DeclarationError) as wrong:
        load_settings()
    return str(wrong.value)


def test_without_any_setting_everything_is_embedded() -> None:
    settings = load_settings()

    assert settings.model == "offline"
    assert settings.data_dir == Path("data")
    assert settings.narrator_model is None


def test_settings_come_from_the_environment_and_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("ASSISTANT_MODEL=openai/from-file\nASSISTANT_MAX_TOKENS=99\nOTHER=1\n")
    monkeypatch.setenv("ASSISTANT_MODEL", "openai/from-environment")

    settings = load_settings()

    assert settings.model == "openai/from-environment"
    assert settings.max_tokens == 99


def test_an_empty_setting_counts_as_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ASSISTANT_MODEL=openai/from-file\nASSISTANT_MAX_TOKENS=\n")
    monkeypatch.setenv("ASSISTANT_MODEL", "")
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", "")

    settings = load_settings()

    assert settings.tools_dir is None
    assert settings.model == "openai/from-file"
    assert settings.max_tokens is None


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("ASSISTANT_MAX_TOKENS", "0", "greater than or equal to 1"),
        ("ASSISTANT_TEMPERATURE", "hot", "valid number"),
        ("ASSISTANT_NOW", "soon", "datetime"),
        ("ASSISTANT_ALLOWED_ORIGINS", "www.example.com", "'https://www.example.com'"),
        ("ASSISTANT_MODLE", "x", "did you mean ASSISTANT_MODEL?"),
        ("ASSISTANT_XYZZY", "x", "known are ASSISTANT_DATA_DIR"),
    ],
)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_wrong_setting_is_named_with_its_value_and_the_solution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str, name: str, value: str, cure: str
) -> None:
    if place == "environment":
        monkeypatch.setenv(name, value)
    else:
        (tmp_path / ".env").write_text(f"{name}={value}\n")

    told = refusal()

    assert f"{name}={value!r}: " in told
    assert cure in told


def test_a_model_has_its_own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL_OPTIONS", '{"ollama/small": {"calls": "json", "images": false}}')

    own = load_settings().model_options["ollama/small"]

    assert (own.calls, own.sections, own.images, own.parallel_calls) == ("json", "markdown", False, None)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", "ASSISTANT_MODEL_OPTIONS='{': no JSON: "),
        ('["a/b"]', "ASSISTANT_MODEL_OPTIONS=['a/b']: Input should be a valid dictionary"),
        (
            '{"a/b": {"calls": "toml"}}',
            "ASSISTANT_MODEL_OPTIONS: a/b: calls='toml': Input should be 'native'",
        ),
        ('{"a/b": {"pictures": true}}', "ASSISTANT_MODEL_OPTIONS: a/b: pictures=True: Extra inputs are not"),
    ],
)
def test_a_wrong_option_of_a_model_is_named(monkeypatch: pytest.MonkeyPatch, given: str, told: str) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL_OPTIONS", given)

    assert refusal().startswith(told)


def test_a_misspelt_name_in_the_file_is_reported_there(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("assistant_modle=x\n")

    assert refusal() == ".env: assistant_modle='x': there is no such setting; did you mean ASSISTANT_MODEL?"


def test_a_key_in_the_wrong_place_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_OPENAI_API_KEY", "sk-secret")

    assert refusal().startswith("ASSISTANT_OPENAI_API_KEY=...: there is no such setting")


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("OTHER=Größe\n".encode("latin-1"))

    assert refusal().startswith(".env: not UTF-8 text")


@pytest.mark.parametrize(
    ("given", "origins"),
    [
        ("https://x.example", ["https://x.example"]),
        (
            "https://x.example, http://localhost:3000,",
            ["https://x.example", "http://localhost:3000"],
        ),
        ('["https://x.example", "http://[::1]:80"]', ["https://x.example", "http://[::1]"]),
        ("HTTPS://Shop.Example:443", ["https://shop.example"]),
        (" ", []),
    ],
)
def test_origins_are_a_list_with_commas_or_in_json(
    monkeypatch: pytest.MonkeyPatch, given: str, origins: list[str]
) -> None:
    monkeypatch.setenv("ASSISTANT_ALLOWED_ORIGINS", given)

    assert load_settings().allowed_origins == origins


@pytest.mark.parametrize(
    "given",
    [
        "https://x.example/",
        "https://x.example/shop",
        "x.example",
        "*",
        "null",
        "ftp://x",
        "https://a@x",
        "[",
        "[1]",
    ],
)
def test_an_invalid_origin_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("ASSISTANT_ALLOWED_ORIGINS", given)

    assert refusal().startswith("ASSISTANT_ALLOWED_ORIGINS=")


def test_other_variables_may_be_in_the_file_and_the_environment_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-file\nOPENAI_BASE_URL=http://127.0.0.1:1/v1\n")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "")

    assert environment()["OPENAI_API_KEY"] == "from-file"
    assert environment()["OPENAI_BASE_URL"] == "http://127.0.0.1:2/v1"


def test_a_budget_is_tokens_or_dollars_or_both() -> None:
    settings = Settings.model_validate(
        {
            "turn_budget": "20000 tokens",
            "tenant_day_budget": "50 usd, 5000000 tokens",
            "budget_soft_percent": 90,
        }
    )
    limits = spending_limits(settings)

    assert limits is not None
    assert {scope: str(limit) for scope, limit in limits.by_scope.items()} == {
        "turn": "20000 tokens",
        "tenant": "5000000 tokens, 50 USD",
    }
    assert limits.soft_share == 0.9
    assert spending_limits(Settings()) is None


@pytest.mark.parametrize("written", ["20000", "0 tokens", "1.5 tokens", "5 EUR", "5 USD, 6 USD", "-1 USD"])
def test_an_invalid_budget_is_refused_with_what_would_work(written: str) -> None:
    with pytest.raises(DeclarationError, match=r"write it like '20000 tokens', '0.50 USD' or"):
        checked_settings(Settings, "", {"turn_budget": written})


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ("127.0.0.1", ["127.0.0.1"]),
        ("10.0.0.0/8, fd00::/8", ["10.0.0.0/8", "fd00::/8"]),
        ('["192.0.2.7"]', ["192.0.2.7"]),
    ],
)
def test_trusted_proxies_are_addresses_and_networks(written: str, listed: list[str]) -> None:
    assert Settings.model_validate({"trusted_proxies": written}).trusted_proxies == listed


@pytest.mark.parametrize("written", ["nginx", "10.0.0.1/8", "*"])
def test_an_invalid_proxy_is_refused(written: str) -> None:
    with pytest.raises(DeclarationError, match=r"write an address such as '127.0.0.1' or a network"):
        checked_settings(Settings, "", {"trusted_proxies": written})
