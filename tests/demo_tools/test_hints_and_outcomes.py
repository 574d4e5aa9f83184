"""Every hint of the demo tools, with every outcome: no text before the end claims to know the outcome."""

import re
from typing import get_args

from assistant.conversation.outcomes import CallStatusName
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.prompts.book import PromptBook, shipped_book
from assistant.prompts.utterances import OutcomeTold, StillWaiting
from assistant.shipped import shipped
from assistant.tools.discovery import discover
from assistant.turn.acknowledge import acknowledge
from tests.support.rows import check_rows

BOOK: PromptBook = shipped_book()
SPECS = discover(shipped("tools")).specs
OUTCOMES = get_args(CallStatusName)
CLAIMS = re.compile(
    r"\b(found|cancelled|booked|moved|updated|sent|nothing|no open|successfully|couldn't|failed|gefunden|storniert|"
    r"abgesagt|gebucht|verschoben|geändert|erfolgreich|nichts|leider)\b"
)
EMPTY = re.compile(r"nothing|no open|nichts|keine\b")


def hint_of(spec: ToolSpec, locale: str) -> Hint:
    hint = spec.own_hint(locale)
    assert hint is not None
    return hint


def assert_is_a_sentence(text: str) -> None:
    assert text == " ".join(text.split())
    assert text[0].isupper()
    assert text[-1] in ".?"
    assert re.search(r"\b(\w+) \1\b", text) is None
    assert not re.search(r"[.;,:]{2}| [.,;:]|\{|\}", text)


@check_rows("locale", ["en", "de"])
@check_rows("spec", SPECS, ids=lambda spec: spec.name)
def test_text_before_the_end_does_not_claim_an_outcome(spec: ToolSpec, locale: str) -> None:
    hint = hint_of(spec, locale)
    words = BOOK.acknowledgement(locale)
    leads = {lead for some in words.leads.values() for lead in some}
    announced = [acknowledge([hint.will], lead, words) for lead in leads]
    waiting = [
        BOOK.render(StillWaiting(number=number, done=done, pending=(hint,), more=0), locale)
        for number in range(1, 5)
        for done in ((), (hint_of(SPECS[0], locale),))
        if hint not in done
    ]

    for text in (*announced, *waiting):
        assert_is_a_sentence(text)
        assert CLAIMS.search(text) is None
        assert hint.will in text or hint.doing in text


@check_rows("outcome", OUTCOMES)
@check_rows("locale", ["en", "de"])
@check_rows("spec", SPECS, ids=lambda spec: spec.name)
def test_the_sentence_for_each_outcome_names_what_was_done(
    spec: ToolSpec, locale: str, outcome: CallStatusName
) -> None:
    hint = hint_of(spec, locale)
    for say, found in (("", ""), ("the service is down", "a thing")):
        text = BOOK.render(
            OutcomeTold(outcome=outcome, effect=spec.effect, hint=hint, say=say, found=found), locale
        )

        assert_is_a_sentence(text)
        if outcome not in ("ok", "empty"):
            assert EMPTY.search(text) is None
            assert hint.will in text or hint.doing in text
