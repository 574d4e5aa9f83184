"""Passwords: what a good one is, and that a hash tells nothing."""

import asyncio
import threading

import pytest

from assistant.staff.accounts import StaffRefused
from assistant.staff.passwords import Passwords, check_strength

PASSWORD = "a long walk in autumn"


async def test_only_the_password_has_its_hash() -> None:
    passwords = Passwords()
    stored = await passwords.hash_new(PASSWORD)

    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert await passwords.hash_new(PASSWORD) != stored
    assert await passwords.matches(stored, PASSWORD)
    assert not passwords.is_outdated(stored)
    for wrong in ("", "A long walk in autumn", f"{PASSWORD} ", "x" * 201):
        assert not await passwords.matches(stored, wrong)


async def test_the_same_letters_are_the_same_password_on_each_keyboard() -> None:
    passwords = Passwords()
    stored = await passwords.hash_new("viel Glück heute")

    assert await passwords.matches(stored, "viel Glu\N{COMBINING DIAERESIS}ck heute")


async def test_where_there_is_no_password_none_is_right() -> None:
    passwords = Passwords()

    assert not await passwords.matches("", "no password")
    assert not await passwords.matches("no hash at all", PASSWORD)


async def test_two_are_checked_at_the_same_time() -> None:
    running, most, pair = [0], [0], threading.Barrier(2)

    class Counting:
        def hash(self, password: str) -> str:
            return password

        def is_hash_of(self, password: str, hashed: str) -> bool:
            running[0] += 1
            most[0] = max(most[0], running[0])
            pair.wait(timeout=30)  # for the other one
            running[0] -= 1
            pair.wait(timeout=30)
            return True

        def is_outdated(self, hashed: str) -> bool:
            return False

    passwords = Passwords(Counting())
    assert all(await asyncio.gather(*(passwords.matches("x", "x") for _ in range(20))))
    assert most == [2]


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short", "has 5 characters; use 12 or more"),
        ("x" * 201, "use at most 200"),
        ("aaaaaaaaaaaaaaaa", "can be guessed"),
        ("121212121212", "can be guessed"),
        ("kim@shop.example1", "can be guessed"),
        ("Kim Larsson 26", "can be guessed"),
    ],
)
def test_a_password_that_can_be_guessed_is_refused(password: str, why: str) -> None:
    with pytest.raises(StaffRefused, match=why):
        check_strength(password, "kim@shop.example", "Kim Larsson")


@pytest.mark.parametrize("password", [PASSWORD, "Kim and nine green bottles", "correct horse battery"])
def test_several_words_are_a_good_password(password: str) -> None:
    check_strength(password, "kim", "Kim", "")
