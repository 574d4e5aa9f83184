"""Whisper in ctranslate2: the one file that imports it."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from assistant.errors import SpeechError
from assistant.models.speech.whisper.features import Features
from assistant.models.speech.whisper.guess import Guess
from assistant.models.speech.whisper.vocabulary import Vocabulary
from assistant.models.speech.whisper.weights import TOKENIZER, Weights
from assistant.models.speech.whisper.write_down import Loaded

_BEAMS = 5
"""Guesses that are followed side by side; next to the sound they cost nothing."""


class Ctranslate:
    """A model in ctranslate2. See :class:`assistant.models.speech.whisper.guess.Engine`."""

    def __init__(self, ctranslate2: Any, model: Any) -> None:
        self._ctranslate2, self._model = ctranslate2, model

    @property
    def bands(self) -> int:
        """How many rows its features have."""
        return self._model.n_mels

    def guess(self, seen: Features, prompt: Sequence[int], most: int) -> Guess:
        """What is said in a window; a third of a second of work for ten seconds."""
        [result] = self._model.generate(
            self._ctranslate2.StorageView.from_array(seen[None]),
            [list(prompt)],
            beam_size=_BEAMS,
            max_length=2 * most,  # of which it gives half to the answer
            return_scores=True,
            return_no_speech_prob=True,
        )
        return Guess(tuple(result.sequences_ids[0]), result.scores[0], result.no_speech_prob)


def load(weights: Weights, places: int) -> Loaded:
    """A model, ready for so many at a time; two seconds of work.

    Raises:
        SpeechError: its files cannot be read, or ctranslate2 cannot make a Whisper model of them.
    """
    ctranslate2 = import_module("ctranslate2")
    with weights.folder() as folder:
        try:
            model = _model(ctranslate2, folder, places)
            tokenizer = (folder / TOKENIZER).read_bytes()
        except Exception as error:
            # It raises one thing or another for a file that is none of a model's.
            raise SpeechError(f"the Whisper model cannot be loaded: {error}") from error
    return Loaded(Ctranslate(ctranslate2, model), Vocabulary(tokenizer, multilingual=model.is_multilingual))


def _model(ctranslate2: Any, folder: Path, places: int) -> Any:
    """Each place has a core to itself: several on one would make all of them late."""
    return ctranslate2.models.Whisper(
        str(folder), device="cpu", compute_type="int8", inter_threads=places, intra_threads=1
    )
