"""Sound at another sample rate keeps the frequencies that both rates can carry, and no others."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.audio import Resampler, resample
from tests.support.rows import check_rows

LOUD = 10_000
RATES = [
    (24_000, 8_000),
    (8_000, 16_000),
    (48_000, 16_000),
    (44_100, 16_000),
    (16_000, 8_000),
    (24_000, 16_000),
]


def tone(hz: float, rate: int, seconds: float = 0.25) -> NDArray[np.float64]:
    return LOUD * np.sin(2 * np.pi * hz * np.arange(round(rate * seconds)) / rate)


def pcm(sound: NDArray[np.float64]) -> bytes:
    return np.rint(sound).astype("<i2").tobytes()


def samples(sound: bytes) -> NDArray[np.float64]:
    return np.frombuffer(sound, "<i2").astype(np.float64)


def level_db(sound: NDArray[np.float64]) -> float:
    """The level of the middle, relative to ``tone``; at both ends the tone is not steady."""
    middle = sound[sound.size // 4 : -sound.size // 4]
    return float(20 * np.log10(np.sqrt(2 * (middle**2).mean()) / LOUD + 1e-9))


@check_rows(("from_rate", "to_rate"), RATES)
@check_rows("share", [0.05, 0.3, 0.6, 0.84])
def test_frequencies_that_both_rates_carry_keep_level_and_time(
    from_rate: int, to_rate: int, share: float
) -> None:
    hz = share * min(from_rate, to_rate) / 2

    heard = samples(resample(pcm(tone(hz, from_rate)), from_rate, to_rate))

    middle = slice(heard.size // 4, -heard.size // 4)
    assert np.abs(heard - tone(hz, to_rate)[: heard.size])[middle].max() < 10


@check_rows(("from_rate", "to_rate"), [pair for pair in RATES if pair[0] > pair[1]])
@check_rows("share", [1.02, 1.2, 1.45])
def test_frequencies_above_the_lower_rate_are_not_heard(from_rate: int, to_rate: int, share: float) -> None:
    hz = share * to_rate / 2

    assert level_db(samples(resample(pcm(tone(hz, from_rate)), from_rate, to_rate))) < -68


def test_a_higher_rate_has_no_mirrored_frequencies() -> None:
    heard = samples(resample(pcm(tone(1_000, 8_000)), 8_000, 16_000))

    strength = np.abs(np.fft.rfft(heard * np.hanning(heard.size)))
    hz = np.fft.rfftfreq(heard.size, 1 / 16_000)
    assert 20 * np.log10(strength[hz > 4_000].max() / strength.max()) < -68


@check_rows(("from_rate", "to_rate"), RATES)
def test_a_constant_level_stays_the_same(from_rate: int, to_rate: int) -> None:
    heard = samples(resample(pcm(np.full(from_rate // 4, 12_345.0)), from_rate, to_rate))

    assert set(heard[heard.size // 4 : -heard.size // 4]) == {12_345.0}


@given(
    st.sampled_from(RATES),
    st.binary(max_size=3_000),
    st.lists(st.integers(0, 3_000), max_size=8),
)
def test_the_result_does_not_depend_on_the_pieces(
    rates: tuple[int, int], sound: bytes, cuts: list[int]
) -> None:
    ends = sorted({0, len(sound), *(cut for cut in cuts if cut < len(sound))})
    stream = Resampler(*rates)

    out = [stream.push(sound[begin:end]) for begin, end in pairwise(ends)]

    assert b"".join([*out, stream.close()]) == resample(sound, *rates)


@check_rows(("from_rate", "to_rate"), RATES)
def test_ten_seconds_in_small_pieces_last_ten_seconds(from_rate: int, to_rate: int) -> None:
    stream, made, piece = Resampler(from_rate, to_rate), 0, bytes(2 * (from_rate // 10))
    for count in range(1, 101):
        made += len(stream.push(piece)) // 2
        assert count * to_rate / 10 - made < 0.008 * to_rate  # never further behind than half the filter
    made += len(stream.close()) // 2

    assert made == 10 * to_rate


def test_a_loud_step_is_clipped_and_does_not_wrap_around() -> None:
    step = np.repeat([-32_768.0, 32_767.0], 500)

    heard = samples(resample(pcm(step), 24_000, 16_000))

    assert heard.max() == 32_767
    assert heard.min() == -32_768
    assert (heard[340:660] > 32_000).all()


def test_an_equal_rate_leaves_the_sound_unchanged() -> None:
    stream = Resampler(16_000, 16_000)

    assert resample(b"\x01\x02\x03\x04", 16_000, 16_000) == b"\x01\x02\x03\x04"
    assert stream.push(b"\x01\x02\x03") + stream.push(b"\x04") + stream.close() == b"\x01\x02\x03\x04"


def test_an_empty_sound_stays_empty() -> None:
    assert resample(b"", 24_000, 8_000) == b""


@pytest.mark.parametrize("rates", [(0, 8_000), (8_000, -1)])
def test_an_invalid_rate_is_refused(rates: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"samples a second, such as 8000; not \S+ and \S+"):
        Resampler(*rates)
