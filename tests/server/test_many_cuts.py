"""The connection is cut two thousand times, anywhere; every customer sees the same in the end."""

import asyncio
import random
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from assistant.clock import SystemClock
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer, FromTools
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from tests.server.client import Client, Frame
from tests.server.running_server import RunningServer, new_server, opened, with_limits

QUESTIONS = ("Check my appointments and billing", "Cancel the one on Tuesday", "Thank you")
CUTS = 2_000
AT_ONCE = 4
PLENTY = 10**9


class Deciding:
    """A model that looks up for a check, writes for a cancellation, and lets others run between its words."""

    name = "deciding"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        for chunk in self._reply(request):
            await asyncio.sleep(0)
            yield chunk

    async def close(self) -> None:
        pass

    def _reply(self, request: ModelRequest) -> list[Chunk]:
        last = request.view.messages[-1]
        if isinstance(last, FromTools):
            done = "done" if last.outcomes[0].call.tool == "cancel_appointment" else "on Tuesday, and $150"
            words = f"That is {done}. I hope it helps."
            return [*(TextDelta(piece) for piece in re.findall(r"\s*\S+", words)), StreamEnded("stop")]
        assert isinstance(last, FromCustomer)
        if last.text == QUESTIONS[0]:
            return [
                CallNamed(0, "list_upcoming_appointments"),
                CallArguments(0, "{}"),
                CallNamed(1, "get_open_invoices"),
                CallArguments(1, "{}"),
                StreamEnded("tool_calls"),
            ]
        if last.text == QUESTIONS[1]:
            return [
                CallNamed(0, "cancel_appointment"),
                CallArguments(0, '{"day": "Tuesday"}'),
                StreamEnded("tool_calls"),
            ]
        return [*map(TextDelta, ("You ", "are ", "welcome.")), StreamEnded("stop")]


def server_with_real_conversations() -> tuple[RunningServer, FakeTool]:
    clock = SystemClock()
    look = fake_spec("list_upcoming_appointments", "looking up appointments", "look up your appointments")
    bill = fake_spec("get_open_invoices", "checking billing", "check your billing")
    drop = fake_spec(
        "cancel_appointment", "cancelling it", "cancel it", effect="write", confirm=True, required=("day",)
    )
    cancel = FakeTool(drop, Gives({"cancelled": True}), clock, clause="cancel your eye test on Tuesday")
    tools = [FakeTool(look, Gives(["Tuesday"]), clock), FakeTool(bill, Gives([150]), clock), cancel]
    deps = deps_for(Deciding(), tools, shipped_book(), clock)
    server = with_limits(new_server(), messages_per_minute=PLENTY, frames_per_minute=PLENTY)
    sessions = SessionRegistry(FixedConfig(deps), MemoryLog(), "e1")
    server.context = replace(server.context, sessions=sessions, clock=clock)
    return server, cancel


class Widget:
    """Shows a conversation over a line that is cut; says again what was not accepted."""

    def __init__(self, server: RunningServer, chance: random.Random | None) -> None:
        self._client, self._chance = Client(server), chance
        self._unsent: list[Frame] = []
        self.cuts = 0
        self.shown: list[str] = []
        self._open: Frame | None = None
        self._question: str | None = None
        self._last = 0

    async def lives_through(self) -> list[str]:
        await self._enters()
        for number, text in enumerate(QUESTIONS):
            await self._says(type="message", id=f"m{number}", text=text)
            while self._question is not None:
                await self._says(
                    type="confirm", id=f"yes{number}", confirmation_id=self._question, answer="yes"
                )
        await self._client.leave()
        return self.shown

    async def _says(self, **frame: Any) -> None:
        """Say it and hear everything up to the end of the turn."""
        self._unsent.append(frame)
        await self._client.say(**frame)
        over = False
        while not over:
            if self._is_cut():
                over = await self._comes_back()
            else:
                over = self._draw(await self._client.hear())

    def _is_cut(self) -> bool:
        return self._chance is not None and self._chance.random() < 0.5

    async def _comes_back(self) -> bool:
        """Cut the line without a word, and come back, now and then as a page that was loaded anew."""
        assert self._chance is not None
        self.cuts += 1
        self._client.ws.transport.abort()
        afresh = self._chance.random() < 0.1
        return await self._enters(**({"last_seq": 0} if afresh else {}))

    async def _enters(self, **hello: Any) -> bool:
        welcome = await self._client.enter(**hello)
        over = False
        if welcome["resumed"] != "replay":
            self.shown, self._open, self._question, self._last = [], None, None, 0
        if welcome["resumed"] == "snapshot":
            snapshot = await self._client.hear()
            assert snapshot["type"] == "snapshot"
            over = self._redraw(snapshot)
        for frame in self._unsent:
            await self._client.say(**frame)
        return over and not self._unsent

    def _redraw(self, snapshot: Frame) -> bool:
        self._last = snapshot["seq"]
        for message in snapshot["messages"]:
            kind = message.get("kind", "customer")
            self.shown.append(f"{kind}: {message['text']}")
            self._unsent = [frame for frame in self._unsent if frame["id"] != message["message_id"]]
        self._open = dict(snapshot["open_message"]) if snapshot["open_message"] else None
        question = snapshot["confirmation"]
        self._question = question["confirmation_id"] if question else None
        return snapshot["turn_id"] is None and self.shown[-1:] != [] and "customer" not in self.shown[-1]

    def _draw(self, frame: Frame) -> bool:
        """Whether this was the end of a turn."""
        if "seq" in frame and frame["type"] != "accepted":
            assert frame["seq"] > self._last, f"{frame} came twice"
            self._last = frame["seq"]
        match frame["type"]:
            case "accepted":
                self._accepted(frame)
            case "turn.started":
                self._question = None
            case "message.started":
                self._open = {"message_id": frame["message_id"], "text": ""}
            case "message.delta":
                assert self._open is not None
                assert self._open["message_id"] == frame["message_id"]
                self._open["text"] += frame["text"]
            case "message.completed":
                assert self._open is not None
                assert self._open["text"] == frame["text"]
                self.shown.append(f"{frame['kind']}: {frame['text']}")
            case "confirmation.requested":
                self._question = frame["confirmation_id"]
            case "turn.completed":
                return True
            case _:
                assert frame["type"] in {"tool.started", "tool.finished"}, frame
        return False

    def _accepted(self, frame: Frame) -> None:
        self._unsent = [said for said in self._unsent if said["id"] != frame["id"]]
        if frame["seq"] > self._last:  # Said again it is accepted again, under its first number.
            self._last = frame["seq"]
            self.shown.append(f"customer: {frame['text']}")


async def test_an_uncut_connection_shows_this() -> None:
    server, cancel = server_with_real_conversations()
    async with opened(server):
        shown = await Widget(server, None).lives_through()

    assert shown == [
        "customer: Check my appointments and billing",
        "acknowledgement: Sure, I'll look up your appointments and check your billing.",
        "response: That is on Tuesday, and $150. I hope it helps.",
        "customer: Cancel the one on Tuesday",
        "response: Shall I cancel your eye test on Tuesday?",
        "customer: yes",
        "acknowledgement: All right, I'll cancel it.",
        "response: That is done. I hope it helps.",
        "customer: Thank you",
        "response: You are welcome.",
    ]
    assert len(cancel.ran) == 1


# A quarter of them every day, each cut in a place of its own; the others are run by the slow tests.
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, AT_ONCE))]
)
async def test_two_thousand_cuts_change_nothing(part: int) -> None:
    server, cancel = server_with_real_conversations()
    async with opened(server):
        expected = await Widget(server, None).lives_through()
        chance, cuts, conversations = random.Random(part), 0, 1
        while cuts < CUTS // AT_ONCE:
            widget = Widget(server, chance)
            assert await widget.lives_through() == expected
            cuts += widget.cuts
            conversations += 1

    assert len(cancel.ran) == conversations, (
        "one cancellation for each conversation, however often it was cut"
    )
