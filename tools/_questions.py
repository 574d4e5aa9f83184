"""What customers are asked before an appointment is changed: made from the calendar as it stands."""

from datetime import date, datetime, time

from assistant import Customer
from tools import _calendar, _crm, _german, _wording
from tools._bookings import choose


def booking(customer: Customer, day: date, time: time, service: str) -> str:
    """What would be booked; refused when the time is not free."""
    with _crm.reading() as db:
        _crm.account(db, customer)
        _calendar.take_slot(db, day, time, _crm.now())
    at = datetime.combine(day, time)
    if _german.spoken_with(customer):
        return _german.booking(service, at)
    return f"book {_wording.thing(service)} for you on {_wording.when(at)}"


def cancelling(customer: Customer, day: date | None, time: time | None, appointment_id: str | None) -> str:
    """Which appointment would be cancelled."""
    with _crm.reading() as db:
        one = choose(db, _crm.account(db, customer), _crm.now(), appointment_id, day, time)
    starts = datetime.fromisoformat(one.starts)
    if _german.spoken_with(customer):
        return _german.cancelling(one.service, starts)
    return f"cancel your {one.service} on {_wording.when(starts)}"


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
        at = datetime.combine(new_day, new_time or starts.time())
        _calendar.take_slot(db, new_day, at.time(), _crm.now())
    if _german.spoken_with(customer):
        return _german.moving(one.service, starts, at)
    return f"move your {one.service} from {_wording.when(starts)} to {_wording.when(at)}"
