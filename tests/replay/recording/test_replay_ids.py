"""A recording contains no real conversation id, and its references to results still work in a replay."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Attached
from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.formats.tools import LOAD_IN_FULL
from assistant.ports import Model, ModelRequest
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette
from assistant.replay.played import Played
from assistant.replay.player.environment import environment_with
from assistant.replay.player.play import play
from assistant.replay.recording.masking import mask
from assistant.replay.recording.recorder import cassette_from_log, with_replay_ids
from assistant.replay.replies import ArgumentsPiece, NamePiece, TextPiece
from assistant.testing.chat import ANA, KEY
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import calls, says
from tests.replay.recording.test_logs import asked, begins, called, ends, log, said
from tests.turn.conftest import Company

REAL = "0190f3c2-7b1e"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
FILE = Attached(ref="document:7", name="May.pdf")
NOTE = '[file from the customer: "May.pdf", document:7]'
OWN = f"result:{KEY.conversation}/t1/c1.1"
IN_A_REPLAY = "result:id-1/t1/c1.1"


@dataclass
class Overheard:
    """Wraps a cassette's model and keeps the requests."""

    model: Model
    views: list[View] = field(default_factory=list[View])

    @property
    def name(self) -> str:
        return self.model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        self.views.append(request.view)
        async for chunk in self.model.stream(request):
            yield chunk

    async def close(self) -> None:
        await self.model.close()


async def played(cassette: Cassette, company: Company) -> tuple[Played, list[View]]:
    """What comes of it, and what its models are asked."""
    heard: list[Overheard] = []

    def through(model: Model) -> Model:
        heard.append(Overheard(model))
        return heard[-1]

    found = await play(cassette, environment_with(shipped_book(), company.tools), through=through)
    return found, [view for one in heard for view in one.views]


class LoadingCompany(Company):
    """Has the built-in tool as well."""

    def __init__(self) -> None:
        super().__init__()
        self.loads = FakeTool(
            fake_spec(LOAD_IN_FULL, "reading it in full", "read it in full", required=("ref",)),
            Gives({"source": "list_upcoming_appointments", "ref": OWN, "value": "all of it"}),
            self.clock,
        )

    @property
    def tools(self) -> list[FakeTool]:
        return [*super().tools, self.loads]


async def test_a_result_that_was_loaded_is_loaded_in_the_replay_as_well() -> None:
    company = LoadingCompany()
    visits: Json = [{"number": number, "note": "a word " * 40} for number in range(60)]
    ana = company.chat(
        calls("list_upcoming_appointments"),
        says("You have sixty."),
        calls((LOAD_IN_FULL, {"ref": OWN})),
        says("It is this one."),
        appointments=Gives(visits),
    )
    await ana.session.welcome(ANA)
    await ana.says("When am I due?")
    await ana.says("And the thirtieth?")

    cassette = cassette_from_log(await company.log.read(KEY), KEY)
    found, views = await played(cassette, company)

    assert OWN in repr(company.model.requests)
    assert OWN not in cassette.model_dump_json()
    assert found.unscripted == ()
    asked_of_models = repr([one.view.messages for one in company.model.requests])
    assert repr([view.messages for view in views]) == asked_of_models.replace(OWN, IN_A_REPLAY)


@pytest.mark.parametrize("masked", [False, True])
async def test_a_file_is_recorded_as_models_saw_it(company: Company, *, masked: bool) -> None:
    ana = company.chat(says("It is."), says("You're welcome."))
    await ana.session.say(client_message_id="a", text="", locale="en", attachments=(FILE,))
    await ana.session.answered()
    await ana.session.say(client_message_id="b", text="Is this right?", locale="en", attachments=(FILE,))
    await ana.session.answered()

    cassette = cassette_from_log(await company.log.read(KEY), KEY)
    cassette = mask(cassette).cassette if masked else cassette
    found, views = await played(cassette, company)

    assert cassette.about == "May.pdf (and 1 more message, recorded on 2026-03-02)"
    assert [turn.customer for turn in cassette.turns] == [NOTE, f"Is this right?\n{NOTE}"]
    assert found.unscripted == ()
    assert [view.messages for view in views] == [one.view.messages for one in company.model.requests]


def test_an_id_in_pieces_is_replaced_in_the_pieces_where_it_begins() -> None:
    call = Call(id="c1.1", tool=LOAD_IN_FULL, arguments={"ref": f"result:{REAL}/t1/c1.1"})
    key = ConversationKey(tenant="demo", customer="demo", conversation=REAL)
    chunks: tuple[tuple[int, Chunk], ...] = (
        (1, TextDelta("As in 0190f3")),
        (2, TextDelta("c2-7b1e, ")),
        (3, CallNamed(0, LOAD_IN_FULL)),
        (4, CallNamed(1, LOAD_IN_FULL)),
        (5, CallArguments(0, '{"ref": "result:0190')),
        (6, CallArguments(1, '{"ref": "result:0190f3c2-7b1e/t2')),
        (7, CallArguments(0, "f3c2-7b1e")),
        (8, CallArguments(0, '/t1/c1.1"}')),
        (9, CallArguments(1, '/c1.1"}')),
        (9, StreamEnded("tool_calls")),
    )
    wrote = replace(called(call), chunks=chunks)

    (turn,) = cassette_from_log(
        log((0, said()), (1, begins()), (2, asked()), (3, wrote), (4, ends())), key
    ).turns

    assert turn.replies[0].pieces[:-1] == (
        TextPiece(at_ms=1, text="As in id-1"),
        TextPiece(at_ms=2, text=", "),
        NamePiece(at_ms=3, call=LOAD_IN_FULL),
        NamePiece(at_ms=4, call=LOAD_IN_FULL, index=1),
        ArgumentsPiece(at_ms=5, arguments='{"ref": "result:id-1'),
        ArgumentsPiece(at_ms=6, arguments='{"ref": "result:id-1/t2', index=1),
        ArgumentsPiece(at_ms=8, arguments='/t1/c1.1"}'),
        ArgumentsPiece(at_ms=9, arguments='/c1.1"}', index=1),
    )


def test_other_conversations_get_their_own_replaced_ids() -> None:
    found = [{"ref": f"result:{name}/t3/c2.1", "text": name} for name in ("0188-a", "0188-b", "0188-a", REAL)]
    run = {"search_documents": {"returns": found, "arguments": {"question": "Where?"}}}
    cassette = Cassette.model_validate(
        {"about": "x", "now": NOON, "turns": [{"customer": f"See {REAL}.", "results": [run]}]}
    )

    (turn,) = with_replay_ids(cassette, REAL).turns

    assert turn.customer == "See id-1."
    assert turn.results[0].returns == [
        {"ref": "result:earlier-1/t3/c2.1", "text": "0188-a"},
        {"ref": "result:earlier-2/t3/c2.1", "text": "0188-b"},
        {"ref": "result:earlier-1/t3/c2.1", "text": "0188-a"},
        {"ref": "result:id-1/t3/c2.1", "text": "id-1"},
    ]


@pytest.mark.parametrize("text", ["result: win/draw", "result:0:1/t/home", f"x{REAL}", f"{REAL}9", "id-1"])
def test_text_without_a_conversation_id_is_not_changed(text: str) -> None:
    cassette = Cassette.model_validate({"about": text, "now": NOON, "turns": [{"customer": text}]})

    assert with_replay_ids(cassette, REAL) == cassette
