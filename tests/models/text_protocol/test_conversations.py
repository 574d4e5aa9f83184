"""The recorded conversations, their calls written as text, are the same conversations."""

from functools import partial
from pathlib import Path

import pytest

from assistant.models.text_protocol.route import through_text
from assistant.ports import Model
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load
from assistant.replay.checks.check import check
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.play import play
from assistant.settings import load_settings
from assistant.testing.virtual_time import run_virtually
from tests.support.rows import check_rows
from tests.support.writes_calls import Form, WritesCalls

CASSETTES = sorted(Path(__file__).parents[2].joinpath("conversations").glob("*.conversation.yaml"))
EVERY = 4
TELLING = {
    "rounds_have_an_end",
    "forged_calls_in_a_text",
    "twice_in_one_breath",
    "words_come_before_slow_results",
}
FORMS = (Form("json", "markdown"), Form("json", "xml"), Form("yaml", "markdown"), Form("yaml", "xml"))


def _named(path: Path) -> str:
    return path.name.partition(".")[0]


@pytest.fixture(scope="module")
def environment() -> ReplayEnvironment:
    return environment_of(load_settings())


def _over_text(cassette: Cassette, environment: ReplayEnvironment, form: Form) -> Played:
    def through(model: Model) -> Model:
        return through_text(
            WritesCalls(model, form),
            render=environment.book.render,
            secret=b"secret",
            calls=form.calls,
            sections=form.sections,
        )

    return run_virtually(play(cassette, environment, through=through))


@check_rows(
    "path",
    [path for place, path in enumerate(CASSETTES) if place % EVERY == 0 or _named(path) in TELLING],
    ids=_named,
)
def test_a_conversation_holds_over_text(path: Path, environment: ReplayEnvironment):
    cassette = load(path).cassette
    played = _over_text(cassette, environment, FORMS[CASSETTES.index(path) // EVERY % len(FORMS)])
    assert check(cassette, played, environment.book, environment.tools.specs) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("path", CASSETTES, ids=_named)
def test_what_the_customer_hears_is_the_same_to_the_millisecond(
    path: Path, form: Form, environment: ReplayEnvironment
):
    cassette = load(path).cassette
    played = _over_text(cassette, environment, form)
    assert check(cassette, played, environment.book, environment.tools.specs) == []
    assert played.frames == run_virtually(play(cassette, environment)).frames


def test_without_the_way_back_the_text_would_be_said(environment: ReplayEnvironment):
    cassette = load(next(path for path in CASSETTES if _named(path) == "one_lookup")).cassette
    through = partial(WritesCalls, form=Form("json", "markdown"))
    played = run_virtually(play(cassette, environment, through=through))
    assert check(cassette, played, environment.book, environment.tools.specs)
