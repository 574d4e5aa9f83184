"""Any customer, model and tools, with crashes: what must be true of every conversation."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assistant.conversation.entries import Logged
from assistant.conversation.outcomes import CallStatus, CallSucceeded
from assistant.conversation.values import Json
from assistant.errors import LogError
from assistant.prompts.book import shipped_book
from assistant.testing.chat import KEY, Chat, deps_for, open_chat
from assistant.testing.script import CallLine, Line, breaks, calls, says, stalls
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import Limits
from tests.turn.any_company import AnyModel, AnyTool, CrashingLog, Run, number_in, tools_of
from tests.turn.what_must_hold import complaints

BOOK = shipped_book()
EXAMPLES = int(os.environ.get("ANY_CONVERSATIONS", "120"))
"""More of them look longer: ``ANY_CONVERSATIONS=5000``."""


@dataclass(frozen=True, slots=True)
class Step:
    """What the customer does, or what happens to the machine, and how long nothing else does then."""

    what: str
    then_s: float


@dataclass(frozen=True, slots=True)
class Story:
    """A conversation before it has happened."""

    steps: Sequence[Step]
    deciders: Sequence[Line]
    narrators: Sequence[Line | None]
    runs: Sequence[Run]
    tools_s: float
    rounds: int
    append_s: float
    interrupts: bool


SAID = (
    "Check my orders",
    "What else?",
    "yes",
    "yes",
    "no",
    "only the first",
    "No, Wednesday",
    "wait",
    "Yes",
    "No",
)
HAPPENS = ("stop", "crash", "close", "typing", "again", "wait")
DAYS = st.sampled_from(("2026-03-10", "2026-03-11"))
READS = ("orders", "bills", "kept")
ANY_TOOL = (*READS, "note", "book", "cancel", "cancel", "renew", "gone")


def named(tool: str, day: str) -> CallLine:
    return tool, {"day": day}


def on_another(tool: str, source: str) -> CallLine:
    reference: Json = {"$from": source, "path": "n"}
    return tool, {"day": reference}


ONE_CALL = st.one_of(
    st.builds(named, st.sampled_from(ANY_TOOL), DAYS),
    st.builds(named, st.sampled_from(ANY_TOOL), DAYS),
    st.builds(on_another, st.sampled_from(ANY_TOOL), st.sampled_from((*READS, "note"))),
)


def deciding(some: list[CallLine], text: str, each_s: float) -> Line:
    return calls(*some, text=text, each_s=each_s)


EACH_S = st.sampled_from((0.0, 0.3))
DECISION = st.builds(
    deciding,
    st.lists(ONE_CALL, min_size=1, max_size=4),
    st.sampled_from(("", "", "Gladly, Ana.")),
    EACH_S,
)
BROKEN = st.one_of(
    st.builds(breaks, DECISION), st.builds(stalls, DECISION), st.just(breaks("Well")), st.just(breaks())
)
DECIDERS = st.lists(
    st.one_of(DECISION, DECISION, BROKEN, st.just(says("Gladly, Ana."))), min_size=1, max_size=5
)
# Words of theirs that tell nothing would be an answer where no call may follow.
SILENT = st.builds(deciding, st.lists(ONE_CALL, min_size=1, max_size=4), st.just(""), EACH_S)
NARRATORS = st.lists(
    st.one_of(st.none(), st.none(), SILENT, st.builds(breaks, SILENT), st.just(breaks("Well"))),
    min_size=1,
    max_size=5,
)
THEN_S = st.sampled_from((0.0, 0.0, 0.01, 0.5, 2.0, 7.0, 30.0))
STEPS = st.lists(
    st.builds(Step, st.one_of(st.sampled_from(SAID), st.sampled_from(HAPPENS)), THEN_S),
    min_size=1,
    max_size=8,
)
RUNS = st.lists(
    st.builds(
        Run,
        st.sampled_from((0.0, 0.0, 1.0, 3.0, 7.0, 60.0)),
        st.sampled_from(("works", "works", "works", "poisoned", "refuses", "broken", "nothing")),
    ),
    min_size=1,
    max_size=6,
)
STORIES = st.builds(
    Story,
    steps=STEPS,
    deciders=DECIDERS,
    narrators=NARRATORS,
    runs=RUNS,
    tools_s=st.sampled_from((2.0, 5.0, 30.0)),
    rounds=st.sampled_from((2, 4)),
    append_s=st.sampled_from((0.0, 0.0, 0.02, 0.6)),
    interrupts=st.booleans(),
)


RENEWED_TWICE = Story(
    steps=[Step("Check my orders", 0.01), Step("crash", 0.0), Step("Check my orders", 0.0)],
    deciders=[deciding([named("renew", "2026-03-10")], "", 0.0)],
    narrators=[None],
    runs=[Run(1.0, "works")],
    tools_s=2.0,
    rounds=2,
    append_s=0.0,
    interrupts=True,
)
"""It ran when the process died, and the next message comes before it could begin again."""

NAMED_IN_A_QUESTION = Story(
    steps=[Step("Check my orders", 0.0)],
    deciders=[deciding([named("orders", "2026-03-11"), named("cancel", "2026-03-10")], "", 0.0)],
    narrators=[None],
    runs=[Run(3.0, "poisoned")],
    tools_s=2.0,
    rounds=2,
    append_s=0.0,
    interrupts=False,
)
"""A result that comes late holds a day that a read-back names."""


WRITTEN_AFTER_A_TIMEOUT = Story(
    steps=[Step("Check my orders", 0.0)],
    deciders=[deciding([named("orders", "2026-03-10")], "", 0.0)],
    narrators=[deciding([named("note", "2026-03-10")], "", 0.0)],
    runs=[Run(60.0, "works")],
    tools_s=30.0,
    rounds=4,
    append_s=0.0,
    interrupts=False,
)
"""A lookup that returned nothing brought no text of other people, so a write after it needs no yes."""


FOUND_WHILE_ANOTHERS_RESULT_IS_TOLD = Story(
    steps=[Step("Check my orders", 0.0), Step("Check my orders", 0.0)],
    deciders=[
        deciding([named("orders", "2026-03-10")], "", 0.0),
        deciding([named("orders", "2026-03-11")], "", 0.0),
    ],
    narrators=[deciding([named("orders", "2026-03-10"), named("orders", "2026-03-10")], "", 0.3)],
    runs=[Run(3.0, "works")],
    tools_s=2.0,
    rounds=2,
    append_s=0.0,
    interrupts=False,
)
"""A lookup ends while its own turn says something else, and then tells the late result of the turn before."""


@given(STORIES)
@example(FOUND_WHILE_ANOTHERS_RESULT_IS_TOLD)
@example(WRITTEN_AFTER_A_TIMEOUT)
@example(RENEWED_TWICE)
@example(NAMED_IN_A_QUESTION)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_conversation_satisfies_the_rules(story: Story) -> None:
    entries, tools = run_virtually(happens(story))

    assert complaints(entries, tools) == []


@given(STORIES)
@settings(max_examples=max(10, EXAMPLES // 10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_same_conversation_gives_the_same_log(story: Story) -> None:
    assert run_virtually(happens(story))[0] == run_virtually(happens(story))[0]


async def happens(story: Story) -> tuple[list[Logged], dict[str, AnyTool]]:
    """Play it, then let the customer say two last things to models that work; everything that was logged."""
    clock = VirtualClock()
    tools = tools_of(story.runs, clock)
    people = count(1)
    log = CrashingLog(clock, story.append_s)
    model = AnyModel(story.deciders, story.narrators, clock)
    chat = await opened(story, model, tools, log, clock)
    for step in story.steps:
        match step.what:
            case "stop":
                await chat.session.stop()
            case "typing":
                chat.session.typing()
            case "crash" | "close":
                chat = await reopened(chat, story, model, tools, log, clock, at_once=step.what == "crash")
            case "again":
                await say(chat, "And this?", "m1")
            case "wait":
                pass
            case said:
                await say(chat, said, f"p{next(people)}")
        await clock.sleep(step.then_s)
    for _ in range(2):
        await chat.session.at_rest()
        model.calm()
        await say(chat, "That is all", f"p{next(people)}")
    await chat.session.at_rest()
    entries = await log.read(KEY)
    await chat.session.close()
    return entries, tools


async def say(chat: Chat, text: str, id_: str) -> None:
    button = {"Yes": "yes", "No": "no"}.get(text)
    await chat.session.say(client_message_id=id_, text=text, locale="en", button=button)  # type: ignore[arg-type]


async def opened(
    story: Story, model: AnyModel, tools: dict[str, AnyTool], log: CrashingLog, clock: VirtualClock
) -> Chat:
    limits = Limits(tools_s=story.tools_s, rounds=story.rounds)
    deps = deps_for(model, list(tools.values()), BOOK, clock, limits=limits, narrate=in_numbers)
    deps = replace(deps, new_message="interrupt" if story.interrupts else "queue")
    chat = open_chat(deps, log, await log.read(KEY))
    chat.session.resume()
    return chat


async def reopened(
    chat: Chat,
    story: Story,
    model: AnyModel,
    tools: dict[str, AnyTool],
    log: CrashingLog,
    clock: VirtualClock,
    *,
    at_once: bool,
) -> Chat:
    """Another process takes the conversation over; ``at_once``: the one before had no time to write any more."""
    log.down = at_once
    with suppress(LogError):
        await chat.session.close()
    log.down = False
    return await opened(story, model, tools, log, clock)


def in_numbers(outcomes: Sequence[CallStatus], specs: object, locale: str) -> str:
    numbers = [number_in(one.value) for one in outcomes if isinstance(one, CallSucceeded)]
    return " ".join(f"Number {number} it is." for number in numbers) or "There is nothing else."
