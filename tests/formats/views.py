"""Views for property tests: everything that a model may receive, and more."""

from dataclasses import replace

from hypothesis import strategies as st

from assistant.conversation.calls import Call, call_id
from assistant.conversation.model_views import (
    turn_view,
)
from assistant.conversation.outcomes import CallEmpty, CallFailed, CallSucceeded, CallTimedOut, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.ports import ModelOptions, ModelRequest
from tests.conversation.histories import states

TOOLS = (
    ToolSpec(name="look_up", description="Look something up.", parameters={}),
    ToolSpec(name="crm.change", description="", parameters={"type": "object", "properties": {}}),
)

_TEXTS = st.sampled_from(["", " \n", "Well.", "Grüße 👋", "half a 👋: \ud83d"]) | st.text(max_size=5)
# As OpenAI, vLLM, Anthropic and Kimi name calls; some begin anew in each reply. "": not at all.
_STYLES = (
    "",
    "call_{}",
    "chatcmpl-tool-" + "0" * 32 + "{}",
    "toolu_01{}",
    "functions.find:{}",
    "all the same",
)
_ARGUMENTS = st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2)


@st.composite
def _outcomes(draw: st.DrawFn, call: Call) -> Outcome:
    value = draw(st.sampled_from(["", "found {it}", 3, 2**70]))
    return draw(
        st.sampled_from(
            [
                CallSucceeded(call=call, value=value),
                CallEmpty(call=call),
                CallFailed(call=call, say="no", for_model=""),
                CallTimedOut(call=call, after_s=10),
            ]
        )
    )


@st.composite
def turn_views(draw: st.DrawFn) -> TurnView:
    """A turn whose calls have ids of all kinds or none; the customer or the assistant may begin, or say nothing."""
    given = draw(st.sampled_from(_STYLES))
    said: list[ViewMessage] = [FromCustomer(text) for text in draw(st.lists(_TEXTS, max_size=2))]
    for round_ in range(1, draw(st.integers(0, 3)) + 1):
        calls = tuple(
            Call(
                id=call_id(round_, number),
                tool=draw(st.sampled_from(["look_up", "crm.change"])),
                arguments=draw(_ARGUMENTS),
                provider_id=given.format(number) or None,
            )
            for number in range(1, draw(st.integers(1, 3)) + 1)
        )
        said.append(FromAssistant(draw(_TEXTS), calls))
        said.append(FromTools(tuple(draw(_outcomes(call)) for call in calls)))
    said += [FromAssistant(text) for text in draw(st.lists(_TEXTS, max_size=2))]
    return TurnView(tuple(said))


def without_oldest(view: View, count: int) -> View:
    """The same view without so many of its oldest turns; the last turn always stays."""
    first = min(count, max(len(view.turns) - 1, 0))
    return replace(view, turns=view.turns[first:])


@st.composite
def _logged_views(draw: st.DrawFn) -> View:
    """What a model is given of a log, from anywhere in it on."""
    turns = draw(states()).turns
    views = [turn_view(turn) for turn in turns]
    whole = View(draw(_TEXTS), tuple(views), draw(_TEXTS))
    return without_oldest(whole, draw(st.integers(0, len(views))))


def views() -> st.SearchStrategy[View]:
    """A view that came of a log, or one that could only be made up."""
    return _logged_views() | st.builds(View, _TEXTS, st.lists(turn_views(), max_size=5).map(tuple), _TEXTS)


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    """A request with or without tools, parallel calls allowed or not."""
    return ModelRequest(
        role=draw(st.sampled_from(["decider", "narrator"])),
        view=draw(views()),
        tools=draw(st.sampled_from([(), TOOLS])),
        options=ModelOptions(
            temperature=draw(st.sampled_from([None, 0.0, 1.0])), parallel_calls=draw(st.booleans())
        ),
    )
