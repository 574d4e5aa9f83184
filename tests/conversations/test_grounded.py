"""Guardrails suppress nothing in a shipped conversation, unless its file expects it."""

from collections import Counter

from assistant.conversation.entries import SentenceSuppressed
from assistant.replay.cassette_file import load
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.tenants import load_settings
from tests.support.cassettes import CASSETTES


def test_only_expected_sentences_are_suppressed() -> None:
    environment = environment_of(load_settings())
    wrong: list[tuple[str, Counter[str], Counter[str]]] = []
    for name, path in CASSETTES.items():
        cassette = load(path).cassette
        expected = Counter[str]()
        for expect in (cassette.expect, *(turn.expect for turn in cassette.turns)):
            expected.update(expect.suppressed or {})
        kept = Counter(
            one.entry.guardrail
            for one in replay(cassette, environment).entries
            if isinstance(one.entry, SentenceSuppressed)
        )
        if +kept != +expected:
            wrong.append((name, kept, expected))

    assert wrong == []
