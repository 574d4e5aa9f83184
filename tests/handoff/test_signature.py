"""Only requests that were signed with the secret, and recently, are accepted."""

from assistant.webhooks.client import signature, signature_problem
from tests.support.rows import check_rows

NOW = 1_700_000_000
BODY = b'{"type":"end"}'
SIGNED = signature("secret", str(NOW), BODY)


def test_a_fresh_signature_is_accepted() -> None:
    assert signature_problem("secret", (str(NOW), SIGNED), BODY, NOW + 299) is None
    assert signature_problem("secret", (str(NOW), SIGNED), BODY, NOW - 299) is None


@check_rows(
    ("secret", "timestamp", "given", "body", "now_s", "told"),
    [
        ("other", str(NOW), SIGNED, BODY, NOW, "is not that of this"),
        ("secret", str(NOW + 1), SIGNED, BODY, NOW, "is not that of this"),
        ("secret", str(NOW), SIGNED, BODY + b" ", NOW, "is not that of this"),
        ("secret", str(NOW), SIGNED.upper(), BODY, NOW, "is not that of this"),
        ("secret", str(NOW), "sha256=é", BODY, NOW, "is not that of this"),
        ("secret", None, SIGNED, BODY, NOW, "must be there"),
        ("secret", str(NOW), None, BODY, NOW, "must be there"),
        ("secret", str(NOW), SIGNED, BODY, NOW + 301, "more than 300 s"),
        ("secret", str(NOW), SIGNED, BODY, NOW - 301, "more than 300 s"),
        ("secret", "soon", signature("secret", "soon", BODY), BODY, NOW, "more than 300 s"),
        ("secret", "²", signature("secret", "²", BODY), BODY, NOW, "more than 300 s"),
    ],
)
def test_a_forged_changed_or_old_signature_is_refused(
    secret: str, timestamp: str | None, given: str | None, body: bytes, now_s: float, told: str
) -> None:
    wrong = signature_problem(secret, (timestamp, given), body, now_s)

    assert wrong is not None
    assert told in wrong


def test_while_a_secret_is_replaced_both_values_are_valid() -> None:
    new, old = "n" * 32, "o" * 32
    for value, problem in ((new, None), (old, None), ("x" * 32, "is not that of")):
        headers = ("1700000000", signature(value, "1700000000", b"{}"))
        found = signature_problem(f"{new} {old}", headers, b"{}", 1_700_000_000.0)
        assert found is None if problem is None else problem in str(found)
