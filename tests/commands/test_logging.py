"""The log: one line for each event; exceptions with their traceback, without personal data."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from assistant.commands.logging import set_up_logging


@pytest.fixture(autouse=True)
def as_it_was_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def failing(folder: Path) -> None:
    """Log an exception that comes out of a file in the folder."""
    file = folder / "billing.py"
    file.write_text("def ask(secret):\n    raise ValueError('the ledger is shut')\n")
    names: dict[str, object] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)  # noqa: S102
    ask = names["ask"]
    assert callable(ask)
    try:
        ask("4711")
    except ValueError:
        structlog.get_logger().exception("tool raised")


def test_a_traceback_is_plain_and_without_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging()

    failing(tmp_path)

    told = capsys.readouterr().err
    assert "[error" in told
    assert "ValueError: the ledger is shut" in told
    assert "test_logging.py" in told
    assert "4711" not in told.replace('ask("4711")', "")


def test_it_begins_in_the_given_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(traces_from=tmp_path)

    failing(tmp_path)

    told = capsys.readouterr().err
    assert "test_logging.py" not in told
    assert 'billing.py", line 2, in ask' in told


def test_it_is_complete_if_it_was_never_in_that_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logging(traces_from=tmp_path / "elsewhere")

    failing(tmp_path)

    assert "test_logging.py" in capsys.readouterr().err


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("ERROR")

    structlog.get_logger().warning("never mind")

    assert capsys.readouterr() == ("", "")
