"""The length of a window: a quarter of the whole for most utterances; long ones are cut in their pauses."""

import numpy as np
import pytest

from assistant.models.speech.transcribe import Samples, in_window, pieces, window_length_s
from assistant.speech_ports import HEARD_RATE


def noise(*spans: tuple[float, float]) -> Samples:
    """Seconds and loudness, one span after the other."""
    made = [loud * np.cos(np.arange(round(seconds * HEARD_RATE))) for seconds, loud in spans]
    return np.concatenate(made).astype(np.float32)


@pytest.mark.parametrize(("seconds", "window_s"), [(0.3, 10), (8, 10), (8.5, 10.5), (28, 30), (29.9, 30)])
def test_the_window_is_two_seconds_longer_and_at_least_ten(seconds: float, window_s: float) -> None:
    assert window_length_s(seconds) == window_s


def test_the_rest_of_a_window_is_silence() -> None:
    sound = noise((1, 0.5))
    padded = in_window(sound, 10)
    assert len(padded) == 10 * HEARD_RATE
    assert (padded[:HEARD_RATE] == sound).all()
    assert not padded[HEARD_RATE:].any()


def test_a_short_utterance_is_one_piece() -> None:
    assert [len(piece) for piece in pieces(noise((30, 0.5)))] == [30 * HEARD_RATE]
    assert [len(piece) for piece in pieces(noise((0.5, 0.5)))] == [HEARD_RATE // 2]


def test_a_long_utterance_is_cut_in_its_pauses_and_nothing_is_lost() -> None:
    sound = noise((20, 0.5), (0.3, 0.001), (22, 0.5), (0.3, 0.001), (9, 0.5))
    cut = list(pieces(sound))
    assert [len(piece) / HEARD_RATE for piece in cut] == pytest.approx([20.15, 22.3, 9.15], abs=0.02)
    assert (np.concatenate(cut) == sound).all()


def test_an_utterance_without_a_pause_is_cut_too() -> None:
    assert all(15 <= len(piece) / HEARD_RATE <= 30 for piece in pieces(noise((70, 0.5))))
