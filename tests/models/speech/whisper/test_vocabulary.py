"""The prompt of Whisper."""

import pytest

from assistant.errors import SpeechError
from assistant.models.speech.transcribe import Vocabulary
from tests.models.speech.small_whisper import SPECIAL, ids, tokenizer_json

BEFORE, BEGIN, EN, DE, NO, WRITE_DOWN, PLAIN = range(len(SPECIAL))


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(tokenizer_json(), multilingual=True)


@pytest.mark.parametrize(
    ("locale", "language"),
    [("en", EN), ("de-CH", DE), ("de_AT", DE), ("DE", DE), ("nb-NO", NO), ("tlh", EN), ("", EN)],
)
def test_the_language_is_the_locales_or_english(vocabulary: Vocabulary, locale: str, language: int) -> None:
    assert vocabulary.prompt(locale, "") == [BEGIN, language, WRITE_DOWN, PLAIN]


def test_a_hint_comes_first_and_only_its_end_is_used(vocabulary: Vocabulary) -> None:
    assert vocabulary.prompt("en", " due stop ") == [BEFORE, *ids("due stop"), BEGIN, EN, WRITE_DOWN, PLAIN]
    assert vocabulary.prompt("en", "a " * 100 + "stop")[:61] == [BEFORE, *ids("a") * 59, *ids("stop")]


def test_a_model_of_one_language_gets_no_language() -> None:
    english = Vocabulary(tokenizer_json("<|en|>", "<|de|>", "<|no|>", "<|transcribe|>"), multilingual=False)
    prompt = english.prompt("de", "")
    assert len(prompt) == 2
    assert english.text(prompt) == ""


def test_text_is_decoded_without_marks(vocabulary: Vocabulary) -> None:
    assert vocabulary.text([BEGIN, *ids("when is it due"), PLAIN]) == "when is it due"


@pytest.mark.parametrize(
    ("tokenizer", "told"),
    [
        (b"{", "tokenizer.json cannot be read"),
        (tokenizer_json("<|notimestamps|>"), r"has no <\|notimestamps\|>: is it the one of a Whisper model"),
    ],
)
def test_a_file_of_another_kind_is_reported(tokenizer: bytes, told: str) -> None:
    with pytest.raises(SpeechError, match=told):
        Vocabulary(tokenizer, multilingual=True)


def test_a_model_of_many_languages_must_know_english() -> None:
    with pytest.raises(SpeechError, match=r"no <\|en\|>"):
        Vocabulary(tokenizer_json("<|en|>"), multilingual=True).prompt("en", "")
