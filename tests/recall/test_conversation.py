"""One past conversation under today's rules."""

from dataclasses import replace

from assistant.conversation.chunks import TextDelta
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    CustomerMessage,
    Entry,
    Identified,
    MessageText,
    ModelChunks,
)
from assistant.conversation.snapshots import without_result, without_words
from assistant.recall.conversation import Period, StoredData
from assistant.recall.findings import LeftOut, NotAgreed, NotAllowed, NotAsked
from assistant.testing.chat import KEY
from assistant.testing.fake_tool import Gives, fake_spec
from assistant.testing.script import calls, says
from tests.recall.conftest import Past

CANCEL = ("cancel_appointment", {"day": "2026-03-10"})
NOTE = ("add_note", {"text": "late"})


async def test_a_conversation_within_todays_rules_has_no_findings(past: Past) -> None:
    ana = await past.chat(
        calls("list_upcoming_appointments"),
        says("You are booked for Tuesday at 2 pm."),
        calls(CANCEL),
        says("Your appointment is cancelled."),
    )
    await ana.says("Check my appointments")
    await ana.says("Cancel it")
    await ana.says("yes")
    await past.over()

    recalled = await past.recall()

    assert (recalled.findings, recalled.gains, recalled.failures) == ([], [], [])
    assert +recalled.checked == {"conversations": 1, "turns": 3, "readings": 1, "writes": 1, "answers": 2}
    assert +recalled.unchecked == {}


async def test_a_write_after_an_answer_that_is_no_yes_today_is_found(past: Past) -> None:
    ana = await past.chat(calls(CANCEL), says("It is cancelled."))
    await ana.says("Cancel Tuesday")
    await ana.says("yes")
    await past.over()
    past.change(lambda entry: _said(entry, "yes", "hold on, not yet"))

    (found,) = (await past.recall()).findings

    assert isinstance(found, NotAgreed)
    assert (found.said, found.reading, found.outcome) == ("hold on, not yet", "unclear", "ok")
    assert found.question == "Shall I cancel your eye test on Tuesday at 2 pm?"
    assert (found.call.tool, found.call.arguments) == CANCEL
    assert (found.place.turn, found.place.customer, found.place.level) == ("t2", "ana", "verified")
    assert len(past.company.cancel.ran) == 1


async def test_of_two_writes_only_the_one_without_a_yes_is_found(past: Past) -> None:
    ana = await past.chat(calls(CANCEL, NOTE), says("Both are done."), confirm_every_write=True)
    await ana.says("Cancel Tuesday and note that I am late")
    await ana.says("yes")
    await past.over()
    past.change(lambda entry: _said(entry, "yes", "only the first"))

    recalled = await past.recall(confirm_every_write=True)

    assert [(type(one), one.call.tool) for one in recalled.findings if not isinstance(one, LeftOut)] == [
        (NotAgreed, "add_note")
    ]


async def test_a_write_without_a_question_that_is_required_today_is_found(past: Past) -> None:
    ana = await past.chat(calls(NOTE), says("Noted."))
    await ana.says("Note that I am late")
    await past.over()
    past.company.respec(past.company.note, confirm=True)

    (found,) = (await past.recall()).findings

    assert isinstance(found, NotAsked)
    assert (found.call.tool, found.said, found.outcome) == ("add_note", "Note that I am late", "ok")


async def test_a_write_after_text_of_other_people_is_found(past: Past) -> None:
    letters = past.company.appointments
    letters.spec = replace(letters.spec, trusted=True)
    ana = await past.chat(
        calls("list_upcoming_appointments"), says("There is one."), calls(NOTE), says("Noted.")
    )
    await ana.says("Check my appointments")
    await ana.says("Thanks")
    await past.over()
    assert (await past.recall()).findings == []
    letters.spec = replace(letters.spec, trusted=False)

    (found,) = (await past.recall()).findings

    assert isinstance(found, NotAsked)
    assert (found.call.tool, found.said) == ("add_note", "Thanks")


async def test_a_write_for_an_anonymous_visitor_is_found(past: Past) -> None:
    ana = await past.chat(calls(NOTE), says("Noted."))
    await ana.says("Note that I am late")
    await past.over()
    past.change(lambda entry: replace(entry, level="anonymous") if isinstance(entry, Identified) else entry)

    (found,) = (await past.recall()).findings

    assert isinstance(found, NotAllowed)
    assert (found.requires, found.place.level) == ("verified", "anonymous")


async def test_a_shown_sentence_without_evidence_is_found(past: Past) -> None:
    ana = await past.chat(calls("get_opening_hours"), says("We open at 9. See you soon."))
    await ana.says("When are you open?")
    await past.over()
    past.change(lambda entry: _told(entry, "See you soon.", "I have cancelled your appointment."))

    (found,) = (await past.recall()).findings

    assert isinstance(found, LeftOut)
    assert (found.sentence, found.guardrail) == ("I have cancelled your appointment.", "claims")


async def test_a_shown_amount_that_no_result_contains_is_found(past: Past) -> None:
    past.company.billing.behaviour = Gives([{"amount": "150.00"}])
    ana = await past.chat(calls("get_open_invoices"), says("You have one open invoice. You owe $150.00."))
    await ana.says("Check my billing")
    await past.over()
    assert (await past.recall()).findings == []
    past.change(lambda entry: _told(entry, "$150.00", "$510.00"))

    (found,) = (await past.recall()).findings

    assert isinstance(found, LeftOut)
    assert (found.sentence, found.guardrail) == ("You owe $510.00.", "facts")


async def test_the_shown_text_is_checked_if_the_reply_is_gone(past: Past) -> None:
    ana = await past.chat(calls("get_opening_hours"), says("We open at 9. See you soon."))
    await ana.says("When are you open?")
    await past.over()
    past.change(lambda entry: _told(entry, "See you soon.", "I have cancelled your appointment."))
    past.change(lambda entry: without_words(KEY.conversation, "t1", entry))

    recalled = await past.recall()

    assert [type(one) for one in recalled.findings] == [LeftOut]
    assert +recalled.unchecked == {"shown_only": 1}


async def test_a_sentence_is_not_judged_by_shortened_results(past: Past) -> None:
    past.company.appointments.behaviour = Gives([{"state": "cancelled", "note": "x" * 2000}])
    ana = await past.chat(calls("list_upcoming_appointments"), says("See you soon."))
    await ana.says("Check my appointments")
    await past.over()
    past.change(lambda entry: _told(entry, "See you soon.", "I have cancelled your appointment."))
    past.change(lambda entry: without_result(KEY.conversation, "t1", entry))

    recalled = await past.recall()

    assert recalled.findings == []
    assert +recalled.unchecked == {"shortened_results": 1, "not_judged": 1}


async def test_a_yes_that_is_understood_today_is_reported_too(past: Past) -> None:
    ana = await past.chat(calls(CANCEL))
    await ana.says("Cancel Tuesday")
    await ana.says("hmm")
    await past.over()
    past.change(lambda entry: _said(entry, "hmm", "yes please"))

    recalled = await past.recall()

    assert recalled.findings == []
    assert [(one.kind, one.text) for one in recalled.gains] == [("understood", "yes please")]


async def test_a_write_whose_tool_is_gone_is_counted(past: Past) -> None:
    ana = await past.chat(calls(NOTE), says("Noted."))
    await ana.says("Note that I am late")
    await past.over()

    recalled = await past.recall(without=("add_note",))

    assert recalled.unchecked["tool_gone"] == 1


async def test_a_visitor_who_became_known_later_can_be_contacted(past: Past) -> None:
    ana = await past.chat(calls(NOTE), says("Noted."))
    await ana.says("Note that I am late")
    await past.over()
    past.change(lambda entry: replace(entry, level="anonymous") if isinstance(entry, Identified) else entry)
    last = past.entries[-1]
    known = Identified(level="verified", customer="4711", name="Ana Silva")
    past.entries.append(replace(last, seq=last.seq + 1, turn_id="", entry=known))

    (found,) = (await past.recall()).findings

    assert (found.place.level, found.place.customer, found.place.name) == ("anonymous", "4711", "Ana Silva")


async def test_findings_stay_when_a_rule_fails_later(past: Past) -> None:
    ana = await past.chat(calls(NOTE), says("Noted."), says("Bye."))
    await ana.says("Note that I am late")
    await ana.says("Thank you, bye")
    await past.over()
    past.company.respec(past.company.note, confirm=True)
    past.entries = [one for one in past.entries if not _is_said(one.entry, "Thank you, bye")]

    recalled = await past.recall()

    assert [type(one) for one in recalled.findings] == [NotAsked]
    assert [one.why.partition(":")[0] for one in recalled.failures] == ["KeyError"]


async def test_a_file_whose_text_is_gone_is_counted(past: Past) -> None:
    ana = await past.chat(says("Thank you."))
    await ana.says("Here is my letter")
    await past.over()
    letter = Attached(ref="document:1", name="letter.pdf")
    past.change(
        lambda entry: replace(entry, attachments=(letter,)) if isinstance(entry, CustomerMessage) else entry
    )

    gone = await past.recall(kept=StoredData(file=lambda file: file != letter, prompts=lambda _: False))

    assert +gone.unchecked == {"files_gone": 1, "prompts_gone": 1}
    assert +(await past.recall()).unchecked == {}


async def test_turns_outside_the_period_are_not_checked(past: Past) -> None:
    ana = await past.chat(calls(NOTE), says("Noted."))
    await ana.says("Note that I am late")
    await past.over()
    past.company.respec(past.company.note, confirm=True)

    recalled = await past.recall(Period(since_ms=past.entries[-1].at_ms + 1))

    assert recalled.findings == []
    assert +recalled.checked == {}


def _is_said(entry: Entry, text: str) -> bool:
    return isinstance(entry, CustomerMessage) and entry.text == text


def _said(entry: Entry, text: str, instead: str) -> Entry:
    """The customer said something else."""
    same = isinstance(entry, CustomerMessage) and _is_said(entry, text)
    return replace(entry, text=instead) if same else entry


def _told(entry: Entry, text: str, instead: str) -> Entry:
    """The model said something else at the end of its answer, and it was shown."""
    if isinstance(entry, MessageText):
        return replace(entry, text=entry.text.replace(text, instead))
    if isinstance(entry, ModelChunks):
        spoken = "".join(chunk.text for _, chunk in entry.chunks if isinstance(chunk, TextDelta))
        if text in spoken:
            others = tuple(timed for timed in entry.chunks if not isinstance(timed[1], TextDelta))
            return replace(entry, chunks=((0, TextDelta(spoken.replace(text, instead))), *others))
    return entry


async def test_a_yes_to_one_of_two_values_stops_the_write(past: Past) -> None:
    contact = {"email": "ana@new.example", "phone": "555 0199"}
    clause = "change your e-mail address to ana@new.example and your phone number to 555 0199"
    changing = past.company.cancel
    changing.spec = fake_spec(
        "update_contact_details",
        "changing your contact details",
        "change your contact details",
        effect="write",
        confirm=True,
        arguments=("email", "phone"),
    )
    changing.clause = clause
    ana = await past.chat(calls(("update_contact_details", contact)), says("Both are changed."))
    await ana.says("My e-mail is ana@new.example now, and my phone number 555 0199")
    await ana.says("yes")
    await past.over()
    assert (await past.recall()).findings == []
    past.change(lambda entry: _said(entry, "yes", "yes the phone number"))

    (found,) = (await past.recall()).findings

    assert isinstance(found, NotAgreed)
    assert (found.question, found.reading) == (f"Shall I {clause}?", "unclear")
