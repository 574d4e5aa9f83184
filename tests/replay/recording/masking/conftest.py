"""A conversation with personal data in every place where it can be."""

from datetime import UTC, datetime

import pytest

from assistant.replay.cassette import Cassette, Turn, Who
from assistant.replay.expectations import Expectations
from assistant.replay.replies import ArgumentsPiece, EndPiece, NamePiece, Reply, Run, TextPiece

FOUND = (
    # in what the customer says
    "ana.lindqvist@seaside.example",
    "+49 151 23456789",
    "Hauptstraße 12",
    "10115",
    "Potsdam",
    "DE89 3704 0044 0532 0130 00",
    "4111 1111 1111 1111",
    "Herbert Quandtner",
    # in results, at whatever depth
    "Lindqvist",
    "Wilhelmina",
    "wilhelmina.o@harbour.example",
    "030 9876543",
    "Fasanenweg 7",
    "80331",
    "Rosenheim",
    "1985-03-12",
    "GB82WEST12345698765432",
    "5500005555555559",
    "Okonkwo",
    "07911 123456",
    "SW1A 1AA",
    # in arguments that stream
    "Zubrowski",
    "zubrowski@mill.example",
    "0171 5551234",
    "Käthe",
    "Lerchenallee 3b",
    # in read-backs, refusals and what models write
    "Frau Dietlinde Prager",
    "221 Baker Street",
    "+1 415 555 2671",
    "FR1420041010050500013M02606",
)
"""Thirty of them, as they are written where they stand first."""

RESULT = {
    "customer": {"firstName": "Wilhelmina", "last_name": "Okonkwo", "E-Mail": "wilhelmina.o@harbour.example"},
    "contact": [{"telefon": "030 9876543", "mobile": "07911 123456"}, {"Geburtsdatum": "1985-03-12"}],
    "address": {"line1": "Fasanenweg 7", "plz": 80331, "ort": "Rosenheim", "country": "Germany"},
    "old_address": {"postcode": "SW1A 1AA"},
    "payment": {"iban": "GB82WEST12345698765432", "card": {"number": "5500005555555559"}},
    "order": {
        "number": "100234",
        "total": "1,250.00",
        "when": "2026-11-24T14:00",
        "name": "Kettle",
        "price": 20,
    },
}
ARGUMENTS = (
    '{"name": "Zubrow',
    'ski, K\\u00e4the", "em',
    'ail": "zubrowski@mill.example", "phone": "0171 ',
    '5551234", "street": "Lerchenallee 3b", "order_number": 100234}',
)
SAID = (
    "Thank you, Frau Diet",
    "linde Pra",
    "ger. Wilhelmina Okon",
    "kwo lives at 221 Baker St",
    "reet, her number is +1 415 5",
    "55 2671. Order 100234 is 1,250.00 on 2026-11-24.",
)


@pytest.fixture
def full() -> Cassette:
    """One turn, with all of them."""
    said = [TextPiece(at_ms=300 + 10 * number, text=piece) for number, piece in enumerate(SAID)]
    written = [ArgumentsPiece(at_ms=20 + number, arguments=piece) for number, piece in enumerate(ARGUMENTS)]
    arguments = {
        "name": "Zubrowski, Käthe",
        "email": "zubrowski@mill.example",
        "phone": "0171 5551234",
        "street": "Lerchenallee 3b",
        "order_number": 100234,
    }
    return Cassette(
        about='"I am Ana, lindqvist is my name"; recorded on 2026-11-22.',
        now=datetime(2026, 11, 22, 9, tzinfo=UTC),
        customer=Who(tenant="optics", id="C-8841", name="Ana Lindqvist"),
        turns=(
            Turn(
                customer=(
                    "I'm ana lindqvist (C-8841), ana.lindqvist@seaside.example, +49 151 23456789. I live at"
                    " Hauptstraße 12, 10115 Potsdam. IBAN DE89 3704 0044 0532 0130 00, card 4111 1111 1111 1111."
                    " My name is Herbert Quandtner's friend."
                ),
                replies=(
                    Reply(
                        role="decider",
                        pieces=(
                            NamePiece(at_ms=10, call="change_address", id="call_1"),
                            *written,
                            EndPiece(at_ms=50, end="tool_calls"),
                        ),
                    ),
                    Reply(role="narrator", pieces=(*said, EndPiece(at_ms=400, end="stop"))),
                    Reply(
                        role="narrator", pieces=(TextPiece(at_ms=1, text="Dear Ms Lindq"),), ends="stopped"
                    ),
                ),
                results=(
                    Run(tool="change_address", does="returns", returns=RESULT, arguments=arguments),
                    Run(
                        tool="change_address",
                        does="asks",
                        confirm="send it to Käthe Zubrowski in Lerchenallee 3b, FR1420041010050500013M02606",
                    ),
                    Run(
                        tool="change_address",
                        does="fails",
                        fails="Herr Quandtner is not at home",
                        for_model="no phone 015123456789 or +4915123456789",
                    ),
                ),
                expect=Expectations(
                    scene="Assistant: Hello Wilhelmi --\n  [change_address ok]\nAssistant: Okonkwo."
                ),
            ),
        ),
    )
