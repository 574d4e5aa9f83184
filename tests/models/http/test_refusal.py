"""The errors of providers in place of a reply."""

from datetime import UTC, datetime

from assistant.errors import ModelBroke, ModelBusy, ModelRefused
from assistant.models.streamed_reply import refusal
from assistant.resilience import retry_after_s
from tests.support.rows import check_rows

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@check_rows(
    ("body", "told"),
    [
        (b'{"error": {"message": "no such model"}}', "no such model"),
        (b'{"error": "no such model"}', "no such model"),
        (b'{"detail": "no such model"}', "no such model"),
        (b'{"message": "no such model"}', "no such model"),
        (b'{"detail": [{"loc": "model"}]}', '[{"loc":"model"}]'),
        (b'[{"error": {"message": "no such model"}}]', "no such model"),
        (b"no such\n\n model", "no such model"),
        (b"", "no reason given"),
        (b"\xff", "\ufffd"),
    ],
)
def test_the_reason_is_found_in_any_form(body: bytes, told: str) -> None:
    assert str(refusal(404, {}, body, NOW)) == f"the provider answered 404: {told}"


def test_keys_are_not_in_errors() -> None:
    error = refusal(401, {}, b'{"error": {"message": "Incorrect key: sk-proj-abcd****wxyz."}}', NOW)

    assert "sk-" not in str(error)
    assert "[key]" in str(error)


def test_an_empty_account_is_not_worth_waiting_for() -> None:
    body = b'{"error": {"message": "quota exceeded", "code": "insufficient_quota"}}'

    assert isinstance(refusal(429, {}, body, NOW), ModelRefused)
    assert isinstance(refusal(429, {}, b"", NOW), ModelBusy)
    assert isinstance(refusal(408, {}, b"", NOW), ModelBroke)


@check_rows(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "1 hour"}, None),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 -0000"}, None),
        ({}, None),
    ],
)
def test_the_retry_time_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
