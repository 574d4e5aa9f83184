"""A conversation written in Python checks each assertion immediately, and everything else at the end."""

from collections.abc import Callable

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Limits, People, Who
from assistant.replay.cassette_file import load_text
from assistant.replay.dsl import (
    Conversation,
    HeardTurn,
    agent_accepts,
    agent_declines,
    agent_ends,
    agent_says,
    asks,
    calls,
    cut,
    fails,
    hangs,
    raises,
    restarts,
    returns,
    says,
    stops,
)
from assistant.replay.player.environment import ReplayEnvironment, environment_with
from assistant.replay.replies import Declared
from assistant.replay.yaml_writer import dump

BILL = Declared(
    name="get_bill", waiting_hint="checking your bill", arguments=("month",), narration="See above."
)
VISITS = Declared(name="find_visits", waiting_hint="looking up your visits")
CANCEL = Declared(name="cancel_visit", waiting_hint="cancelling your visit", effect="write", confirm=True)

PROMISE = "Sure, I'll look up your visits and check your bill."
ANSWER = "You're booked for Tuesday. I couldn't check your bill: the till is closed."


@pytest.fixture(scope="module")
def environment() -> ReplayEnvironment:
    return environment_with(shipped_book())


@pytest.fixture
def ana(environment: ReplayEnvironment) -> Conversation:
    return Conversation(
        environment, tools=[BILL, VISITS, CANCEL], customer=Who(name="Ana"), about="Ana asks."
    )


def two_lookups(ana: Conversation) -> HeardTurn:
    return ana.says(
        "Check my visits and my bill",
        calls("find_visits", ("get_bill", {"month": "May"}), first_ms=300),
        says(ANSWER, first_ms=300, each_ms=10),
        results={
            "find_visits": returns([{"day": "Tuesday"}], after_ms=200),
            "get_bill": fails("the till is closed", after_ms=50),
        },
    )


def test_a_whole_turn_reads_as_a_conversation(ana: Conversation) -> None:
    with ana:
        turn = two_lookups(ana)

        turn.hears(PROMISE, kind="acknowledgement").within_ms(305)
        turn.hears(text_contains="Tuesday").complete_within_ms(1000)
        turn.calls("find_visits", ("get_bill", {"month": "May"}))
        turn.outcome("find_visits", "ok").outcome("get_bill", "failed")
        turn.overlap("find_visits", "get_bill").never(tool="cancel_visit").never("Friday")
        turn.never(kind="status").max_silence_ms(600).suppressed().ended("answered")
        turn.is_scene(f"""
            Assistant (acknowledgement): {PROMISE}
              [find_visits ok]
              [get_bill failed]
            Assistant: {ANSWER}
        """)


UNTRUE: list[tuple[str, Callable[[HeardTurn], object], str]] = [
    ("hears", lambda turn: turn.hears("Good morning."), "hears"),
    ("in this order", lambda turn: turn.hears(ANSWER).hears(PROMISE), "hears"),
    ("within_ms", lambda turn: turn.hears(PROMISE).within_ms(299), "hears"),
    ("complete_within_ms", lambda turn: turn.hears(ANSWER).complete_within_ms(700), "hears"),
    ("interrupted", lambda turn: turn.hears(ANSWER, interrupted=True), "hears"),
    ("matches", lambda turn: turn.hears(text_matches="Mon|Fri"), "hears"),
    ("calls", lambda turn: turn.calls("find_visits"), "calls"),
    ("arguments", lambda turn: turn.calls("find_visits", ("get_bill", {"month": "June"})), "calls"),
    ("outcome", lambda turn: turn.calls("find_visits", "get_bill").outcome("get_bill", "ok"), "calls"),
    ("overlap", lambda turn: turn.overlap("find_visits", "cancel_visit"), "overlap"),
    ("never words", lambda turn: turn.never("Tuesday"), "never"),
    ("never matches", lambda turn: turn.never(text_matches="Tue.day"), "never"),
    ("never kind", lambda turn: turn.never(kind="acknowledgement"), "never"),
    ("never tool", lambda turn: turn.never(tool="get_bill"), "never"),
    ("never frame", lambda turn: turn.never(frame="tool.started"), "never"),
    ("silence", lambda turn: turn.max_silence_ms(299), "silence"),
    ("suppressed", lambda turn: turn.suppressed(repetition=1), "suppressed"),
    ("ended", lambda turn: turn.ended("interrupted"), "ended"),
    ("scene", lambda turn: turn.is_scene("Assistant: Hello."), "scene"),
]


@pytest.mark.parametrize(("claim", "named"), [row[1:] for row in UNTRUE], ids=[row[0] for row in UNTRUE])
def test_a_wrong_assertion_fails_immediately_and_only_once(
    ana: Conversation, claim: Callable[[HeardTurn], object], named: str
) -> None:
    turn = two_lookups(ana)

    with pytest.raises(AssertionError, match=rf"(?s)Ana asks\..*Turn 1.*{named}"):
        claim(turn)

    ana.ends()  # says nothing more


def test_at_the_end_the_automatic_checks_run(ana: Conversation) -> None:
    ana.says("Hello", says("Hi."), says("Never asked for."))

    with pytest.raises(AssertionError, match="narrator"), ana:
        pass


def test_a_check_can_be_skipped(ana: Conversation) -> None:
    turn = ana.says(
        "Check my bill",
        calls(("get_bill", {"month": "May"})),
        says("It was paid by Walter."),
        results={"get_bill": returns("paid")},
    )
    with pytest.raises(AssertionError, match="grounded"):
        ana.ends()

    turn.skip_checks("grounded")
    ana.ends()


def test_turns_follow_one_another_and_keep_what_was_asserted(ana: Conversation) -> None:
    with ana:
        ana.says(
            "Cancel it", calls("cancel_visit"), results={"cancel_visit": asks("cancel your visit")}
        ).hears(text_contains="cancel your visit?")
        ana.says(
            "Yes", says("It is cancelled."), button="yes", results={"cancel_visit": returns("done")}
        ).hears("It is cancelled.").calls("cancel_visit")

        text = dump(ana.cassette)

    again = load_text(text, "dumped").cassette
    assert again == ana.cassette
    assert [len(turn.expect.hears) for turn in again.turns] == [1, 1]


def test_connections_are_cut_and_answers_stopped(ana: Conversation) -> None:
    story = "We sell glasses and soft lenses."
    with ana:
        ana.says("Hello", says(story, each_ms=100), meanwhile=[cut(250, after="sell")]).hears(story)
        ana.says("Again", says(story, each_ms=100, ends="stopped"), meanwhile=[stops(at_ms=550)]).hears(
            text_contains="glasses", interrupted=True
        ).ended("interrupted")
        ana.says("Once more", says(story, each_ms=100, ends="stopped"), says(story, role="decider"),
                 meanwhile=[restarts(after="We")]).hears(story)  # fmt: skip


@pytest.mark.parametrize(("brings", "outcome"), [(raises(), "failed"), (hangs(), "timed_out")])
def test_tools_break_and_hang(environment: ReplayEnvironment, brings: object, outcome: str) -> None:
    with Conversation(environment, tools=[BILL], limits=Limits(tools_s=20)) as ana:
        turn = ana.says(
            "My bill?",
            calls("get_bill"),
            says("I could not check your bill, sorry."),
            results={"get_bill": brings},  # type: ignore[dict-item]
        )
        assert f"[get_bill {outcome}]" in turn.scene


def test_grouped_assertions_are_checked_in_order(ana: Conversation) -> None:
    turn = two_lookups(ana)

    with pytest.raises(ValueError, match="hears"):
        turn.within_ms(3)
    with pytest.raises(ValueError, match="'cancel_visit'"):
        turn.calls("find_visits", "get_bill").outcome("cancel_visit", "ok")


def test_a_tool_that_does_not_exist_is_refused(ana: Conversation) -> None:
    with pytest.raises(DeclarationError, match="find_parcel"):
        ana.says("Where is it?", calls("find_parcel"), says("Here."), results={"find_parcel": returns(1)})


def test_a_conversation_without_messages_ends_well(ana: Conversation) -> None:
    with ana:
        pass


def test_the_fixture_uses_this_folders_tools(customer: Conversation) -> None:
    customer.says(
        "When are you open?",
        calls("get_opening_hours"),
        says("We open at nine."),
        results={"get_opening_hours": returns({"opens": "09:00"})},
    ).calls("get_opening_hours").skip_checks("grounded")


def test_an_agent_takes_over_and_gives_back(environment: ReplayEnvironment) -> None:
    with Conversation(environment, agents=People()) as ana:
        asked = ana.says(
            "human please",
            calls("talk_to_a_person", first_ms=300),
            says("They have been asked.", first_ms=300),
            meanwhile=[agent_accepts("Maja", at_ms=3000), agent_says("Hello.", at_ms=4000)],
        )
        forwarded_to_agent = ana.says("Hi", at_ms=5000, meanwhile=[agent_ends(at_ms=1000)])

        asked.handed_over("requested", "queued", "accepted")
        forwarded_to_agent.ended("forwarded_to_agent").handed_over("ended")
        with pytest.raises(AssertionError, match="expected  no handoff"):
            forwarded_to_agent.handed_over()


def test_no_agent_is_available(environment: ReplayEnvironment) -> None:
    with Conversation(environment, agents=People()) as ana:
        ana.says(
            "human please",
            calls("talk_to_a_person", first_ms=300),
            says("They have been asked.", first_ms=300),
            meanwhile=[agent_declines("all are busy", at_ms=3000)],
        ).handed_over("requested", "queued", "unavailable", "ticket").hears(text_contains="left word")
