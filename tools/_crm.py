"""The demo shop's customer records: a small SQLite file, made and filled when it is first opened.

It stands for the system that a company has already; its tools are written as they would be for that one.
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
class _Desk:
    """Where the books lie, and what the shop's own clock shows; None: what the environment says."""

    path: Path | None = None
    now: datetime | None = None


_desk = _Desk()
_opened: set[Path] = set()
_opening = Lock()


def use(path: Path | None, now: datetime | None = None) -> None:
    """Keep the books in this file, on this day: for tests. None goes back to ``ASSISTANT_DATA_DIR``."""
    _desk.path, _desk.now = path, now


def now() -> datetime:
    """The shop's own clock, for what happens outside a call; ``ASSISTANT_NOW`` sets it."""
    if _desk.now is not None:
        return _desk.now
    given = os.environ.get("ASSISTANT_NOW")
    # A foreign system has a clock of its own; the calls themselves go by the conversation's.
    return datetime.fromisoformat(given) if given else datetime.now().astimezone()  # noqa: TID251


@contextmanager
def reading(at: datetime | None = None) -> Generator[sqlite3.Connection]:
    """The books, to look something up. ``at``: the conversation's time, which dates new demo records."""
    path = _path()
    _make_ready(path, at or now())
    with closing(_connect(path)) as db:
        yield db


@contextmanager
def writing(at: datetime) -> Generator[sqlite3.Connection]:
    """The books, to change something: all of the block or, when it raises, nothing of it."""
    with reading(at) as db:
        db.execute("BEGIN IMMEDIATE")
        with db:
            yield db


def once(db: sqlite3.Connection, key: str, kind: type[R], act: Callable[[], R]) -> R:
    """Act, unless this idempotency key was acted on before: then give what came of it then."""
    row = db.execute("SELECT result FROM done WHERE key = ?", [key]).fetchone()
    if row is not None:
        return kind(**json.loads(row["result"]))
    result = act()
    db.execute("INSERT INTO done VALUES (?, ?)", [key, json.dumps(asdict(result))])
    return result


def account(db: sqlite3.Connection, customer: Customer) -> str:
    """The number that all of a customer's rows bear. Raises ``ToolError`` for a stranger."""
    row = db.execute("SELECT id FROM customers WHERE id = ?", [customer.id]).fetchone()
    if row is None:
        raise ToolError("I can't find you among our customers")
    return str(row["id"])


def mailbox() -> Path:
    """The file that stands for everybody's mailbox: a demo sends no mail."""
    return _path().with_name("demo_mail.txt")


def _path() -> Path:
    return _desk.path or Path(os.environ.get("ASSISTANT_DATA_DIR") or "data") / "crm.db"


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
                # A demo whose next appointment lies in the past has nothing to show.
                if not _is_fresh(db, at):
                    _demo.fill(db, at.date())
        _opened.add(path)


def _is_fresh(db: sqlite3.Connection, at: datetime) -> bool:
    if db.execute("PRAGMA user_version").fetchone()["user_version"] != _demo.EDITION:
        return False
    return bool(db.execute("SELECT fresh_until FROM demo").fetchone()["fresh_until"] >= at.date().isoformat())
