"""Nothing personal is left in a masked cassette, and everything else is."""

import json
from inspect import cleandoc
from typing import Any

import pytest

from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load_text
from assistant.replay.recording.masking import mask
from assistant.replay.recording.personal_data import kind_under, patterns_found_in
from assistant.replay.recording.pseudonymizer import Pseudonymizer
from assistant.replay.replies import ArgumentsPiece, TextPiece
from assistant.replay.yaml_writer import dump
from tests.replay.recording.masking.conftest import FOUND, SAID
from tests.support.rows import check_rows


def compact(text: str) -> str:
    """Letters and digits alone, so that nothing hides behind a blank."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


@pytest.fixture
def masked(full: Cassette) -> Cassette:
    return mask(full).cassette


@check_rows("original", FOUND)
def test_no_personal_text_is_left_anywhere_in_the_file(
    original: str, full: Cassette, masked: Cassette
) -> None:
    assert compact(original) in compact(everything(full))
    assert compact(original) not in compact(everything(masked))
    assert original.casefold() not in dump(masked).casefold()


@check_rows(
    "word",
    ["Ana", "Lindq", "Herbert", "Quandtner", "Dietlinde", "Prager", "Käthe", "Wilhelm", "C-8841", "optics"],
)
def test_no_word_of_a_name_is_left_either_even_its_beginning(word: str, masked: Cassette) -> None:
    assert word.casefold() not in everything(masked).casefold()


@check_rows(
    "kept",
    ["100234", "1,250.00", "2026-11-24T14:00", "2026-11-24", "Kettle", "Germany", "change_address", "call_1"],
)
def test_orders_amounts_times_and_things_stay(kept: str, masked: Cassette) -> None:
    assert kept in everything(masked)


def test_equal_values_get_equal_surrogates(full: Cassette, masked: Cassette) -> None:
    run, asked, refused = masked.turns[0].results
    person: Any = run.returns
    name = f"{person['customer']['firstName']} {person['customer']['last_name']}"

    assert f". {name} lives at " in spoken(masked)
    assert masked.customer.name is not None
    assert masked.turns[0].customer.startswith(f"I'm {masked.customer.name.lower()} (customer), person")
    arguments: Any = run.arguments
    last, first = arguments["name"].split(", ")
    assert asked.confirm is not None
    assert asked.confirm.startswith(f"send it to {first} {last} in {arguments['street']}, FR")
    assert json.loads(written(masked)) == arguments
    assert refused.fails.startswith("Herr ")


def test_a_surrogate_has_the_form_of_the_original(masked: Cassette) -> None:
    person: Any = masked.turns[0].results[0].returns
    contact: Any = person["contact"]

    assert person["customer"]["E-Mail"].endswith("@example.com")
    assert [len(compact(contact[0][key])) for key in ("telefon", "mobile")] == [10, 11]
    assert contact[0]["mobile"].startswith("07700 900")
    assert contact[1]["Geburtsdatum"] == "1970-01-01"
    assert person["address"]["line1"].startswith("Musterweg ")
    assert (type(person["address"]["plz"]), len(str(person["address"]["plz"]))) == (int, 5)
    assert person["old_address"]["postcode"].startswith("ZZ")
    assert "Example Street" in spoken(masked)


def test_no_piece_comes_earlier_than_before(full: Cassette, masked: Cassette) -> None:
    pieces = [piece for piece in masked.turns[0].replies[1].pieces if isinstance(piece, TextPiece)]

    assert {piece.at_ms for piece in pieces} <= {300 + 10 * number for number in range(len(SAID))}
    assert pieces[0].text.startswith("Thank you, Frau ")
    assert pieces[-1].text.endswith(". Order 100234 is 1,250.00 on 2026-11-24.")


def test_keep_and_also_change_what_is_masked(full: Cassette) -> None:
    masked = mask(
        full, keep=["Potsdam", "ana", "221 Baker Street"], also={"Kettle": "word", "2026-11-24": "birthday"}
    )

    text = everything(masked.cassette)
    assert "Potsdam" in text
    assert "221 Baker Street" in text
    assert "I'm ana " in masked.cassette.turns[0].customer
    assert "Kettle" not in text
    assert "on 2026-11-24" not in text
    assert "Lindqvist" not in text


def test_it_counts_the_masked_values_of_each_kind(full: Cassette) -> None:
    assert mask(full).replaced == {
        "birthday": 1,
        "card": 2,
        "city": 2,
        "email": 3,
        "iban": 3,
        "id": 1,
        "name": 7,
        "phone": 6,
        "postcode": 3,
        "street": 4,
    }


def test_a_masked_cassette_is_a_cassette(masked: Cassette) -> None:
    assert load_text(dump(masked), "masked.conversation.yaml").cassette == masked


def test_the_demos_customer_keeps_the_demos_names(full: Cassette) -> None:
    demo = full.model_copy(
        update={"customer": full.customer.model_copy(update={"id": "demo", "tenant": "demo"})}
    )

    who = mask(demo).cassette.customer

    assert (who.id, who.tenant) == ("demo", "demo")


def test_a_hand_written_cassette_is_masked_too() -> None:
    text = """
        format: 2
        about: Ana Lindqvist moves.
        now: 2026-11-22 09:00:00+00:00
        customer: {name: Ana Lindqvist}
        turns:
          - customer: Hello
            replies:
              - decider: {says: ["Of course, An", "a."], calls: [move: {name: Ana}, look: "Ana is no JSON"]}
            results:
              - move: {raises: no Lindqvist here}
            meanwhile:
              - {disconnect_ms: 5, after: "Of course, Ana"}
            expect:
              hears: [{text_contains: Ana}, {response: "Yes, Ms Lindqvist."}]
              never: [{text_contains: Lindqvist}, {kind: status}]
              calls: [move: {name: Ana}, look]
        expect: {scene: "Customer: Hello\nAssistant: Of course, Ana."}
        frames:
          - [0, {"type": "message.delta", "text": "An"}]
    """

    masked = mask(load_text(cleandoc(text), "by-hand.conversation.yaml").cassette, keep=["sam"]).cassette

    file = dump(masked)
    assert "Ana" not in file
    assert "Lindqvist" not in file
    assert masked.frames == ()
    assert masked.turns[0].replies[0].says == ("Of course, Alex", ".")
    assert masked.turns[0].replies[0].calls[1].raw_arguments == "Alex is no JSON"
    assert masked.turns[0].expect.calls is not None
    assert masked.turns[0].expect.calls[0].arguments == {"name": "Alex"}
    assert load_text(file, "masked.conversation.yaml").cassette == masked


@pytest.mark.parametrize(
    "text",
    [
        "My order 4711-0815 from 01.12.2026 cost 1.234,56 EUR, invoice 2026-000123, at 14:00-15:30",
        "Order 100234, 48213 and 1234567890123 arrive on 24/11/2026 at 09:00",
        "I have 3 orders on the way and 2 in your shop",
    ],
)
def test_orders_amounts_and_dates_do_not_look_personal(text: str) -> None:
    assert list(patterns_found_in(text)) == []


@check_rows(
    ("text", "found"),
    [
        ("call me at 5551234567", [("phone", "5551234567")]),
        ("meine Telefonnummer ist 040 12345", [("phone", "040 12345")]),
        ("my zip code is 94103", [("postcode", "94103")]),
        ("ich wohne in 10115 Berlin", [("postcode", "10115"), ("city", "Berlin")]),
        ("Ich heiße Jürgen von der Ahe", [("name", "Jürgen von der Ahe")]),
        ("I was born on 12 March 1985", [("birthday", "12 March 1985")]),
        ("5 long road", [("street", "5 long road")]),
    ],
)
def test_announced_values_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert list(patterns_found_in(text)) == found


@check_rows(
    ("key", "value", "siblings", "kind"),
    [
        ("deliveryAddress", "Fasanenweg 7, 80331 München, Bayern", (), "street"),
        ("name", "Ana", ("id",), "name"),
        ("name", "Kettle", ("price",), None),
        ("Kunde", "Ana Berg", (), "name"),
        ("customer", "C-7", (), None),
        ("country", "Germany", (), None),
    ],
)
def test_keys_show_personal_values(key: str, value: str, siblings: tuple[str, ...], kind: str | None) -> None:
    assert kind_under(key, value, siblings) == kind


def test_an_address_is_masked_in_its_parts() -> None:
    pseudonymizer = Pseudonymizer("")
    pseudonymizer.learn("street", "Fasanenweg 7, 80331 München, Bayern")

    assert pseudonymizer.pseudonymize("Bayern, MÜNCHEN 80331") == "Bellbystadt, TARNBYSTADT 00001"
    assert pseudonymizer.pseudonymize("fasanenweg  7") == "Musterweg 1"


def test_a_name_that_is_also_a_word_needs_its_capital() -> None:
    pseudonymizer = Pseudonymizer("")
    pseudonymizer.learn("name", "May Will")

    assert (
        pseudonymizer.pseudonymize("May will pay on 3 may, MAY WILL") == "Alex will pay on 3 may, ALEX TARNBY"
    )


def everything(cassette: Cassette) -> str:
    """All of a cassette in one text, with pieces and without."""
    return "\n".join(
        [
            spoken(cassette),
            written(cassette),
            json.dumps(cassette.model_dump(mode="json"), ensure_ascii=False),
        ]
    )


def spoken(cassette: Cassette) -> str:
    pieces = [piece for reply in cassette.turns[0].replies for piece in reply.pieces]
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def written(cassette: Cassette) -> str:
    pieces = cassette.turns[0].replies[0].pieces
    return json.loads(
        "[" + json.dumps("".join(p.arguments for p in pieces if isinstance(p, ArgumentsPiece))) + "]"
    )[0]


def test_no_two_people_share_a_surrogate() -> None:
    people = (
        "Ana",
        "Karl",
        "Berta",
        "Cem",
        "Dora",
        "Emil",
        "Fritzi",
        "Gustav",
        "Hanna",
        "Ivo",
        "Jutta",
        "Kurt",
    )
    pseudonymizer = Pseudonymizer("Good morning.")
    for person in people[:6]:
        pseudonymizer.learn("name", f"{person} Weber")
    for person in people[6:]:
        pseudonymizer.learn("word", person)
    pseudonymizer.learn("city", "Kiel")

    stand_ins = {pseudonymizer.pseudonymize(word).casefold() for word in (*people, "Weber", "Kiel")}

    assert len(stand_ins) == len(people) + 2
    assert not any(one != other and one.startswith(other) for one in stand_ins for other in stand_ins)
