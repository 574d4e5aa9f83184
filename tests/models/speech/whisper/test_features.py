"""The input features of Whisper: its published figures, and properties for any sound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.models.speech.transcribe import Samples, features, hz_of, mel_bands, mel_of
from assistant.speech_ports import HEARD_RATE


def tone(hz: float, seconds: float = 1.0, loudness: float = 0.5) -> Samples:
    at = np.arange(round(seconds * HEARD_RATE)) / HEARD_RATE
    return (loudness * np.sin(2 * np.pi * hz * at)).astype(np.float32)


def test_a_second_has_a_hundred_columns_and_a_row_for_each_band() -> None:
    assert features(tone(440, 30), 80).shape == (80, 3_000)
    assert features(tone(440, 10), 128).shape == (128, 1_000)
    assert features(tone(440), 80).dtype == np.float32


def test_silence_has_the_lowest_value() -> None:
    # log10(1e-10) = -10, and (-10 + 4) / 4
    assert np.allclose(features(np.zeros(HEARD_RATE, np.float32), 80), -1.5)


def test_values_eight_powers_of_ten_below_the_loudest_are_cut() -> None:
    seen = features(tone(1_000), 80)
    assert seen.max() - seen.min() == pytest.approx(8 / 4)


def test_ten_times_the_loudness_is_a_hundred_times_the_energy() -> None:
    quiet, loud = features(tone(1_000, loudness=0.05), 80), features(tone(1_000, loudness=0.5), 80)
    assert loud.max() - quiet.max() == pytest.approx(2 / 4, abs=1e-4)


def test_a_tone_of_full_loudness_has_the_energy_that_the_formula_gives() -> None:
    # A Hann window of 400 samples sums up to 200: a sine that lies on a line of the spectrum has (200 / 2)² there,
    # and a quarter of it on both lines next to it.
    bands = mel_bands(80)
    line = 25  # 1000 Hz, at 40 Hz a line
    energy = 100.0**2 * (bands[:, line] + (bands[:, line - 1] + bands[:, line + 1]) / 4)
    seen = features(tone(1_000, loudness=1.0), 80)
    assert seen[:, 50].max() == pytest.approx((np.log10(energy.max()) + 4) / 4, abs=1e-4)


@given(st.floats(100, 7_500))
def test_a_tone_is_loudest_in_its_own_band(hz: float) -> None:
    top = float(mel_of(np.array([HEARD_RATE / 2]))[0])
    centres = hz_of(np.linspace(0, top, 82))[1:-1]
    loudest = centres[features(tone(hz, 0.2), 80).mean(axis=1).argmax()]
    assert abs(float(mel_of(np.array([loudest]))[0]) - float(mel_of(np.array([hz]))[0])) < 2 * top / 81


def test_the_bands_are_slaneys() -> None:
    bands = mel_bands(80)
    assert bands.shape == (80, 201)
    # The first figures of the table that comes with the original.
    assert bands[0, :4] == pytest.approx([0.0, 0.024862595, 0.0, 0.0], abs=1e-6)
    assert bands[1, :4] == pytest.approx([0.0, 0.0019908, 0.022871798, 0.0], abs=1e-6)
    # All triangles have the same area, a quarter of what it is in Hz with lines of 40 Hz.
    assert bands[20:].sum(axis=1) * 40 == pytest.approx(1.0, rel=0.15)
    assert (bands >= 0).all()


def test_the_scale_is_even_up_to_one_kilohertz_and_grows_from_there() -> None:
    hz = np.array([0.0, 500.0, 1_000.0, 6_400.0, 8_000.0])
    assert mel_of(hz) == pytest.approx([0.0, 7.5, 15.0, 42.0, 45.245640])
    assert hz_of(mel_of(hz)) == pytest.approx(hz)


def test_padding_does_not_change_the_features_of_the_sound() -> None:
    short = tone(700, 2)
    padded = np.pad(short, (0, 8 * HEARD_RATE))
    assert np.allclose(features(short, 80)[:, :195], features(padded, 80)[:, :195], atol=1e-4)
