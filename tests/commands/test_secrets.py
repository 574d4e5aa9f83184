"""``assistant secrets``: what there is, without a value, and how one is replaced."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.privacy.receipts import ReceiptSigner
from assistant.settings_sources import load_installation
from assistant.store.keyring import InstallationSecret, secret_of
from assistant.store.sqlite.data_folder import load_or_make_secret
from assistant.store.sqlite.log import SqliteLog

SITE, OPERATORS = "the site's secret, which is long enough", "the operators' token, which is long"


def assistant(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def done(*arguments: str) -> str:
    result = assistant(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return " ".join(result.stdout.split())


def refusal(*arguments: str) -> str:
    error = assistant(*arguments).exception
    assert isinstance(error, DeclarationError)
    return str(error)


@pytest.fixture(autouse=True)
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that has served, and no settings of the tester's."""
    for name in list(os.environ):
        if name.startswith(("ASSISTANT_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    load_or_make_secret(tmp_path / "data", SystemIds().secret)
    await SqliteLog(tmp_path / "data" / "log.db").close()
    return tmp_path


def secret(folder: Path) -> InstallationSecret:
    return InstallationSecret.parse((folder / "data" / "secret").read_text())


def test_secrets_are_listed_without_their_values(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "site").write_text(f"new-{SITE.replace(' ', '-')}\n{SITE.replace(' ', '-')}\n")
    monkeypatch.setenv("ASSISTANT_SITE_SECRET_FILE", "site")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    (folder / ".env").write_text(f"ASSISTANT_OPERATOR_TOKEN={OPERATORS.replace(' ', '-')}\n")
    monkeypatch.setenv("CRM_TOKEN_FILE", "missing")

    listed = assistant("secrets", "list")

    assert listed.exit_code == 0, listed.exception
    rows = [" ".join(line.split()) for line in listed.stdout.splitlines()]
    assert [row for row in rows if not row.startswith("own")] == [
        "secret from values age",
        "ASSISTANT_OPERATOR_TOKEN .env 1 unknown",
        "ASSISTANT_SITE_SECRET site 2 0 days",
        "CRM_TOKEN missing 0 unknown",
        "OPENAI_API_KEY environment 1 unknown",
    ]
    for value in (SITE, OPERATORS, "sk-0123", secret(folder).current):
        assert value.replace(" ", "-")[:10] not in listed.stdout


def test_the_installations_secret_is_replaced_in_two_steps(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = secret(folder).current
    (folder / "tenants" / "acme").mkdir(parents=True)
    begin = datetime.now(UTC)

    told = done("secrets", "rotate", "own")
    assert "Running servers read it within seconds" in told
    assert secret(folder).accepted[1:] == (first,)
    assert "is being replaced already" in refusal("secrets", "rotate", "own")
    assert "are valid until" in refusal("secrets", "rotate", "own", "--finish")
    assert "not all servers use the new secret yet" in refusal(
        "secrets", "rotate", "own", "--finish", "--now"
    )
    monkeypatch.setenv("ASSISTANT_NOW", f"{begin + timedelta(minutes=2):%Y-%m-%dT%H:%M:%SZ}")
    assert "are valid until" in refusal("secrets", "rotate", "own", "--finish")
    monkeypatch.setenv("ASSISTANT_NOW", f"{begin + timedelta(days=31):%Y-%m-%dT%H:%M:%SZ}")
    assert "The previous secret is removed; 0 credentials" in done("secrets", "rotate", "own", "--finish")

    now = secret(folder)
    assert first not in now.text
    assert now.retired_keys == [ReceiptSigner(first).public_key]
    assert now.of_tenant("acme").retired_keys == [ReceiptSigner(secret_of(first, "acme")).public_key]
    assert "has one value: no rotation is to be finished" in refusal("secrets", "rotate", "own", "--finish")


def test_a_setting_in_a_file_gets_a_second_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "site"
    file.write_text("the-only-value-of-this-secret-so-far\n")
    file.chmod(0o640)
    monkeypatch.setenv("ASSISTANT_SITE_SECRET_FILE", str(file))

    assert "has a new value in its first line" in done("secrets", "rotate", "site_secret")
    new, old = file.read_text().split()
    assert old == "the-only-value-of-this-secret-so-far"
    assert len(new) >= 43
    assert oct(file.stat().st_mode & 0o777) == "0o640"
    assert "has two values already" in refusal("secrets", "rotate", "ASSISTANT_SITE_SECRET")
    assert "has the new value alone" in done("secrets", "rotate", "site_secret", "--finish")
    assert file.read_text().split() == [new]
    assert "has one value: no rotation" in refusal("secrets", "rotate", "site_secret", "--finish")

    monkeypatch.delenv("ASSISTANT_SITE_SECRET_FILE")
    monkeypatch.setenv("ASSISTANT_SITE_SECRET", SITE)
    assert "ASSISTANT_SITE_SECRET is not in a file, so this command cannot change it" in refusal(
        "secrets", "rotate", "site_secret"
    )
    assert "is none of own, site_secret" in assistant("secrets", "rotate", "database").output


def test_a_tenants_secret_is_replaced_in_its_own_file(folder: Path) -> None:
    tenant = folder / "tenants" / "acme"
    tenant.mkdir(parents=True)
    (tenant / ".env").write_text(f"ASSISTANT_SITE_SECRET_FILE={folder / 'acme-site'}\n")
    (folder / "acme-site").write_text("the-secret-that-acme-and-its-site-know\n")

    done("--tenant", "acme", "secrets", "rotate", "site_secret")

    assert len((folder / "acme-site").read_text().split()) == 2
    assert "ASSISTANT_SITE_SECRET" in done("secrets", "list")


def test_an_invalid_secret_file_is_reported_without_its_content(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "empty").write_text("\n")
    monkeypatch.setenv("ASSISTANT_SITE_SECRET_FILE", "missing")
    with pytest.raises(
        DeclarationError, match="ASSISTANT_SITE_SECRET_FILE='missing': the file cannot be read"
    ):
        load_installation()
    monkeypatch.setenv("ASSISTANT_SITE_SECRET_FILE", "empty")
    with pytest.raises(DeclarationError, match="the file is empty"):
        load_installation()
    monkeypatch.setenv("ASSISTANT_SITE_SECRET", SITE)
    with pytest.raises(DeclarationError, match="ASSISTANT_SITE_SECRET_FILE are set: remove one of them"):
        load_installation()
    monkeypatch.delenv("ASSISTANT_SITE_SECRET_FILE")
    monkeypatch.setenv("ASSISTANT_DATA_DIR_FILE", "empty")
    with pytest.raises(DeclarationError, match="there is no such setting"):
        load_installation()


def test_settings_come_from_files_and_from_the_environment_together(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "token").write_text("the-token-of-the-people-who-answer\n")
    monkeypatch.setenv("ASSISTANT_OPERATOR_TOKEN_FILE", "token")
    monkeypatch.setenv("ASSISTANT_MESSAGES_PER_MINUTE", "7")

    settings = load_installation()

    assert settings.operator_token is not None
    assert settings.operator_token.get_secret_value() == "the-token-of-the-people-who-answer"
    assert settings.messages_per_minute == 7
