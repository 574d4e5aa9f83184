"""The demo shop's records: a small SQLite file, created and filled when it is first opened.

It takes the place of your company's own system. The tools are written as you would write them for that.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import Field, asdict, dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Protocol, TypeVar

from assistant import Customer, ToolError
from tools import _demo


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R", bound=_Record)


@dataclass(slots=True)
class _Place:
    """The file and the shop's time; None: taken from the environment."""

    path: Path | None = None
    now: datetime | None = None


_place = _Place()
_opened: set[Path] = set()
_opening = Lock()


def use(path: Path | None, now: datetime | None = None) -> None:
    """Set the file and the time: for tests. None means ``ASSISTANT_DATA_DIR``."""
    _place.path, _place.now = path, now


def now() -> datetime:
    """The shop's time where there is no ``ToolContext``; ``ASSISTANT_NOW`` sets it."""
    if _place.now is not None:
        return _place.now
    given = os.environ.get("ASSISTANT_NOW")
    # Like your system, the shop has its own clock. Calls use the conversation's time.
    return datetime.fromisoformat(given) if given else datetime.now().astimezone()  # noqa: TID251


@contextmanager
def reading(at: datetime | None = None) -> Generator[sqlite3.Connection]:
    """Open the records for reading. ``at``: the conversation's time, which dates new demo records."""
    path = _path()
    _make_ready(path, at or now())
    with closing(_connect(path)) as db:
        yield db


@contextmanager
def writing(at: datetime) -> Generator[sqlite3.Connection]:
    """Open the records in a transaction, which is rolled back if the block raises."""
    with reading(at) as db:
        db.execute("BEGIN IMMEDIATE")
        with db:
            yield db


def once(db: sqlite3.Connection, key: str, kind: type[R], act: Callable[[], R]) -> R:
    """Run ``act`` once for this idempotency key; if it has run before, return the stored result."""
    row = db.execute("SELECT result FROM done WHERE key = ?", [key]).fetchone()
    if row is not None:
        return kind(**json.loads(row["result"]))
    result = act()
    db.execute("INSERT INTO done VALUES (?, ?)", [key, json.dumps(asdict(result))])
    return result


def account(db: sqlite3.Connection, customer: Customer) -> str:
    """The customer's id in all rows. Raises ``ToolError`` if the customer is not in the records."""
    row = db.execute("SELECT id FROM customers WHERE id = ?", [customer.id]).fetchone()
    if row is None:
        raise ToolError("I can't find you among our customers")
    return str(row["id"])


def count_word(number: int) -> str:
    """A number from two on, in words.

    >>> count_word(2), count_word(12)
    ('two', '12')
    """
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
    return words[number - 2] if number - 2 < len(words) else str(number)


def mailbox() -> Path:
    """The file that a demo appends to instead of sending mail."""
    return _path().with_name("demo_mail.txt")


def send_mail(to: str, text: str, now: datetime) -> None:
    """Append a mail to that file, which only its owner can read."""
    box = mailbox()
    box.touch(mode=0o600)
    with box.open("a", encoding="utf-8") as file:
        file.write(f"{now:%Y-%m-%d %H:%M} to {to}: {text}\n")


def _path() -> Path:
    return _place.path or Path(os.environ.get("ASSISTANT_DATA_DIR") or "data") / "crm.db"


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def _make_ready(path: Path, at: datetime) -> None:
    with _opening:
        if path in _opened and path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(_connect(path)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("BEGIN IMMEDIATE")
            with db:
                # The demo needs appointments in the future.
                if not _is_fresh(db, at):
                    _demo.fill(db, at.date())
        _opened.add(path)


def _is_fresh(db: sqlite3.Connection, at: datetime) -> bool:
    if db.execute("PRAGMA user_version").fetchone()["user_version"] != _demo.EDITION:
        return False
    return bool(db.execute("SELECT fresh_until FROM demo").fetchone()["fresh_until"] >= at.date().isoformat())
