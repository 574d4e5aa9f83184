"""Plays a cassette: the customer's messages, each when it is due, against the server in memory."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

from assistant.assembly.config_builder import Models
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.ports import Clock, Model
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.played import Mismatches, Played, ReceivedFrame
from assistant.replay.player.cassette_model import CassetteModel
from assistant.replay.player.cassette_tool import (
    CassetteRuns,
    CassetteTool,
    declared_tool,
)
from assistant.replay.player.client import LONGEST_S, Client
from assistant.replay.player.environment import ReplayEnvironment, check_playable
from assistant.replay.player.fault_injector import FaultInjector, handoffs_for
from assistant.replay.player.server import ReplayServer
from assistant.sessions.handoff import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.tools.registry import Tools
from assistant.turn.context import Limits, RoleModel, TurnDependencies


def replay(cassette: Cassette, environment: ReplayEnvironment) -> Played:
    """Play the conversation on a virtual loop of its own. The same cassette and environment give the same bytes.

    Where another loop runs already, that one waits in the meantime.

    Raises ``DeclarationError`` when the cassette needs a tool that is not declared, or a time zone.
    """
    if not _in_a_loop():
        return run_virtually(play(cassette, environment))
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(lambda: run_virtually(play(cassette, environment))).result()


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def play(
    cassette: Cassette,
    environment: ReplayEnvironment,
    *,
    models: Models | None = None,
    through: Callable[[Model], Model] | None = None,
) -> Played:
    """Play the conversation on the running loop, in that loop's time.

    With ``models`` of its own, the cassette's replies and events are left out: each message comes when the
    one before is answered, and the cassette's runs answer whichever calls come, as often as they come.
    ``through`` puts something between the cassette's replies and who asks for them.

    Raises ``DeclarationError`` when the cassette needs a tool that is not declared, or a time zone.
    """
    check_playable(cassette, environment)
    mismatches = Mismatches()
    # However long the loop has been running, the conversation begins when the cassette says.
    loop_s = asyncio.get_running_loop().time()
    clock = VirtualClock(cassette.now - timedelta(seconds=loop_s))
    runs = CassetteRuns(cassette, mismatches, reusable=models is not None)
    scripted = CassetteModel(cassette, clock, mismatches)
    handoffs = handoffs_for(cassette.agents) if cassette.agents is not None else None
    parts = turn_dependencies(
        cassette,
        environment,
        models or _both(through(scripted) if through is not None else scripted),
        runs,
        clock,
        mismatches,
        handoffs,
    )
    server = ReplayServer(environment, parts, _customer(cassette), handoffs)
    mismatches.turn_now = lambda: server.turn_now
    runs.restarting = lambda: server.ending
    began_ms = clock.now_ms()
    frames = await _run_conversation(cassette, server, clock, mismatches, in_turn=models is not None)
    if models is None:
        scripted.note_unused()
    runs.note_unused()
    return Played(
        began_ms=began_ms,
        frames=frames,
        entries=server.entries,
        unscripted=tuple(mismatches.lines),
        bundle=environment.bundle,
    )


async def _run_conversation(
    cassette: Cassette, server: ReplayServer, clock: Clock, mismatches: Mismatches, *, in_turn: bool
) -> tuple[ReceivedFrame, ...]:
    """The conversation, from the first frame to the last that the customer hears."""
    client = Client(cassette.customer.locale, clock, server.serve, mismatches.add)
    server.on_change = client.recheck
    faults = FaultInjector(client, server, clock, mismatches)
    runner = ScenarioRunner(cassette, client, server, faults, clock, mismatches, in_turn=in_turn)
    try:
        await runner.run()
    except TimeoutError:
        mismatches.add(f"there was no end after {LONGEST_S:g} s; it was given up")
    finally:
        frames = tuple(client.frames)
        await faults.cancel_all()
        client.disconnect()
        await client.wait_until_disconnected()
        await server.stop()
    return frames


def turn_dependencies(
    cassette: Cassette,
    environment: ReplayEnvironment,
    models: Models,
    runs: CassetteRuns,
    clock: Clock,
    mismatches: Mismatches,
    handoffs: HandoffRegistry | None = None,
) -> TurnDependencies:
    """What the turns of a cassette run on: the environment's prompts, and tools that bring what the cassette says.

    ``handoffs``: the way to the cassette's people; the tool that asks for one is the real one.
    """
    real = {tool.spec.name: tool for tool in environment.tools}
    real |= {declared.name: declared_tool(declared, clock) for declared in cassette.tools}
    tools = Tools(CassetteTool(tool, runs, clock, mismatches) for tool in real.values())
    return TurnDependencies(
        models=models,
        tools=tools if handoffs is None else with_handoff_tool(tools, environment.book, handoffs),
        book=environment.book,
        narrate=environment.narrate,
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


@dataclass(slots=True, eq=False)
class ScenarioRunner:
    """One customer's part of the conversation.

    ``in_turn``: every message waits until the one before is answered, whatever the cassette says of its time.
    """

    cassette: Cassette
    client: Client
    server: ReplayServer
    faults: FaultInjector
    clock: Clock
    mismatches: Mismatches
    in_turn: bool = False
    _spoke_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._spoke_at = self.clock.monotonic()

    async def run(self) -> None:
        """Say everything, and wait until it is answered and nothing more happens."""
        self.client.connect()
        for number, turn in enumerate(self.cassette.turns, 1):
            await self._until_due(number, turn)
            await self._speak(number, turn)
        await self._answered(len(self.cassette.turns))
        await self.faults.finish()
        await self.client.wait_until(lambda: not self.server.awaits_agent())
        await self.server.wait_until_idle()
        await self.client.receive_rest()

    async def _until_due(self, number: int, turn: Turn) -> None:
        at_ms = turn.at_ms if turn.barge_in_ms is None else turn.barge_in_ms
        if at_ms is None or self.in_turn:
            await self._answered(number - 1)
            await self.clock.sleep(turn.after_ms / 1000)
        else:
            await self.clock.sleep(max(0.0, self._spoke_at + at_ms / 1000 - self.clock.monotonic()))

    async def _speak(self, number: int, turn: Turn) -> None:
        name = f"m{number}"
        self._spoke_at = self.clock.monotonic()
        words = turn.heard_up_to if not self.in_turn else None
        if words is not None and not await self.server.mark_heard(words):
            self.mismatches.add(f"{words!r} had not been said, so nobody could hear it", number)
        if turn.spoken:
            await self._say_aloud(name, turn)
        else:
            self._write(number, name, turn)
        if not self.in_turn:
            self.faults.schedule(number, name, turn)

    async def _say_aloud(self, name: str, turn: Turn) -> None:
        await self.client.wait_until(lambda: self.server.session is not None and not self.server.ending)
        stops = turn.barge_in_ms is not None and not self.in_turn
        if not await self.server.say_aloud(name, turn, stops=stops):
            self.client.rejected.add(name)

    def _write(self, number: int, name: str, turn: Turn) -> None:
        if turn.barge_in_ms is not None and not self.in_turn and not self.client.send("cancel"):
            self.mismatches.add("stop was pressed while there was no line", number)
        if turn.button is None:
            self.client.send_message(name, turn.customer, turn.locale)
        elif not self.client.answer_question(name, turn.button, turn.customer):
            self.mismatches.add(f"there was no question yet whose button {turn.customer!r} could be", number)
            self.client.send_message(name, turn.customer, turn.locale)

    async def _answered(self, number: int) -> None:
        """Until the customer has heard the end of this turn, or that there will be none."""
        name = f"m{number}"
        if number:
            await self.client.wait_until(
                lambda: name in self.client.rejected or self.server.is_answered(name, self.client.cursor)
            )
