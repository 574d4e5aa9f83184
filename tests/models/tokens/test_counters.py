"""Token counters: exact with a vocabulary, never too low without one, and fast with any text."""

import time
import unicodedata

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from assistant.models.price_list import installed_with_litellm
from assistant.models.providers import EmbeddedName, read_name
from assistant.models.tokens import (
    Estimate,
    LargestCount,
    LazyCounter,
    VocabularyCounter,
    VocabularyName,
    counter_for,
    read_vocabulary,
    read_vocabulary_counter,
    vocabulary_of,
)
from assistant.ports import TokenCounter
from tests.support.rows import check_rows

TEXTS = {
    "English": "Hi, do I have any upcoming appointments, and is there a bill I forgot? I'd move it to Friday. "
    * 4,
    "German": "Guten Tag, wann ist mein nächster Termin? Die Größe passt nicht, ich möchte es zurückschicken. "
    * 4,
    "JSON": '[{"number":"INV-2041","amount":"149.90","due":"2026-12-01","paid":false,"city":"Umeå"}]' * 4,
    "code": "    async def count(self, text: str) -> int:\n        return len(self._encoding.encode(text))\n\n"
    * 4,
    "Chinese": "您好，我想查询一下我的发票和下一次预约的时间。订单号码是12345。" * 4,
    "Arabic": "مرحبا، أود أن أعرف متى موعدي القادم وهل لدي فواتير غير مدفوعة. " * 4,
    "emoji": "👋🏽🎉 Thanks! ❤️" * 4,
    "an address": "Svenja Håkansson, Kungsgatan 14, 903 25 Umeå; Tel. +46 90 123 45 67; " * 4,
    "a hash": "356a192b7913b04c54574d18c28d46e6395428ab da4b9237bacccdf19c0760cab7aec4a8359010b0" * 4,
}
LIGATURES = "ﬁnal oﬀer Ⅷ ½"
NAMED_BY_THEIR_MAKER = """
gpt-4o gpt-4o-mini-2024-07-18 gpt-4.1 gpt-5-mini gpt-4.5-preview gpt-oss-120b chatgpt-4o-latest ft:gpt-4o:acme
o1-mini o3 o4-mini-2025-04-16 gpt-4 gpt-4-turbo gpt-3.5-turbo gpt-35-turbo ft:gpt-3.5-turbo:acme
"""
VOCABULARIES: tuple[VocabularyName, ...] = ("o200k_base", "cl100k_base", "claude")


@pytest.fixture(scope="module")
def counters() -> dict[VocabularyName, VocabularyCounter]:
    return {name: VocabularyCounter(read_vocabulary(name)) for name in VOCABULARIES}


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_the_vocabularies_count_as_their_maker_does(
    name: VocabularyName, counters: dict[VocabularyName, VocabularyCounter], monkeypatch: pytest.MonkeyPatch
) -> None:
    # All that it would fetch lies there already.
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(installed_with_litellm("litellm_core_utils", "tokenizers")))
    makers = tiktoken.get_encoding(name)

    for text in TEXTS.values():
        assert counters[name].count(text) == len(makers.encode_ordinary(text)), text
    assert counters[name].name == name


def test_claudes_vocabulary_counts_as_its_library_does(
    counters: dict[VocabularyName, VocabularyCounter],
) -> None:
    from tokenizers import Tokenizer

    path = installed_with_litellm("litellm_core_utils", "tokenizers", "anthropic_tokenizer.json")
    makers = Tokenizer.from_file(str(path))

    for text in (*TEXTS.values(), LIGATURES):
        more = counters["claude"].count(text) - len(makers.encode(text, add_special_tokens=False).ids)
        # What it writes out first, such as ligatures and Chinese commas, makes fewer tokens then.
        assert more == 0 if unicodedata.is_normalized("NFKC", text) else more > 0, text


def test_more_is_counted_for_claude_than_its_old_vocabulary_has(
    counters: dict[VocabularyName, VocabularyCounter],
) -> None:
    english = TEXTS["English"]

    assert read_vocabulary_counter("claude").count(english) == -(-counters["claude"].count(english) * 3 // 2)
    assert read_vocabulary_counter("o200k_base").count(english) == counters["o200k_base"].count(english)


@check_rows("kind", TEXTS)
def test_the_estimate_is_never_below_any_vocabulary(
    kind: str, counters: dict[VocabularyName, VocabularyCounter]
) -> None:
    text = TEXTS[kind]

    for counter in counters.values():
        assert counter.count(text) <= Estimate().count(text)
    assert Estimate().count(text) <= 6 * min(counter.count(text) for counter in counters.values())


@given(text=st.text(max_size=300))
def test_no_text_makes_a_count_fail(text: str, counters: dict[VocabularyName, VocabularyCounter]) -> None:
    for counter in (*counters.values(), Estimate()):
        assert 0 <= counter.count(text) <= len(text.encode(errors="replace")) * 2


@check_rows("piece", ["a", "^", " ", "0", "。", "\n", "a ", "🎉", "\ud83d", " \n"])
def test_a_repeated_letter_takes_as_long_as_a_text(
    piece: str, counters: dict[VocabularyName, VocabularyCounter]
) -> None:
    hostile = piece * (150_000 // len(piece))

    began = time.process_time()
    for counter in (*counters.values(), Estimate()):
        counter.count(hostile)

    assert time.process_time() - began < 4  # 0.2 s alone on a desk; minutes, in one piece


def test_a_long_text_never_counts_less_in_pieces(
    counters: dict[VocabularyName, VocabularyCounter],
) -> None:
    long = "".join(TEXTS.values()) * 5
    whole = len(read_vocabulary("o200k_base").encode_ordinary(long))

    assert whole <= counters["o200k_base"].count(long) <= whole + len(long) // 4_096 + 1


def test_marks_of_a_vocabulary_are_text_like_any_other(
    counters: dict[VocabularyName, VocabularyCounter],
) -> None:
    assert counters["o200k_base"].count("<|endoftext|>") > 1
    assert counters["claude"].count("<EOT>") > 1


@check_rows("model", NAMED_BY_THEIR_MAKER.split())
def test_a_model_is_counted_with_its_makers_vocabulary(model: str) -> None:
    known = tiktoken.encoding_name_for_model(model).replace("o200k_harmony", "o200k_base")

    assert vocabulary_of(read_name(f"openai/{model}")) == known


@check_rows(
    ("written", "vocabulary"),
    [
        ("offline", None),
        ("openai/qwen3", None),
        ("xai/grok-4", None),
        ("openai/gpt-4-and-more", "cl100k_base"),
        ("litellm/openrouter/openai/gpt-5", "o200k_base"),
        ("openai/omni-7b", None),
        ("claude-sonnet-4-5", "claude"),
        ("bedrock/eu.anthropic.claude-opus-4-1-v1:0", "claude"),
        ("ollama/claudette", None),
    ],
)
def test_the_provider_of_a_model_does_not_matter(written: str, vocabulary: str | None) -> None:
    assert vocabulary_of(read_name(written)) == vocabulary


def test_of_several_models_the_one_with_the_most_tokens_counts() -> None:
    offline, other = EmbeddedName(), read_name("openai/qwen3")

    assert isinstance(counter_for([offline, other]), Estimate)
    assert counter_for([read_name("gpt-5")]) is counter_for([read_name("gpt-4o")])
    both = counter_for([offline, read_name("gpt-5")])
    assert isinstance(both, LargestCount)
    assert both.count("When is it?") == Estimate().count("When is it?")
    assert both.name.startswith("estimate or ")


class Fixed:
    name = "fixed"

    def count(self, text: str) -> int:
        return 7


def refused() -> TokenCounter:
    raise FileNotFoundError("no such file")


def test_until_a_vocabulary_is_loaded_an_estimate_counts() -> None:
    reads: list[int] = []

    def read() -> TokenCounter:
        reads.append(1)
        return Fixed()

    counter = LazyCounter(read)
    assert counter.name == "estimate"
    assert reads == []  # no count was requested yet
    first = counter.count("x" * 100)
    counter.load()

    assert first in (Estimate().count("x" * 100), 7)  # 7 if reading was quicker
    assert (counter.name, counter.count("x" * 100), reads) == ("fixed", 7, [1])


def test_an_unreadable_vocabulary_is_replaced_by_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    counter = LazyCounter(refused)
    counter.load()

    assert counter.name == "estimate"
    assert counter.count("x" * 100) == Estimate().count("x" * 100)
    assert "tokens are estimated" in capsys.readouterr().out
