"""The records of the demo shop on its first day."""

import sqlite3
from datetime import date, datetime, time, timedelta
from pathlib import Path

EDITION = 2
"""The version of the tables. Records of an earlier version are created anew."""

_CUSTOMERS = [
    ("demo", "Ana Lindqvist", "ana.lindqvist@example.com", "+1 555 0100", "97205"),
    ("bo", "Bo Marsh", "bo.marsh@example.com", "+1 555 0101", "97211"),
    ("cleo", "Cleo Tanaka", "cleo.tanaka@example.com", "+1 555 0102", "97214"),
    ("dora", "Dora Quist", "dora.quist@example.com", "+1 555 0103", "97205"),
]
_PRODUCTS = [
    (1, "reading glasses", "89.00"),
    (2, "progressive lenses", "240.00"),
    (3, "sunglasses", "120.00"),
    (4, "monthly contact lenses", "30.00"),
]
_HOURS = [*((weekday, "09:00", "18:00") for weekday in range(5)), (5, "10:00", "16:00")]


def fill(db: sqlite3.Connection, today: date) -> None:
    """Create the tables anew and fill them, with dates that follow ``today``."""
    for (name,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall():
        db.execute(f'DROP TABLE "{name}"')
    for statement in Path(__file__).with_name("_crm.sql").read_text(encoding="utf-8").split(";\n"):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {EDITION}")
    tuesday = today + timedelta(days=(1 - today.weekday()) % 7 or 7)
    db.execute("INSERT INTO demo VALUES (?)", [tuesday.isoformat()])
    db.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, ?)", _CUSTOMERS)
    db.executemany("INSERT INTO products VALUES (?, ?, ?)", _PRODUCTS)
    db.executemany("INSERT INTO hours VALUES (?, ?, ?)", _HOURS)
    _appointments(db, tuesday)
    _invoices(db, today)
    _orders(db, today)


def _appointments(db: sqlite3.Connection, tuesday: date) -> None:
    booked = [
        ("demo", 0, time(14), "eye test", "Dr. Lee"),
        ("demo", 10, time(10, 30), "lens fitting", "Dr. Novak"),
        ("bo", 0, time(14), "lens fitting", "Dr. Novak"),
        ("bo", 1, time(9), "eye test", "Dr. Lee"),
        ("cleo", 1, time(9), "eye test", "Dr. Novak"),
        ("cleo", 2, time(11), "lens fitting", "Dr. Lee"),
    ]
    db.executemany(
        "INSERT INTO appointments (number, customer, starts, service, optician) VALUES (?, ?, ?, ?, ?)",
        [
            (1001 + number, customer, moment(tuesday + timedelta(days=days), at), service, optician)
            for number, (customer, days, at, service, optician) in enumerate(booked)
        ],
    )


def _invoices(db: sqlite3.Connection, today: date) -> None:
    issued = [
        (2041, "demo", "120.00", 10, "sunglasses", 0),
        (2057, "demo", "30.00", 20, "monthly contact lenses", 0),
        (2012, "demo", "89.00", -20, "reading glasses", 1),
        (2044, "bo", "240.00", 5, "progressive lenses", 0),
    ]
    db.executemany(
        "INSERT INTO invoices (number, customer, amount, due, subject, paid) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, customer, amount, (today + timedelta(days=days)).isoformat(), subject, paid)
            for number, customer, amount, days, subject, paid in issued
        ],
    )


def _orders(db: sqlite3.Connection, today: date) -> None:
    placed = [
        (10431, "demo", 1, "delivered", -12),
        (10482, "demo", 4, "shipped", 2),
        (10455, "demo", 3, "processing", 9),
        (10460, "bo", 2, "processing", 6),
        (10477, "cleo", 1, "shipped", 1),
    ]
    db.executemany(
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
        [
            (number, customer, product, status, (today + timedelta(days=days)).isoformat())
            for number, customer, product, status, days in placed
        ],
    )


def moment(day: date, at: time) -> str:
    """A local time as the records store it: "2026-11-24T14:00"."""
    return datetime.combine(day, at).isoformat(timespec="minutes")
