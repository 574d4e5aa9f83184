"""What customers are asked before an appointment is changed: made from the calendar as it stands."""

from datetime import date, datetime, time

from assistant import Customer
from tools import _calendar, _crm, _wording
from tools._bookings import choose


def booking(customer: Customer, day: date, time: time, service: str) -> str:
    """What would be booked; refused when the time is not free."""
    with _crm.reading() as db:
        _crm.account(db, customer)
        _calendar.take_slot(db, day, time, _crm.now())
    return f"book {_wording.thing(service)} for you on {_wording.when(datetime.combine(day, time))}"


def cancelling(customer: Customer, day: date | None, time: time | None, appointment_id: str | None) -> str:
    """Which appointment would be cancelled."""
    with _crm.reading() as db:
        one = choose(db, _crm.account(db, customer), _crm.now(), appointment_id, day, time)
    return f"cancel your {one.service} on {_wording.when(datetime.fromisoformat(one.starts))}"


def moving(
    customer: Customer,
    new_day: date,
    new_time: time | None,
    day: date | None,
    time: time | None,
    appointment_id: str | None,
) -> str:
    """Which appointment would be moved, and to when; refused when that time is not free."""
    with _crm.reading() as db:
        one = choose(db, _crm.account(db, customer), _crm.now(), appointment_id, day, time)
        starts = datetime.fromisoformat(one.starts)
        at = new_time or starts.time()
        _calendar.take_slot(db, new_day, at, _crm.now())
    return (
        f"move your {one.service} from {_wording.when(starts)}"
        f" to {_wording.when(datetime.combine(new_day, at))}"
    )
