"""The demo tools speak German where the customer does."""

import re

import pytest

from assistant.conversation.values import Json
from assistant.tools.registry import Tools
from tests.demo_tools.conftest import Counter

TUESDAY = "Dienstag, 24. November um 14:00 Uhr"


def test_every_demo_tool_has_a_german_hint_and_narration(demo_tools: Tools) -> None:
    assert len(demo_tools) == 14
    assert [spec.name for spec in demo_tools.specs if "de" not in spec.hints] == []
    assert [spec.name for spec in demo_tools.specs if "de" not in spec.narrations] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("list_upcoming_appointments", {}, f"Sie haben einen Termin am {TUESDAY}: Sehtest bei Dr. "),
        ("find_free_slots", {"day": "2026-11-24"}, "Am Dienstag, 24. November können Sie um 9:00 Uhr, "),
        ("find_free_slots", {"day": "2026-11-22"}, "Am Sonntag, 22. November haben wir nichts frei."),
        ("get_open_invoices", {}, "Bei Ihnen sind insgesamt 150 $ offen: 120 $ (Sonnenbrille), fällig am "),
        ("get_order_status", {"order_number": "10482"}, "Ihre Bestellung 10482 ("),
        ("get_opening_hours", {}, "Wir haben von Montag bis Freitag von 9:00 Uhr bis 18:00 Uhr und am Samstag "),
        ("get_opening_hours", {"day": "2026-11-22"}, "Am Sonntag, 22. November haben wir geschlossen."),
        ("get_opening_hours", {"day": "2026-11-24"}, "Am Dienstag, 24. November haben wir von 9:00 Uhr bis"),
        (
            "book_appointment", {"day": "2026-11-24", "time": "10:00"},
            "Ihr Termin (Sehtest) ist gebucht: Dienstag, 24. November um 10:00 Uhr bei Dr. ",
        ),
        ("cancel_appointment", {"day": "2026-11-24"}, f"Ihr Termin am {TUESDAY} (Sehtest) ist abgesagt."),
        (
            "reschedule_appointment", {"day": "2026-11-24", "new_day": "2026-11-25"},
            f"Ihr Termin (Sehtest) ist verschoben: von {TUESDAY} auf Mittwoch, 25. November um 14:00 Uhr bei Dr. ",
        ),
        ("update_contact_details", {"phone": "555 0199"}, "Ihre Telefonnummer ist jetzt 555 0199."),
    ],
)  # fmt: skip
async def test_results_are_told_in_german(
    tool: str, arguments: dict[str, Json], said: str, anna: Counter
) -> None:
    heard = await anna.hears(tool, **arguments)

    assert heard.startswith(said)
    assert not re.search(r"\b(?:on|at|is|and|your|eye test|Monday|glasses)\b", heard)


async def test_cancelling_an_order_is_told_in_german(anna: Counter) -> None:
    number = await _an_order_that_can_be_cancelled(anna)

    asked = await anna.is_asked("cancel_order", order_number=number)
    assert asked is not None
    assert asked.startswith(f"Ihre Bestellung {number} (")
    assert asked.endswith(") stornieren")
    assert (await anna.hears("cancel_order", order_number=number)).endswith(
        ") ist storniert. Sie wird Ihnen nicht berechnet."
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "clause"),
    [
        (
            "book_appointment", {"day": "2026-11-24", "time": "10:00", "service": "lens fitting"},
            "für Sie am Dienstag, 24. November um 10:00 Uhr eine Linsenanpassung buchen",
        ),
        ("cancel_appointment", {"day": "2026-11-24"}, f"Ihren Sehtest am {TUESDAY} absagen"),
        (
            "reschedule_appointment", {"day": "2026-11-24", "new_day": "2026-11-25", "new_time": "09:30"},
            f"Ihren Sehtest von {TUESDAY} auf Mittwoch, 25. November um 9:30 Uhr verschieben",
        ),
        (
            "update_contact_details", {"phone": "555 0199", "email": "ana@example.com"},
            "Ihre E-Mail-Adresse auf ana@example.com und Ihre Telefonnummer auf 555 0199 ändern",
        ),
    ],
)  # fmt: skip
async def test_the_questions_clause_follows_soll_ich(
    tool: str, arguments: dict[str, Json], clause: str, anna: Counter
) -> None:
    assert await anna.is_asked(tool, **arguments) == clause


async def _an_order_that_can_be_cancelled(anna: Counter) -> str:
    found = await anna.value("get_order_status")
    assert isinstance(found, list)
    return next(
        str(one["number"]) for one in found if isinstance(one, dict) and one["status"] == "processing"
    )
