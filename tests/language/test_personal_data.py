"""Texts for logs show that something personal was there, but not its content."""

from assistant.language.personal_data import mask_secrets
from tests.support.rows import check_rows


@check_rows(
    ("text", "shown"),
    [
        ("mail to ana.berg+x@web.example.org, please", "mail to <email>, please"),
        ("call 030 1234567 or +49 170 1234567", "call <phone> or <phone>"),
        ("phone: 555123", "phone: <phone>"),
        ("DE89 3704 0044 0532 0130 00", "<iban>"),
        ("card 4111 1111 1111 1111 refused", "card <card> refused"),
        ("password=hunter2", "password=<secret>"),
        ('{"password": "hunter 2", "a": 1}', '{"password": "<secret>", "a": 1}'),
        ("{'api_key': 'abc'}", "{'api_key': '<secret>'}"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer <secret>"),
        ("GET /ws?access_token=abc&x=1", "GET /ws?access_token=<secret>&x=1"),
        ("https://ana:pw@crm.example/api", "https://<secret>@crm.example/api"),
        ("key sk-proj-abcdefghijklmnop", "key <secret>"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl", "<secret>"),
        ("AKIAIOSFODNN7EXAMPLE", "<secret>"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok", "<secret> ok"),
        ("token=ana@web.example", "token=<secret>"),
    ],
)
def test_personal_or_secret_values_are_replaced_by_their_kind(text: str, shown: str) -> None:
    assert mask_secrets(text) == shown


@check_rows(
    "text",
    [
        "", "turn ended", "Order 1002 is late", "took 1234 ms, 12.50 EUR on 2026-11-22",
        "input_tokens=1234 output_tokens=56", "019ab3c4-5d6e-7f80-9012-345678901234", "127.0.0.1:8000",
        "call 127.0.0.1 now", "cannot reach 10.0.0.12:5432", "text 192.168.100.200",
        'File "/srv/tools/billing.py", line 123, in ask', "2026-11-22T11:00:00.123456+00:00", "call=t1/c1.1",
        "https://crm.example/api/v1/orders", "the monkey: 4",
    ],
)  # fmt: skip
def test_data_that_operators_need_stays(text: str) -> None:
    assert mask_secrets(text) == text


def test_known_personal_words_are_replaced_as_whole_words() -> None:
    told = mask_secrets("KeyError: 'Ana Berg', Ana, Anastasia (Ana)", known=["Ana", "Ana Berg"])

    assert told == "KeyError: '<value>', <value>, Anastasia (<value>)"


def test_no_text_takes_long() -> None:
    for text in (
        "a" * 50_000,
        "1 " * 20_000,
        "token" * 10_000,
        "://" * 10_000,
        "eyJ" * 10_000,
        "a@" * 10_000,
    ):
        assert mask_secrets(text)
