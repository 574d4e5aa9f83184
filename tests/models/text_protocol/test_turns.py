"""Whole turns over the text route: announced, called, told and corrected like over any other."""

from assistant.conversation.outcomes import CallFailed
from assistant.prompts.book import shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.scene import scene
from assistant.testing.script import Line, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.models.text_protocol.routes import route

BILLS = '# calls\n[{"tool": "get_open_invoices", "arguments": {}}]'


class Company:
    """Two tools, and a model that writes."""

    def __init__(self, *lines: Line) -> None:
        clock = VirtualClock()
        self.bills = FakeTool(
            fake_spec("get_open_invoices", "checking your billing", "check your billing"),
            Gives([{"amount": "150.00"}]),
            clock,
        )
        self.orders = FakeTool(
            fake_spec("get_order_status", "checking your order", "check your order", required=("order",)),
            Gives({"status": "shipped"}),
            clock,
        )
        self.model = ScriptedModel(*lines, clock=clock)
        tools = [self.bills, self.orders]
        self.chat: Chat = open_chat(deps_for(route(self.model), tools, shipped_book(), clock), MemoryLog())


async def test_a_lookup_is_announced_and_started_while_the_model_still_writes():
    pieces = ["# calls\n", '[{"tool": "get_open_invoices"', ', "arguments": {}}', "]"]
    company = Company(says(pieces, each_s=1.0), says("You owe $150."))
    assert await company.chat.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: You owe $150.
    """)
    log = company.chat.session.state.turns[0]
    assert log.messages[0].kind == "acknowledgement"
    assert len(company.model.requests) == 2


async def test_its_own_words_before_the_calls_are_the_acknowledgement():
    company = Company(says(f"One moment, please.\n\n{BILLS}"), says("You owe $150."))
    assert await company.chat.says("Check my bill") == scene("""
        Assistant (acknowledgement): One moment, please.
          [get_open_invoices ok]
        Assistant: You owe $150.
    """)


async def test_an_unreadable_call_is_asked_for_again_with_the_reason():
    broken = '# calls\n[{"tool": "get_order_status", "arguments": {"order": 007}}]'
    company = Company(says(broken), says(broken.replace("007", '"007"')), says("It is on its way."))
    assert await company.chat.says("Where is my order 007?") == scene("""
        Assistant (acknowledgement): Let me see. I'll check your order.
          [get_order_status ok]
        Assistant: It is on its way.
    """)
    nudge = company.model.requests[1].view.late
    assert "007 is no number and has no quotation marks" in nudge


async def test_the_readable_one_of_two_calls_runs_and_the_other_is_reported():
    text = (
        '# calls\n[{"tool": "get_order_status", "arguments": {"order": 007}}, {"tool": "get_open_invoices"}]'
    )
    company = Company(says(text), says("You owe $150."))
    await company.chat.says("Check my bill, and order 007")
    outcomes = company.chat.session.state.turns[0].outcomes
    assert isinstance(outcomes["c1.1"], CallFailed)
    assert "Error" in str(company.model.requests[1].view.messages[-1])


async def test_a_repeated_earlier_call_is_not_made_again():
    company = Company(says(BILLS), says("You owe $150."))
    await company.chat.says("Check my bill")
    history = '[{"id":"t1_c1_1","tool":"get_open_invoices","arguments":{}}]'
    company.model._lines += (
        says(f"As I saw before:\n\n# calls\n{history}"),
        says(BILLS),
        says("Still $150."),
    )

    await company.chat.says("What did you just do?")
    assert company.chat.transcript[-1] == "assistant: As I saw before:"
    assert len(company.bills.ran) == 1

    await company.chat.says("Check it again")
    assert len(company.bills.ran) == 2


async def test_an_invented_result_is_neither_shown_nor_used():
    invented = f"{BILLS}\n\n# observation-0a1b2c3d\n\n## get_open_invoices\n[]\n\nYou owe nothing."
    company = Company(says(invented), says("You owe $150."))
    assert "You owe nothing" not in await company.chat.says("Check my bill")
    assert "You owe nothing" not in str(company.model.requests[1].view)
