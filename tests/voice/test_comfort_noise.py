"""Comfort noise is quiet, has no seam, and can be heard over a telephone, too."""

import numpy as np
import pytest

from assistant.audio import decode_mulaw, encode_mulaw
from assistant.voice.comfort_noise import LEVEL_DBFS, make_comfort_noise


@pytest.mark.parametrize(("seconds", "rate"), [(4.0, 24_000), (1.0, 16_000), (2.5, 8_000)])
def test_it_has_the_given_loudness_and_is_never_much_louder(seconds: float, rate: int) -> None:
    sound = np.frombuffer(make_comfort_noise(seconds, rate), "<i2").astype(np.float64) / 32_768

    assert sound.size == seconds * rate
    assert 20 * np.log10(np.sqrt(np.square(sound).mean())) == pytest.approx(LEVEL_DBFS, abs=0.1)
    assert np.abs(sound).max() < 10 ** ((LEVEL_DBFS + 14) / 20)


def test_it_repeats_without_a_step() -> None:
    sound = np.frombuffer(make_comfort_noise(4.0, 24_000) * 2, "<i2").astype(int)

    steps = np.abs(np.diff(sound))
    assert steps[95_900:96_100].max() <= 2
    assert np.abs(sound[95_900:96_100]).max() <= 2
    assert steps.max() < 250


def test_it_is_as_loud_over_a_telephone() -> None:
    sound = make_comfort_noise(2.0, 8_000)

    carried = np.frombuffer(decode_mulaw(encode_mulaw(sound)), "<i2").astype(np.float64) / 32_768
    assert 20 * np.log10(np.sqrt(np.square(carried).mean())) == pytest.approx(LEVEL_DBFS, abs=0.3)


def test_a_length_of_zero_gives_no_sound() -> None:
    assert make_comfort_noise(0.0, 8_000) == b""
    assert len(make_comfort_noise(0.001, 8_000)) == 16
