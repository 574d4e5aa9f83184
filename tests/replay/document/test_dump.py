"""A cassette that is written down reads well, and as the same cassette again."""

from hypothesis import HealthCheck, given, settings

from assistant.replay.cassette.cassette import Cassette
from assistant.replay.document.dump import dump
from assistant.replay.document.load import load_text
from tests.replay.document.any_cassette import cassettes


@given(cassettes())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_what_is_written_reads_as_the_same(cassette: Cassette) -> None:
    written = dump(cassette)

    again = load_text(written, "written").cassette

    assert again == cassette
    assert repr(again.turns) == repr(cassette.turns)  # 1, 1.0 and true are equal, and not the same
    assert dump(again) == written
