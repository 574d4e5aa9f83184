"""Properties of fallback models: none is asked too often, their order is kept, and nothing is said twice."""

from asyncio import get_running_loop
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.ports import ModelRequest
from assistant.testing.script import Line, breaks, says, stalls
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import run_virtually
from tests.models.fallback.several import ASKED, scripted, steady


def busy(retry_after_s: float | None) -> ModelError:
    return ModelBusy("busy", retry_after_s=retry_after_s)


def fails(error: ModelError) -> Line:
    return breaks(error=error)


def fails_late(error: ModelError) -> Line:
    return breaks("Half an", error=error)


def answers(first_s: float) -> Line:
    return says("A whole answer.", first_s=first_s)


PASSING = st.builds(busy, st.none() | st.floats(0, 60)) | st.just(ModelBroke("broke"))
ERRORS = PASSING | st.just(ModelRefused("refused"))
LINES = st.one_of(
    st.builds(fails, ERRORS),
    st.builds(fails_late, ERRORS),
    st.just(stalls()),
    st.builds(answers, st.floats(0, 15)),
)
TRIES = 3
SCRIPTS = st.lists(st.lists(LINES, min_size=TRIES, max_size=TRIES), min_size=1, max_size=4)


class Told:
    """Who was asked, in order, and when; and what came of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []
        self.chunks: list[Chunk] = []
        self.error: ModelError | None = None


class Noting:
    """A scripted model that notes when it is asked."""

    def __init__(self, model: ScriptedModel, told: Told) -> None:
        self.name = model.name
        self.close = model.close
        self._model, self._told = model, told

    def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        self._told.asked.append((self.name, get_running_loop().time()))
        return self._model.stream(request)


async def conversation(scripts: list[list[Line]], jitter: float) -> Told:
    told = Told()
    models = [Noting(scripted(f"m{place}", *lines), told) for place, lines in enumerate(scripts)]
    try:
        async with aclosing(steady(*models, tries=TRIES, jitter=jitter).stream(ASKED)) as stream:
            async for chunk in stream:
                told.chunks.append(chunk)
    except ModelError as error:
        told.error = error
    return told


@given(scripts=SCRIPTS, jitter=st.floats(0, 1, exclude_max=True))
def test_models_are_asked_in_order_and_seldom_enough_and_answer_once(
    scripts: list[list[Line]], jitter: float
) -> None:
    told = run_virtually(conversation(scripts, jitter))

    names = [name for name, _ in told.asked]
    assert names == sorted(names)
    assert max(names.count(name) for name in names) <= TRIES
    assert len(set(names)) == int(names[-1][1:]) + 1, "none was passed over"
    text = "".join(chunk.text for chunk in told.chunks if isinstance(chunk, TextDelta))
    assert text in ("A whole answer.", "Half an", "")
    assert (text == "A whole answer.") == (told.error is None)
    ends = [chunk for chunk in told.chunks if isinstance(chunk, StreamEnded)]
    assert len(ends) == (told.error is None)
    if ends:
        assert ends[0].model == (names[-1] if names[-1] != "m0" else None)


@given(waits=st.lists(st.floats(0, 10), min_size=TRIES - 1, max_size=TRIES - 1), jitter=st.floats(0, 0.99))
def test_a_busy_model_is_never_asked_earlier_than_it_said(waits: list[float], jitter: float) -> None:
    lines = [*(fails(busy(wait)) for wait in waits), says("Hello.")]
    told = run_virtually(conversation([lines], jitter))

    times = [at for _, at in told.asked]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert all(pause >= wait - 1e-6 for pause, wait in zip(pauses, waits, strict=False))
    assert sum(pauses) <= 4.0 + 1e-6
