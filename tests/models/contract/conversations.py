"""The conversations that every adapter has with its provider."""

from base64 import b64decode
from collections.abc import Iterator

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
)
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.ports import ModelOptions
from assistant.testing.script import calls, says
from tests.models.contract.talk import Conversation, Ending, Turn

DOOR = Media.of(
    b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ),
    name="door.png",
)
BILL = Media.of(b"%PDF-1.7\n", name="bill.pdf")
MOVING = Media.of(b"GIF89a" + bytes([1, 0, 1, 0, 0, 0, 0]), name="moving.gif")


def found(value: Json = "found", *media: Media) -> Ending:
    """A call that worked."""
    return lambda call: CallSucceeded(call=call, value=value, media=media)


ENDINGS: tuple[Ending, ...] = (
    found({"status": "sent"}),
    found(""),
    lambda call: CallEmpty(call=call, value=[]),
    lambda call: CallFailed(call=call, say="that did not work", for_model="no such order: 4712"),
    lambda call: CallFailed(call=call, say="that did not work", for_model=""),
    lambda call: CallTimedOut(call=call, after_s=10),
    lambda call: CallDenied(call=call, say="", for_model="the customer is not known"),
    lambda call: CallCancelled(call=call, why="its order was not found"),
    lambda call: CallCancelled(call=call, why="c1.1 is the same", duplicate_of="c1.1"),
    lambda call: CallUnknown(call=call),
    lambda call: CallPending(call=call),
)
ONE = ("find_order", {"number": 4711})
ANSWER = says("It is on its way.")
SENT = Turn(rounds=[(calls(ONE), [found()])], answer=ANSWER)


def _past(count: int) -> Iterator[TurnView]:
    """Turns of a long talk: every other one with calls, every tenth stopped before its answer."""
    for place in range(count):
        messages: list[ViewMessage] = [FromCustomer(f"Question {place}")]
        if place % 2:
            pair = [Call(id=f"c1.{number}", tool="find_order", provider_id="call_0") for number in (1, 2)]
            messages.append(FromAssistant("", tuple(pair)))
            messages.append(FromTools(tuple(found(place)(call) for call in pair)))
        if place % 10 != 9:
            messages.append(FromAssistant(f"Answer {place}"))
        yield TurnView(tuple(messages))


def _called(*provider_ids: str | None) -> TurnView:
    """A turn whose calls some other provider named."""
    asked = [
        Call(id=f"c1.{number}", tool="crm.change", provider_id=given)
        for number, given in enumerate(provider_ids, start=1)
    ]
    results = FromTools(tuple(found()(call) for call in asked))
    return TurnView((FromCustomer("Change it."), FromAssistant("Well.", tuple(asked)), results))


_ODD_IDS = ("functions.find:0", "call_" + "x" * 60, "an id", "é", "", None)

CONVERSATIONS: dict[str, Conversation] = {
    "no call": Conversation(turns=[Turn(said="Hello", answer=says("Hello!"))]),
    "one call": Conversation(turns=[SENT]),
    "words before a call": Conversation(
        turns=[Turn(rounds=[(calls(ONE, text="One moment."), [found()])], answer=ANSWER)]
    ),
    "four parallel calls": Conversation(
        turns=[
            Turn(
                rounds=[(calls(*[("find_order", {"number": at}) for at in range(4)]), [found()] * 4)],
                answer=ANSWER,
            )
        ]
    ),
    "calls of every end": Conversation(
        turns=[Turn(rounds=[(calls(*[ONE] * len(ENDINGS)), ENDINGS)], answer=ANSWER)]
    ),
    "three rounds": Conversation(
        turns=[
            Turn(
                rounds=[
                    (calls(ONE), [found()]),
                    (calls(ONE, "crm.change", text="And now"), [found(), ENDINGS[3]]),
                    (calls("crm.change"), [found()]),
                ],
                answer=ANSWER,
            )
        ]
    ),
    "one turn after the other": Conversation(turns=[SENT, Turn(said="Thanks", answer=says("Gladly.")), SENT]),
    "a dotted name": Conversation(turns=[Turn(rounds=[(calls("crm.change"), [found()])], answer=ANSWER)]),
    "one call at a time": Conversation(turns=[SENT], options=ModelOptions(parallel_calls=False)),
    "coolly": Conversation(turns=[SENT], options=ModelOptions(temperature=0.0)),
    "a picture": Conversation(
        turns=[Turn(rounds=[(calls(ONE), [found("at the door", DOOR)])], answer=ANSWER), SENT]
    ),
    "a picture for a model that cannot see": Conversation(
        turns=[Turn(rounds=[(calls(ONE), [found("at the door", DOOR)])], answer=ANSWER)],
        options=ModelOptions(images=False),
    ),
    "pictures and papers of parallel calls": Conversation(
        turns=[
            Turn(
                rounds=[
                    (
                        calls(ONE, ONE, ONE),
                        [found("here", DOOR, BILL), ENDINGS[3], found(None, MOVING, DOOR)],
                    ),
                    (calls(ONE), [found("again", DOOR)]),
                ],
                answer=ANSWER,
            )
        ]
    ),
    "a turn that was stopped": Conversation(
        turns=[Turn(said="Well?"), Turn(rounds=[(calls(ONE), [ENDINGS[-1]])]), SENT]
    ),
    "a turn that was stopped over a picture": Conversation(
        turns=[Turn(rounds=[(calls(ONE), [found("here", DOOR)])]), SENT]
    ),
    "words that were cut off": Conversation(
        turns=[SENT],
        before=(TurnView((FromCustomer("When am I due?"), FromAssistant("Your appoint"))),),
    ),
    "words in which nothing stands": Conversation(
        turns=[Turn(said=" \n", answer=ANSWER), SENT],
        before=(TurnView((FromCustomer(""), FromAssistant("\n"), FromCustomer("Hi"))),),
    ),
    "an assistant that speaks first": Conversation(
        turns=[SENT], before=(TurnView((FromAssistant("Your parcel has come."),)),)
    ),
    "signs of all kinds": Conversation(
        turns=[
            Turn(said="Grüße 👋 \ud83d \x00", rounds=[(calls(ONE), [found("½ 👋 \ud83d")])], answer=ANSWER)
        ]
    ),
    "ids of other providers": Conversation(
        turns=[SENT], before=(_called(*_ODD_IDS), _called("a", "a"), _called("a"), _called("a"))
    ),
    "a hundred turns": Conversation(turns=[SENT], before=tuple(_past(110))),
    "instructions at the end": Conversation(turns=[SENT, SENT], late="Today is Friday."),
    "calls, and no tool on offer any more": Conversation(
        turns=[Turn(said="And?", answer=ANSWER)], before=(_called("a", "b"),), tools=()
    ),
    "results, and instructions at the end": Conversation(
        turns=[Turn(rounds=[(calls(ONE), [found("here", DOOR)])]), Turn(said="And?", answer=ANSWER)],
        late="Today is Friday.",
    ),
}
