"""Replays a cassette: sends each message of the customer at its time to a server in memory."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

from assistant.assembly.config_builder import Models
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.policies.choose import PolicyFinder
from assistant.policies.policy import Policies, Policy
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
from assistant.replay.player.live_models import DeniedTools, LiveModels
from assistant.replay.player.server import ReplayServer
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.stop_tool import with_stop_tool
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.tools.registry import Tools
from assistant.turn.context import Limits, RoleModel, TurnDependencies


def replay(
    cassette: Cassette,
    environment: ReplayEnvironment,
    *,
    name: str = "id-",
    live: LiveModels | None = None,
) -> Played:
    """Replay the conversation on a separate virtual loop. Its id is ``name`` and a number.

    ``live`` models answer from one of its turns on. Without them, the same cassette, environment and name give the
    same bytes. A loop that is already running is blocked until the end. Raises ``DeclarationError`` if the cassette
    needs a tool that is not declared, or has a time without a time zone.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_virtually(play(cassette, environment, name=name, live=live))
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(
            lambda: run_virtually(play(cassette, environment, name=name, live=live))
        ).result()


async def play(
    cassette: Cassette,
    environment: ReplayEnvironment,
    *,
    models: Models | None = None,
    through: Callable[[Model], Model] | None = None,
    name: str = "id-",
    live: LiveModels | None = None,
) -> Played:
    """Replay the conversation on the running loop, in the time of that loop.

    With ``models``, the cassette's replies and events are not used: each message is sent when the one before
    is answered, and the cassette's runs answer all calls, as often as they occur. ``through`` wraps the model
    that plays the cassette's replies. The conversation's id is ``name`` and a number. ``live`` models answer from
    one turn on what the cassette has no reply for; the runs of these turns answer any number of calls.

    Raises ``DeclarationError`` if the cassette needs a tool that is not declared, or has a time without a
    time zone.
    """
    check_playable(cassette, environment)
    mismatches = Mismatches()
    # Shift the clock, so that the conversation begins at the cassette's time.
    loop_s = asyncio.get_running_loop().time()
    clock = VirtualClock(cassette.now - timedelta(seconds=loop_s))
    first_live = live.from_turn if live is not None else None
    runs = CassetteRuns(cassette, mismatches, reusable_from=0 if models is not None else first_live)
    scripted = CassetteModel(cassette, clock, mismatches, live)
    handoffs = handoffs_for(cassette.agents, name) if cassette.agents is not None else None
    played = through(scripted) if through is not None else scripted
    asked = models or (live.in_place_of(played) if live is not None else _both(RoleModel(model=played)))
    deps = turn_dependencies(cassette, environment, asked, runs, clock, mismatches, handoffs)
    if live is not None and live.denied:
        deps = replace(deps, pauses=DeniedTools(live, mismatches, clock))
    server = ReplayServer(environment, deps, _customer(cassette), handoffs, name)
    mismatches.turn_now = lambda: server.turn_now
    runs.restarting = lambda: server.ending
    began_ms = clock.now_ms()
    runner = ScenarioRunner(cassette, server, clock, mismatches, in_turn=models is not None)
    frames = await runner.run()
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


def _both(role: RoleModel) -> Models:
    return {"decider": role, "narrator": role}


def turn_dependencies(
    cassette: Cassette,
    environment: ReplayEnvironment,
    models: Models,
    runs: CassetteRuns,
    clock: Clock,
    mismatches: Mismatches,
    handoffs: HandoffRegistry | None = None,
) -> TurnDependencies:
    """Returns the dependencies of a cassette's turns: the environment's prompts, and tools with the
    cassette's results.

    ``handoffs`` are the cassette's agents. The tool that asks for a person is the real one.
    """
    real = {tool.spec.name: tool for tool in environment.tools}
    real |= {declared.name: declared_tool(declared, clock) for declared in cassette.tools}
    played = (tool for tool in real.values() if tool.spec.role != "stops")
    # The tool that stops a long call is the real one, because it acts on the conversation.
    tools = with_stop_tool(
        Tools(CassetteTool(tool, runs, clock, mismatches) for tool in played), environment.book
    )
    chooses = any(turn.policies for turn in cassette.turns)
    finder = CassettePolicies(cassette, mismatches, environment.policies, clock) if chooses else None
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
        policies=environment.policies,
        finder=finder,
    )


class CassettePolicies(PolicyFinder):
    """Chooses the policies that the cassette names, without an embedding model."""

    def __init__(self, cassette: Cassette, mismatches: Mismatches, policies: Policies, clock: Clock) -> None:
        super().__init__(policies, None, clock)
        self._cassette, self._mismatches = cassette, mismatches

    async def choose(self, message: str, among: Sequence[Policy]) -> tuple[str, ...]:  # noqa: ARG002
        """Returns the policies of the turn that is being answered."""
        number = self._mismatches.turn_now()
        named = self._cassette.turns[number - 1].policies if number else ()
        known = {policy.name for policy in among}
        for name in named:
            if name not in known:
                self._mismatches.add(f"there is no policy {name!r} that holds for this customer now")
        return tuple(name for name in named if name in known)


def _customer(cassette: Cassette) -> Customer:
    who = cassette.customer
    given = who.credential and who.level == "signed_in"
    # A placeholder, because no credential is recorded. Tools do not use it: their results are the cassette's.
    credential = CustomerCredential(token="", expires_ms=2**53, claims=who.claims) if given else None
    return Customer(
        tenant=who.tenant,
        id=who.id,
        level=who.level,
        name=who.name,
        locale=who.locale,
        credential=credential,
    )


class ScenarioRunner:
    """Plays the customer, from the first frame to the last.

    ``in_turn``: each message waits until the one before is answered, whatever time the cassette gives for it.
    """

    def __init__(
        self, cassette: Cassette, server: ReplayServer, clock: Clock, mismatches: Mismatches, *, in_turn: bool
    ) -> None:
        self.cassette, self.server, self.clock, self.mismatches = cassette, server, clock, mismatches
        self.in_turn = in_turn
        self.client = Client(cassette.customer.locale, clock, server.serve, mismatches.add)
        server.on_change = self.client.recheck
        self.faults = FaultInjector(self.client, server, clock, mismatches)
        self._spoke_at = clock.monotonic()

    async def run(self) -> tuple[ReceivedFrame, ...]:
        """Send each message, and wait until it is answered and all work has ended.

        Returns the received frames.
        """
        try:
            await self._hold()
        except TimeoutError:
            self.mismatches.add(f"there was no end after {LONGEST_S:g} s; it was given up")
        finally:
            frames = tuple(self.client.frames)
            await self.faults.cancel_all()
            self.client.disconnect()
            await self.client.wait_until_disconnected()
            await self.server.stop()
        return frames

    async def _hold(self) -> None:
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
            self.mismatches.add(f"{words!r} had not been said, so it could not be heard", number)
        stops = turn.barge_in_ms is not None and not self.in_turn
        if not turn.spoken:
            self._write(number, name, turn, stops=stops)
        else:
            await self.client.wait_until(lambda: self.server.session is not None and not self.server.ending)
            if not await self.server.say_aloud(name, turn, stops=stops):
                self.client.rejected.add(name)
        if not self.in_turn:
            self.faults.schedule(number, name, turn)

    def _write(self, number: int, name: str, turn: Turn, *, stops: bool) -> None:
        if stops and not self.client.send("cancel"):
            self.mismatches.add("stop was pressed while there was no line", number)
        if turn.button is None:
            self.client.send_message(name, turn.customer, turn.locale)
        elif not self.client.answer_question(name, turn.button, turn.customer):
            self.mismatches.add(f"there was no question yet whose button {turn.customer!r} could be", number)
            self.client.send_message(name, turn.customer, turn.locale)

    async def _answered(self, number: int) -> None:
        """Wait until the client has received the end of this turn, or the news that there is no turn."""
        name = f"m{number}"
        if number:
            await self.client.wait_until(
                lambda: name in self.client.rejected or self.server.is_answered(name, self.client.cursor)
            )
