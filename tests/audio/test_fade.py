"""Faded sound becomes softer and ends in time."""

import numpy as np
import pytest

from assistant.audio import fade_out

LOUD = (10_000).to_bytes(2, "little") * 24_000


def test_it_is_silent_at_the_end_and_never_gets_louder() -> None:
    faded = np.frombuffer(fade_out(LOUD, 24_000, 300), "<i2").astype(int)

    assert faded.size == 7_200
    assert faded[0] == 10_000
    assert faded[3_600] == 5_000
    assert faded[-1] <= 1
    assert (np.diff(faded) <= 0).all()
    assert np.diff(faded).min() >= -3


def test_a_shorter_sound_is_faded_over_its_own_length() -> None:
    faded = np.frombuffer(fade_out(LOUD[:480], 24_000, 300), "<i2").astype(int)

    assert faded.size == 240
    assert faded[-1] <= 1


@pytest.mark.parametrize(("sound", "ms"), [(b"", 300), (LOUD, 0), (LOUD, -5), (b"\x01", 10)])
def test_an_empty_sound_or_a_zero_fade_gives_no_sound(sound: bytes, ms: int) -> None:
    assert fade_out(sound, 24_000, ms) == b""
