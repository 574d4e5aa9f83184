"""Text in pieces is masked as if it had come at once, wherever it was cut."""

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from assistant.replay.recording.pseudonymizer import Pseudonymizer, replace_spans, spans_in_arguments

NAME, EMAIL, PHONE = "Käthe Zubrowski", "k.zubrowski@mill.example", "+49 171 5551234"

words = st.lists(
    st.sampled_from(
        [NAME, EMAIL, PHONE, "Zubrowski", "KÄTHE", "owes", "150.00", "\n", '"', "é", "Zubrowskis"]
    ),
    max_size=12,
).map(" ".join)


def pseudonymizer() -> Pseudonymizer:
    found = Pseudonymizer("")
    found.learn("name", NAME)
    found.learn("email", EMAIL)
    found.learn("phone", PHONE)
    return found


def cut(text: str, places: Sequence[int]) -> list[str]:
    """The text in pieces, cut at these places, some of them perhaps empty."""
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@given(words, st.lists(st.integers(0, 500), max_size=10))
def test_the_pieces_joined_are_the_masked_text(text: str, places: list[int]) -> None:
    hidden = pseudonymizer()
    pieces = cut(text, places)

    masked = replace_spans(pieces, hidden.spans(text))

    assert len(masked) == len(pieces)
    assert "".join(masked) == hidden.pseudonymize(text)


@given(words, st.lists(st.integers(0, 500), max_size=10))
def test_a_surrogate_is_where_the_original_began(text: str, places: list[int]) -> None:
    hidden = pseudonymizer()
    pieces = cut(text, places)

    masked = replace_spans(pieces, hidden.spans(text))

    for number in range(len(pieces) + 1):
        before = "".join(pieces[:number])
        begun = [span for span in hidden.spans(text) if span.start < len(before)]
        kept = before[: begun[-1].end] if begun and begun[-1].end >= len(before) else before
        assert "".join(masked[:number]).startswith(
            hidden.pseudonymize(kept[: begun[-1].start] if begun else kept)
        )


@given(words, words, st.booleans(), st.lists(st.integers(0, 500), max_size=10))
def test_arguments_stay_valid_json(text: str, other: str, ascii_only: bool, places: list[int]) -> None:
    arguments = {"customer_name": text, "notes": [other, {"phone": PHONE}], "count": 3, NAME: None}
    written = json.dumps(arguments, ensure_ascii=ascii_only)
    hidden = pseudonymizer()

    masked = "".join(replace_spans(cut(written, places), spans_in_arguments(written, hidden)))

    assert json.loads(masked) == {
        "customer_name": hidden.pseudonymize(text),
        "notes": [hidden.pseudonymize(other), {"phone": hidden.pseudonymize(PHONE)}],
        "count": 3,
        hidden.pseudonymize(NAME): None,
    }


@given(words, st.integers(0, 200))
def test_incomplete_arguments_contain_nothing_personal_either(text: str, length: int) -> None:
    written = json.dumps({"text": text, "name": NAME})[:length]
    hidden = pseudonymizer()

    masked = replace_spans([written], spans_in_arguments(written, hidden))[0]

    for word in (EMAIL, "5551234", "zubrowski"):
        assert word not in masked.casefold()


def test_a_personal_number_stays_a_number() -> None:
    hidden = Pseudonymizer("")
    hidden.learn("phone", "491715551234")
    written = '{"phone": 491715551234, "order": 4917155, "weight": 1.5}'

    masked = json.loads(replace_spans([written], spans_in_arguments(written, hidden))[0])

    assert masked == {"phone": 493023125001, "order": 4917155, "weight": 1.5}


def test_half_an_escape_at_the_end_of_incomplete_arguments_does_no_harm() -> None:
    written = '{"name": "K\\u00e4the Zubrowski \\u00e'

    masked = replace_spans([written], spans_in_arguments(written, pseudonymizer()))[0]

    assert masked == '{"name": "Alex Tarnby '
