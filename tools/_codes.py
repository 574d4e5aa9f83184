"""One-time codes of the demo shop: made, sent to the demo's mailbox, and taken once."""

import secrets  # noqa: TID251 - a code must be one that nobody can foresee; a replay takes the tool's result
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import scrypt
from hmac import compare_digest

from tools import _crm, _tries

DIGITS = 6
GOOD_FOR = timedelta(minutes=10)
_MOST_AN_HOUR = 3


@dataclass(frozen=True, slots=True)
class Mail:
    """What is to be sent, once the books hold it."""

    to: str
    code: str


def new_code(db: sqlite3.Connection, visitor: str, email: str, now: datetime) -> Mail | None:
    """Give a visitor a new code, in place of any earlier one; the mail to send, None where nobody gets one.

    Nobody does at an address that no customer has, and no address gets more than three an hour.
    """
    claimed, hour_ago = _claim(email), (now - timedelta(hours=1)).timestamp()
    row = db.execute("SELECT id FROM customers WHERE lower(email) = ?", [email.strip().lower()]).fetchone()
    db.execute("DELETE FROM sent_codes WHERE at <= ?", [hour_ago])
    (sent,) = db.execute("SELECT count(*) FROM sent_codes WHERE claimed = ?", [claimed]).fetchone()
    customer = str(row["id"]) if row is not None and sent < _MOST_AN_HOUR else None
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    db.execute("INSERT INTO sent_codes VALUES (?, ?)", [claimed, now.timestamp()])
    # What no customer gets is written down all the same: whether there is one shows neither in time nor in words.
    db.execute(
        "INSERT OR REPLACE INTO codes VALUES (?, ?, ?, ?, ?)",
        [
            visitor,
            claimed,
            customer,
            _fingerprint(visitor, code),
            (now + GOOD_FOR).timestamp(),
        ],
    )
    return Mail(email.strip(), code) if customer is not None else None


def send(mail: Mail, now: datetime) -> None:
    """Put it into the demo's mailbox: a file that only its owner can read. A company sends it to its customer."""
    box = _crm.mailbox()
    box.touch(mode=0o600)
    with box.open("a", encoding="utf-8") as file:
        file.write(f"{now:%Y-%m-%d %H:%M} to {mail.to}: your code is {mail.code}\n")


def take(db: sqlite3.Connection, visitor: str, code: str, now: datetime) -> str | None:
    """The customer whom this visitor's code was sent to; None when it does not match. It matches once only."""
    row = db.execute("SELECT * FROM codes WHERE visitor = ?", [visitor]).fetchone()
    said = _fingerprint(visitor, code)
    if row is None:
        return None
    matches = compare_digest(said, row["fingerprint"]) and row["customer"] is not None
    if not matches or row["until"] <= now.timestamp() or _tries.too_many(db, row["claimed"], now):
        _tries.note(db, row["claimed"], now)
        return None
    db.execute("DELETE FROM codes WHERE visitor = ?", [visitor])
    return str(row["customer"])


def _claim(email: str) -> str:
    return f"address {email.strip().lower()}"


def _fingerprint(visitor: str, code: str) -> str:
    # Slow on purpose: six digits are soon guessed by whoever gets hold of the books.
    return scrypt(code.strip().encode(), salt=visitor.encode(), n=2**12, r=8, p=1).hex()
