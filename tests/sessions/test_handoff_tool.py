"""The tool with which the assistant requests an agent: its declaration and its arguments."""

from collections.abc import AsyncGenerator

import pytest

from assistant.errors import BadArguments, DeclarationError, ToolError
from assistant.prompts.book import shipped_book
from assistant.sessions.handoff_tool import NAME, HandoffTool, with_handoff_tool
from assistant.testing.chat import ANA
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import says
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext
from tests.support.handoff_scenario import HandoffScenario


@pytest.fixture
async def scenario() -> AsyncGenerator[HandoffScenario, None]:
    scenario = HandoffScenario()
    await scenario.opens()
    yield scenario
    await scenario.handoffs.close()


async def test_its_texts_come_from_the_prompts(scenario: HandoffScenario) -> None:
    spec = HandoffTool(shipped_book(), scenario.handoffs).spec

    assert (spec.role, spec.effect, spec.requires) == ("hands_over", "read", "anonymous")
    assert spec.description.startswith("Ask a human colleague to take this conversation over.")
    assert spec.hints["en"].will == "get a colleague for you"
    assert spec.hints["de"].will == "hole jemanden aus dem Team dazu"
    assert set(spec.hints) == set(shipped_book().locales)
    assert "human please" in spec.examples


async def test_it_accepts_a_reason_or_none(scenario: HandoffScenario) -> None:
    tool = HandoffTool(shipped_book(), scenario.handoffs)

    assert [tool.validate(given) for given in ({}, {"reason": None}, {"reason": " a bill "})] == [
        {"reason": ""},
        {"reason": ""},
        {"reason": "a bill"},
    ]
    with pytest.raises(BadArguments, match="reason: 7 is no text"):
        tool.validate({"reason": 7})
    with pytest.raises(BadArguments, match="why: not a parameter"):
        tool.validate({"why": "a bill"})
    assert await tool.read_back({}, customer=ANA, book=shipped_book()) is None


async def test_a_conversation_that_is_not_open_here_has_no_agent(scenario: HandoffScenario) -> None:
    class Silent:
        def info(self, event: str, /, **facts: object) -> None: ...

        def warning(self, event: str, /, **facts: object) -> None: ...

    context = ToolContext(key="c-9/t1/c1.1", call_id="c1.1", now=scenario.clock.now(), log=Silent())

    with pytest.raises(ToolError, match="can't reach my colleagues"):
        await HandoffTool(shipped_book(), scenario.handoffs).run(
            {"reason": ""}, customer=ANA, context=context
        )


async def test_another_tool_with_its_name_stops_the_start(scenario: HandoffScenario) -> None:
    tools = with_handoff_tool(Tools(), shipped_book(), scenario.handoffs)

    again = with_handoff_tool(tools, shipped_book(), scenario.handoffs)

    assert [spec.name for spec in again.specs] == [NAME]
    taken = FakeTool(fake_spec(NAME, "asking around", "ask around"), Gives("x"), scenario.clock)
    with pytest.raises(DeclarationError, match=NAME):
        with_handoff_tool(Tools([taken]), shipped_book(), scenario.handoffs)


async def test_with_an_agent_present_no_request_is_made() -> None:
    scenario = HandoffScenario()
    ana = await scenario.opens(says("Hello."))
    await ana.says("Hi")
    await scenario.handoff.accept("Sam")

    current = await scenario.handoff.ask("h-other", "again")

    assert (current.state, current.name) == ("accepted", "Sam")
    assert scenario.backend.asked == []
    await scenario.handoffs.close()
