"""What a company writes without template language is read and checked."""

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from assistant.prompts.voice import Voice, read_voice
from tests.support.rows import check_rows

LEAST = """
name = "Ada"
company = "Acme"
tone = "brief"
greeting = "Hello."
disclosure = "You are talking to a machine."
"""


def test_the_shipped_voice_discloses_that_it_is_automated(book: PromptBook) -> None:
    assert book.voice.disclosure == "You are talking to an automated assistant."
    assert book.voice.starters[0] == "Check my appointments and billing"


def forbids(voice: Voice, text: str) -> bool:
    guard = voice.guard()
    return guard.push(text) + guard.close() != text


def test_missing_values_have_a_default() -> None:
    voice = read_voice(LEAST, "voice.toml")

    assert (voice.currency, voice.starters, voice.forbidden) == ("USD", (), ())
    assert not forbids(voice, "anything at all")


def test_forbidden_phrases_are_found_in_any_case_as_whole_words() -> None:
    voice = read_voice(LEAST + 'forbidden = ["free of charge"]', "voice.toml")

    assert forbids(voice, "It is FREE of\ncharge.")
    assert not forbids(voice, "It is free of charges.")


@check_rows(
    ("text", "complaint"),
    [
        ("name = Ada", "voice.toml:1: not valid TOML"),
        ('name = "Ada', "voice.toml:1: not valid TOML"),
        (
            LEAST.replace('tone = "brief"\n', ""),
            "voice.toml:1: 'tone': field required; the settings here are: name,",
        ),
        (LEAST + "tonne = 1", "voice.toml:7: 'tonne': extra inputs are not permitted"),
        (LEAST.replace('"Ada"', '""'), "voice.toml:2: 'name': string should have at least 1 character"),
        (LEAST + 'currency = "$"', "voice.toml:7: 'currency': string should match pattern"),
        (LEAST + 'forbidden = ["..."]', "voice.toml:7: 'forbidden': value error, '...' has no word in it"),
        (LEAST + 'starters = ["a", ""]', "voice.toml:7: 'starters.1': string should have"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(DeclarationError) as raised:
        read_voice(text, "voice.toml")

    assert str(raised.value).startswith(complaint)
