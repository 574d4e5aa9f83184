"""Plays a cassette: the conversation is held again, through the real door."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from assistant.assembly.config_builder import Models
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.ports import Clock, Model
from assistant.replay.cassette import Cassette
from assistant.replay.played import Heard, Played
from assistant.replay.player.cassette_model import CassetteModel
from assistant.replay.player.cassette_tool import CassetteTool
from assistant.replay.player.check import check_playable
from assistant.replay.player.client import LONGEST_S, Client
from assistant.replay.player.course import Course
from assistant.replay.player.declared_tool import declared_tool
from assistant.replay.player.happenings import Happenings
from assistant.replay.player.house import House
from assistant.replay.player.notes import Notes
from assistant.replay.player.runs import AnyRuns, Runs, RunsInOrder
from assistant.replay.player.staff import handoffs_for
from assistant.replay.player.stage import Stage
from assistant.sessions.handoff import Handoffs
from assistant.sessions.handoff_tool import with_person
from assistant.testing.virtual_time import VirtualClock
from assistant.tooling.registry import Tools
from assistant.turn.parts import Limits, Parts, RoleModel


async def play(
    cassette: Cassette,
    stage: Stage,
    *,
    models: Models | None = None,
    through: Callable[[Model], Model] | None = None,
) -> Played:
    """Hold the conversation on the running loop, in that loop's time.

    With ``models`` of its own, the cassette's replies and events are left out: each message comes when the
    one before is answered, and the cassette's runs answer whichever calls come, as often as they come.
    ``through`` puts something between the cassette's replies and who asks for them.

    Raises ``DeclarationError`` when the cassette needs a tool that nobody declares, or a time zone.
    """
    check_playable(cassette, stage)
    notes = Notes()
    # However long the loop has been running, the conversation begins when the cassette says.
    loop_s = asyncio.get_running_loop().time()
    clock = VirtualClock(cassette.now - timedelta(seconds=loop_s))
    runs: Runs = RunsInOrder(cassette, notes) if models is None else AnyRuns(cassette, notes)
    scripted = CassetteModel(cassette, clock, notes)
    handoffs = handoffs_for(cassette.people) if cassette.people is not None else None
    parts = parts_of(
        cassette,
        stage,
        models or _both(through(scripted) if through is not None else scripted),
        runs,
        clock,
        notes,
        handoffs,
    )
    house = House(stage, parts, _customer(cassette), handoffs)
    notes.turn_now = lambda: house.turn_now
    runs.restarting = lambda: house.ending
    began_ms = clock.now_ms()
    frames = await _held(cassette, house, clock, notes, in_turn=models is not None)
    if models is None:
        scripted.note_unused()
    runs.note_unused()
    return Played(
        began_ms=began_ms,
        frames=frames,
        entries=house.entries,
        unscripted=tuple(notes.lines),
        bundle=stage.bundle,
    )


async def _held(
    cassette: Cassette, house: House, clock: Clock, notes: Notes, *, in_turn: bool
) -> tuple[Heard, ...]:
    """The conversation, from the first frame to the last that the customer hears."""
    client = Client(cassette.customer.locale, clock, house.serve, notes.add)
    house.on_news = client.look_again
    happenings = Happenings(client, house, clock, notes)
    course = Course(cassette, client, house, happenings, clock, notes, in_turn=in_turn)
    try:
        await course.run()
    except TimeoutError:
        notes.add(f"there was no end after {LONGEST_S:g} s; it was given up")
    finally:
        frames = tuple(client.heard)
        await happenings.give_up()
        client.cut()
        await client.gone()
        await house.end()
    return frames


def parts_of(
    cassette: Cassette,
    stage: Stage,
    models: Models,
    runs: Runs,
    clock: Clock,
    notes: Notes,
    handoffs: Handoffs | None = None,
) -> Parts:
    """What the turns of a cassette run on: the stage's prompts, and tools that bring what the cassette says.

    ``handoffs``: the way to the cassette's people; the tool that asks for one is the real one.
    """
    real = {tool.spec.name: tool for tool in stage.tools}
    real |= {declared.name: declared_tool(declared, clock) for declared in cassette.declares}
    tools = Tools(CassetteTool(tool, runs, clock, notes) for tool in real.values())
    return Parts(
        models=models,
        tools=tools if handoffs is None else with_person(tools, stage.book, handoffs),
        book=stage.book,
        narrate=stage.narrate,
        clock=clock,
        limits=Limits(**cassette.limits.model_dump()),
        confirm_every_write=cassette.confirm_every_write,
        new_message=cassette.new_message,
        can_hand_over=handoffs is not None,
    )


def _both(model: Model) -> Models:
    return {"decider": RoleModel(model=model), "narrator": RoleModel(model=model)}


def _customer(cassette: Cassette) -> Customer:
    who = cassette.customer
    given = who.credential and who.level == "signed_in"
    # A stand-in: no credential is recorded, and what tools bring is the cassette's matter.
    credential = CustomerCredential(token="", expires_ms=2**53) if given else None
    return Customer(
        tenant=who.tenant,
        id=who.id,
        level=who.level,
        name=who.name,
        locale=who.locale,
        credential=credential,
    )
