"""Abbreviations, capitals and symbols, as a customer hears them."""

from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows


@check_rows(
    ("text", "said"),
    [
        ("Mr. Smith and Mrs. Jones met Dr. Weber.", "Mister Smith and Missus Jones met Doctor Weber."),
        ("He lives on Main St. in Berlin.", "He lives on Main Street in Berlin."),
        ("It's at 12 Main St.", "It's at twelve Main Street."),
        ("It's at 12 Main St. Ask there.", "It's at twelve Main Street. Ask there."),
        ("St. James is closed.", "Saint James is closed."),
        ("It takes approx. 5 days.", "It takes approximately five days."),
        ("It takes max. 5 days.", "It takes at most five days."),
        ("Bring e.g. your passport, i.e. an ID.", "Bring for example your passport, that is an ID."),
        ("Bring shoes, socks, etc.", "Bring shoes, socks, and so on."),
        ("Acme Inc. is closed.", "Acme Incorporated is closed."),
        ("Acme Inc.", "Acme Incorporated."),
        ("Plan A vs. plan B", "Plan A versus plan B"),
        ("Apt. 4B, 5th Ave.", "Apartment four B, fifth Avenue."),
        ("It's N/A.", "It's not available."),
        ("We'll do it ASAP.", "We'll do it as soon as possible."),
        ("It's w/o fee.", "It's without fee."),
        ("The T&Cs say so.", "The terms and conditions say so."),
    ],
)
def test_abbreviations_are_spoken_in_full(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("Done 👍🎉", "Done"),
        ("Sure! 😊 I'll check.", "Sure! I'll check."),
        ("👩\u200d🔧 is on it", "is on it"),
        ("Great :)", "Great"),
        ("PLEASE DO NOT reply.", "please do not reply."),
        ("IMPORTANT: read this.", "important: read this."),
        ("We take VAT and IBAN, and send SMS, PDF.", "We take V A T and I BAN, and send SMS, PDF."),
        ("Well... it depends.", "Well, it depends."),
        ("Let me see…", "Let me see."),
        ("Well... It depends.", "Well. It depends."),
        ("Wait...", "Wait."),
        ("Your visit (Tuesday) is set.", "Your visit, Tuesday, is set."),
        ("Your visit is set (Tuesday).", "Your visit is set, Tuesday."),
        ("(Optional) Bring a form.", "Optional, Bring a form."),
        ("(It is.)", "It is."),
        ("Is it ()?", "Is it?"),
        ("Bring the form(s).", "Bring the forms."),
        ("You and/or your wife", "You and or your wife"),
        ("Bring the billing/shipping address.", "Bring the billing or shipping address."),
        ("Questions & answers", "Questions and answers"),
        ("Q&A", "Q and A"),
        ("Use #support", "Use support"),
        ("A → B", "A to B"),
        ("He said “yes” to it.", "He said yes to it."),
        ("It's done — finally.", "It's done, finally."),
        ("It's done - finally.", "It's done, finally."),
        ("It's well-known.", "It's well-known."),
        ("Yes!!! Really?!", "Yes! Really?"),
        ("See [1] there.", "See there."),
        ("It’s Ana’s.", "It's Ana's."),
        ("1,2,3", "one, two, three"),
        ("± 5 of it", "plus or minus five of it"),
        ("100 % sure", "one hundred percent sure"),
        ("Cost in $ or %", "Cost in dollars or percent"),
    ],
)
def test_symbols_are_spoken_or_left_out(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        (
            "Sure, I'll look up your appointments and check your billing.",
            "Sure, I'll look up your appointments and check your billing.",
        ),
        ("One moment.", "One moment."),
        (
            "You have an appointment on Tuesday at two PM with Doctor Weber.",
            "You have an appointment on Tuesday at two PM with Doctor Weber.",
        ),
        ("Your next appointment is on Tuesday,", "Your next appointment is on Tuesday,"),
        (
            "I couldn't reach billing just now; anything else?",
            "I couldn't reach billing just now; anything else?",
        ),
        ("That's twenty-four hours, isn't it?", "That's twenty-four hours, isn't it?"),
    ],
)
def test_plain_words_are_not_changed(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        (
            "You owe for INV-2041 ($150.00, due Dec 9) and B-7.",
            "You owe for I N V, two zero four one, one hundred fifty dollars, due December ninth, and B, seven.",
        ),
        (
            "Your appointment with Dr. Weber is on Tuesday, November 24 at 2:00 PM.",
            "Your appointment with Doctor Weber is on Tuesday, November twenty-fourth at two PM.",
        ),
        (
            "I've e-mailed ana@example.com (order #10482).",
            "I've e-mailed ana at example dot com, order number one zero four, eight two.",
        ),
        (
            "Your next 3 visits: Nov 24, Dec 1 and Dec 8.",
            "Your next three visits: November twenty-fourth, December first and December eighth.",
        ),
        (
            "$150.00 is due on December 9th, 2026, at 5 PM.",
            "one hundred fifty dollars is due on December ninth, twenty twenty-six, at five PM.",
        ),
        (
            "Call us: 555-0142, Mon–Fri, 9:00-17:00.",
            "Call us: five five five, zero one four two, Monday to Friday, nine o'clock to five PM.",
        ),
        (
            "Your $20 credit (#C-77) expires 2026-12-31.",
            "Your twenty dollar credit, C, seven seven, expires December thirty-first, twenty twenty-six.",
        ),
        (
            "Total: $150.00 — due: 12/09/2026; see https://a.example/b/c",
            "Total: one hundred fifty dollars, due: twelve slash nine, twenty twenty-six; see the link in the chat",
        ),
    ],
)
def test_whole_answers_are_spoken_as_a_person_would(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said
