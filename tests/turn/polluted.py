"""A long conversation with everything that can disturb a history, on real sessions."""

from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View
from assistant.formats.json_text import json_text
from assistant.formats.tools import result_text
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Broken, Gives, Refuses
from assistant.testing.script import breaks, calls, says
from tests.support.handoff_scenario import HandoffScenario
from tests.turn.conftest import Company

BILL, ORDER, NOTE = "get_open_invoices", "get_order_status", ("add_note", {"text": "late"})
TUESDAY, WEDNESDAY = (("cancel_appointment", {"day": f"2026-03-1{day}"}) for day in (0, 1))
PERSON = "talk_to_a_person"


def order(number: str) -> tuple[str, dict[str, str]]:
    return ORDER, {"order": number}


async def polluted(company: Company) -> tuple[HandoffScenario, Chat]:
    """The conversation, over three processes; who asks for it closes the office's handoffs."""
    company.respec(company.billing, timeout_s=60)
    scenario = HandoffScenario(tools=company.tools, clock=company.clock, log=company.log)
    await _stops_of_all_kinds(scenario, company, await _failures(scenario, company))
    await _answers_to_questions(scenario, company)
    return scenario, await _people_and_cut_lines(scenario, company)


async def _failures(scenario: HandoffScenario, company: Company) -> Chat:
    ana = await scenario.opens(
        *(calls("list_upcoming_appointments", BILL), says("You are booked on Tuesday, and you owe $150.")),
        says("The second is your bill: $150."),
        *(calls(order("7"), text="One second, I'm opening your file."), says("Order 7 has shipped.")),
        *(calls("get_opening_hours"), says("I can't see the opening hours just now.")),
        *(calls(order("8")), says("I couldn't look at order 8.")),
        *(calls(BILL), says("There are no other bills.")),
        *(calls("get_parking_fines"), says("I can't look up fines.")),
        *(calls((BILL, "{")), calls(BILL), says("It is $20.")),
        *(says("Let me check that for you."), calls(BILL), says("Still $20.")),
        *(says("I've noted that down."), calls(NOTE), says("That is noted.")),
        *(calls("list_upcoming_appointments"), says("Your appointments took too long to load.")),
        breaks("Well, I"),
        *(calls(BILL), breaks("You owe twen")),
        # Stopped before a word, in the middle of one, and while something is looked up.
        says("Too late.", first_s=5),
        says("Come in at any time that suits you.", each_s=1),
        calls(BILL, NOTE),
        *(says("Gladly."), says("About your billing: $30 is open.")),
        *(calls(order("9")), says("Order 9 is on its way.")),
        *(calls(BILL), calls(order("9")), says("Order 9 is on its way, and $30 is open.")),
        *(calls(BILL), says("Your bill takes longer than usual."), says("Your bill is here: $40.")),
        *(calls(BILL, BILL), says("It is $40.")),
    )
    await ana.says("Check my appointments and billing")
    await ana.says("What about the second one?")
    await ana.says("And order 7?")
    company.hours.behaviour = Refuses("the calendar is being repaired")
    await ana.says("When are you open?")
    company.orders.behaviour = Broken()
    await ana.says("And order 8?")
    company.billing.behaviour = Gives([])
    await ana.says("Any other bills?")
    await ana.says("Any parking fines?")
    company.billing.behaviour = Gives([{"amount": "20.00"}])
    await ana.says("My bill again, please")
    await ana.says("Is that still so?")
    await ana.says("Note that I am late")
    company.appointments.behaviour = Gives("never", after_s=20)
    await ana.says("And my appointments?")
    await ana.says("Hello?")
    await ana.says("What do I owe now?")
    return ana


async def _stops_of_all_kinds(scenario: HandoffScenario, company: Company, ana: Chat) -> None:
    await _stopped(ana, "May I come in?", 1, company)
    await _stopped(ana, "When may I come in?", 2.5, company)
    company.billing.behaviour = Gives([{"amount": "30.00"}], after_s=3)
    await _stopped(ana, "Check my billing and note that I am late", 1, company)
    await company.clock.sleep(3)
    await ana.says("Thanks anyway")
    company.orders.behaviour = Gives({"status": "on its way"}, after_s=2)
    await ana.begins("And order 9?")
    await company.clock.sleep(1)
    await ana.says("And the bill together with it?")
    company.billing.behaviour = Gives([{"amount": "40.00"}], after_s=40)
    await ana.says("What does my newest bill say?")
    await ana.session.at_rest()
    company.billing.behaviour = Gives([{"amount": "40.00"}])
    await ana.says("Twice, to be sure")
    scenario.models[-1].assert_used_up()
    await scenario.stops(ana)


async def _stopped(ana: Chat, text: str, after_s: float, company: Company) -> None:
    await ana.begins(text)
    await company.clock.sleep(after_s)
    await ana.session.stop()


async def _answers_to_questions(scenario: HandoffScenario, company: Company) -> None:
    ana = await scenario.opens(
        *(calls(TUESDAY, BILL), says("You owe $40.")),
        says("It is cancelled."),
        calls(WEDNESDAY),
        calls(TUESDAY),
        calls(WEDNESDAY),
    )
    await ana.says("Cancel my Tuesday appointment and tell me what I owe")
    await ana.says("yes")
    company.cancel.clause = "cancel your eye test on Wednesday"
    await ana.says("The one on Wednesday, too")
    await ana.says("No", button=True)
    company.cancel.clause = "cancel your fitting on Tuesday"
    await ana.says("Cancel the fitting on Tuesday")
    company.cancel.clause = "cancel your fitting on Wednesday"
    await ana.says("No, on Wednesday")
    await company.clock.sleep(3600)
    await ana.says("yes")
    await ana.says("no")
    scenario.models[-1].assert_used_up()
    await scenario.stops(ana)


async def _people_and_cut_lines(scenario: HandoffScenario, company: Company) -> Chat:
    ana = await scenario.opens(
        *(calls(PERSON), says("I've asked my colleagues to join us.")),
        says("A new one will be sent."),
        calls(order("7")),
    )
    await ana.says("Let me talk to a person")
    await scenario.handoff.accept("Sam")
    await scenario.handoff.say("p-1", "Sam", "Hello Ana, this is Sam.")
    await ana.says("My parcel is broken")
    await scenario.handoff.say("p-2", "Sam", "I'll send a new one.")
    await scenario.handoff.end_handoff()
    await ana.says("What will happen now?")
    company.orders.behaviour = Gives({"status": "packed"}, after_s=5)
    await ana.begins("And where is order 7?")
    await company.clock.sleep(2)
    scenario.models[-1].assert_used_up()
    await scenario.stops(ana)
    ana = await scenario.opens(says("Order 7 is packed."), says("You are welcome."))
    await ana.session.answered()
    await ana.says("Thanks")
    return ana


def in_words(view: View) -> str:
    """What a model is given of a conversation, a line for each thing."""
    return "\n".join(line for turn in view.turns for message in turn.messages for line in _lines(message))


def _lines(message: object) -> list[str]:
    match message:
        case FromCustomer(text=text):
            return [f"Customer: {text}"]
        case FromAssistant(text=text, calls=called):
            said = [f"Assistant: {text}"] if text else []
            return said + [f"  -> {call.tool} {json_text(call.arguments)}" for call in called]
        case FromTools(outcomes=outcomes):
            return [f"  <- {result_text(outcome)}" for outcome in outcomes]
        case _:
            raise AssertionError(message)
