"""The recorded conversations are the same if their calls are written as text."""

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
from assistant.tenants import load_settings
from assistant.testing.virtual_time import run_virtually
from tests.support.cassettes import CASSETTES
from tests.support.rows import check_rows
from tests.support.writes_calls import Form, WritesCalls

FILES = list(CASSETTES.values())
EVERY = 4
TELLING = {
    "rounds_are_limited",
    "text_that_looks_like_a_call",
    "same_call_twice_in_a_reply",
    "acknowledgement_before_slow_results",
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
    [path for place, path in enumerate(FILES) if place % EVERY == 0 or _named(path) in TELLING],
    ids=_named,
)
def test_a_conversation_holds_over_text(path: Path, environment: ReplayEnvironment):
    cassette = load(path).cassette
    played = _over_text(cassette, environment, FORMS[FILES.index(path) // EVERY % len(FORMS)])
    assert check(cassette, played, environment.book, environment.tools.specs) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("path", FILES, ids=_named)
def test_what_the_customer_hears_is_the_same_to_the_millisecond(
    path: Path, form: Form, environment: ReplayEnvironment
):
    cassette = load(path).cassette
    played = _over_text(cassette, environment, form)
    assert check(cassette, played, environment.book, environment.tools.specs) == []
    assert played.frames == run_virtually(play(cassette, environment)).frames


def test_without_the_text_route_the_calls_would_be_shown_as_text(environment: ReplayEnvironment):
    cassette = load(CASSETTES["one_lookup"]).cassette
    through = partial(WritesCalls, form=Form("json", "markdown"))
    played = run_virtually(play(cassette, environment, through=through))
    assert check(cassette, played, environment.book, environment.tools.specs)
