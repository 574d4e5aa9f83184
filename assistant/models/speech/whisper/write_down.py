"""From an utterance to what was said: piece by piece, and once more where a piece is doubtful."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from assistant.conversation.spoken import Transcript
from assistant.errors import SpeechError
from assistant.models.speech.ungrouped import ungrouped
from assistant.models.speech.whisper.features import features
from assistant.models.speech.whisper.guess import Engine, Guess
from assistant.models.speech.whisper.repeats import most_tokens, repeats, said_once
from assistant.models.speech.whisper.samples import Samples, samples_of
from assistant.models.speech.whisper.vocabulary import Vocabulary
from assistant.models.speech.whisper.windows import WHOLE_S, cut_window_s, in_window, pieces
from assistant.ports.speech import HEARD_RATE, Pcm

_SHORTEST_S = 0.1
_LONGEST_S = 300


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that is ready, with its vocabulary."""

    engine: Engine
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class _Look:
    """What was seen in a piece. ``endless``: it did not come to an end by itself."""

    text: str
    guess: Guess
    endless: bool

    @property
    def doubtful(self) -> bool:
        """Nobody says so much in that time, or hardly anybody says such a thing."""
        return self.endless or repeats(self.text)


_NOTHING = _Look("", Guess((), mean_log=0.0, silent=1.0), endless=False)


def write_down(audio: Pcm, model: Loaded, locale: str, hint: str) -> Transcript:
    """What is said in an utterance; "" where nobody speaks. It takes its time.

    Raises:
        SpeechError: the sound is none, or longer than five minutes.
    """
    samples = samples_of(audio)
    seconds = len(samples) / HEARD_RATE
    if seconds > _LONGEST_S:
        raise SpeechError(f"an utterance of {seconds:.0f} s is not written down; {_LONGEST_S} s are the most")
    looks: list[_Look] = []
    for piece in pieces(samples):
        looks.append(_listen(piece, model, locale, hint))
        hint = looks[-1].text or hint  # What was just said tells how it goes on.
    text = " ".join(look.text for look in looks if look.text)
    return Transcript(
        text=ungrouped(text, locale),
        likely=_likely([look.guess for look in looks]),
        seconds=seconds,
    )


def _listen(samples: Samples, model: Loaded, locale: str, hint: str) -> _Look:
    seconds = len(samples) / HEARD_RATE
    if seconds < _SHORTEST_S:
        return _NOTHING
    window_s = cut_window_s(seconds)
    look = _look(samples, window_s, model, locale, hint)
    if look.doubtful and (window_s < WHOLE_S or hint):
        # Shown all that it was trained with, and nothing that it could take up, it finds its end.
        look = _look(samples, WHOLE_S, model, locale, "")
    if look.guess.of_nobody:
        return _NOTHING
    # Who has really said it twice has been heard so twice; only what never ends is cut short.
    return replace(look, text=said_once(look.text)) if look.endless else look


def _look(samples: Samples, window_s: float, model: Loaded, locale: str, hint: str) -> _Look:
    most = most_tokens(len(samples) / HEARD_RATE)
    seen = features(in_window(samples, window_s), model.engine.bands)
    guess = model.engine.guess(seen, model.vocabulary.prompt(locale, hint), most)
    return _Look(model.vocabulary.text(guess.ids), guess, endless=len(guess.ids) >= most)


def _likely(guesses: Sequence[Guess]) -> float:
    """How sure all of them are of each word: long ones count for more."""
    tokens = sum(len(guess.ids) for guess in guesses)
    sum_log = sum(guess.mean_log * len(guess.ids) for guess in guesses)
    return exp(min(sum_log / tokens, 0.0)) if tokens else 1.0
