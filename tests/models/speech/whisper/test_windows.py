"""How much is shown at a time: a quarter of the whole for most utterances, and long ones cut in their pauses."""

import numpy as np
import pytest

from assistant.models.speech.transcribe import Samples, in_window, pieces, window_length_s
from assistant.speech_ports import HEARD_RATE


def noise(*spans: tuple[float, float]) -> Samples:
    """Seconds and loudness, one span after the other."""
    made = [loud * np.cos(np.arange(round(seconds * HEARD_RATE))) for seconds, loud in spans]
    return np.concatenate(made).astype(np.float32)


@pytest.mark.parametrize(("seconds", "window_s"), [(0.3, 10), (8, 10), (8.5, 10.5), (28, 30), (29.9, 30)])
def test_the_window_ends_two_seconds_late_and_is_ten_long_at_least(seconds: float, window_s: float) -> None:
    assert window_length_s(seconds) == window_s


def test_what_is_missing_in_a_window_is_silence() -> None:
    sound = noise((1, 0.5))
    padded = in_window(sound, 10)
    assert len(padded) == 10 * HEARD_RATE
    assert (padded[:HEARD_RATE] == sound).all()
    assert not padded[HEARD_RATE:].any()


def test_what_fits_is_one_piece() -> None:
    assert [len(piece) for piece in pieces(noise((30, 0.5)))] == [30 * HEARD_RATE]
    assert [len(piece) for piece in pieces(noise((0.5, 0.5)))] == [HEARD_RATE // 2]


def test_a_long_utterance_is_cut_in_its_pauses_and_nothing_of_it_is_lost() -> None:
    sound = noise((20, 0.5), (0.3, 0.001), (22, 0.5), (0.3, 0.001), (9, 0.5))
    cut = list(pieces(sound))
    assert [len(piece) / HEARD_RATE for piece in cut] == pytest.approx([20.15, 22.3, 9.15], abs=0.02)
    assert (np.concatenate(cut) == sound).all()


def test_one_without_a_pause_is_cut_all_the_same() -> None:
    assert all(15 <= len(piece) / HEARD_RATE <= 30 for piece in pieces(noise((70, 0.5))))
