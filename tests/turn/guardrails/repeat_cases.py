"""Answers of narrators after an acknowledgement: only a repetition, a repetition with news, and only news."""

from dataclasses import dataclass

from assistant.language.values import Data

BOTH = "Sure, I'll look up your appointments and check your billing."
BILLING = "Let me see. I'll check your billing."
ORDER = "Sure, I'll track your order."
ORDER_7 = "Sure, I'll track your order 10482."
HOURS = "One moment. I'll check our opening hours."
SLOT = "Happy to. I'll look for a free slot."
THREE = "Certainly, I'll look up your appointments, check your billing and track your order."
SORRY = "I'm sorry about that. I'll track your order and check your billing."
BEIDES = "Gerne, ich suche Ihre Termine heraus und prüfe Ihre Rechnungen."
RECHNUNG = "Einen Moment bitte, ich prüfe Ihre Rechnungen."
BESTELLUNG = "Natürlich, ich sehe nach Ihrer Bestellung."
ZEITEN = "Einen Augenblick, ich schlage unsere Öffnungszeiten nach."

VISIT: Data = [{"when": "2026-11-24T14:00", "with": "Dr. Weber", "kind": "eye test"}]
VISITS: Data = [*VISIT, {"when": "2026-12-03T09:30", "with": "Dr. Lindt", "kind": "contact lens fitting"}]
BILLS: Data = [{"number": "INV-2041", "amount": "150.00", "due": "2026-12-01"}]
SHIPPED: Data = {"order": "10482", "status": "shipped", "arrives": "2026-11-25", "carrier": "DHL"}
OPEN: Data = {"Monday": "9 to 18", "Saturday": "10 to 14", "Sunday": "closed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """An acknowledgement, what repeats it, and what comes after that."""

    told: str
    again: str
    rest: str
    results: Data
    locale: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An acknowledgement, an answer, and the parts of it that no customer may miss."""

    told: str
    text: str
    facts: tuple[str, ...] = ()
    results: Data = None
    locale: str = "en"


_ON_TUESDAY = "You're booked with Dr. Weber on Tuesday at 2 pm."
_OWING = "You owe $150, due on December 1."
_ON_ITS_WAY = "It was shipped with DHL and arrives on Wednesday."
_AM_DIENSTAG = "Sie haben am Dienstag um 14 Uhr einen Termin bei Dr. Weber."
_OFFEN = "Offen sind 150 Euro, fällig am 1. Dezember."


def _said(told: str, again: str, rest: str, results: Data, locale: str = "en") -> Repeat:
    return Repeat(told=told, again=again, rest=rest, results=results, locale=locale)


PURE: tuple[Repeat, ...] = (
    _said(BOTH, "Sure, I've looked up your appointments and checked your billing.", _ON_TUESDAY, VISIT),
    _said(BOTH, "I've looked up your appointments and checked your billing for you.", _ON_TUESDAY, VISIT),
    _said(BOTH, "I've now looked into your appointments and here's what I found:", _ON_TUESDAY, VISIT),
    _said(BOTH, "Let me check your billing.", _OWING, BILLS),
    _said(BOTH, "Sure, I'll look up your appointments and check your billing.", _OWING, BILLS),
    _said(BOTH, "Alright, I looked up your appointments and your billing.", _ON_TUESDAY, VISIT),
    _said(BOTH, "Sure! I've checked your appointments and your billing.", _OWING, BILLS),
    _said(BOTH, "I have checked both your appointments and your billing details.", _OWING, BILLS),
    _said(BOTH, "Of course. I just looked up your appointments.", _ON_TUESDAY, VISIT),
    _said(BOTH, "As I said, I'm looking up your appointments and checking your billing now.", _OWING, BILLS),
    _said(BOTH, "I've pulled up your appointments and reviewed your billing.", _ON_TUESDAY, VISIT),
    _said(BILLING, "I checked your billing.", _OWING, BILLS),
    _said(BILLING, "Okay, I've checked your billing, and here's what I see:", _OWING, BILLS),
    _said(BILLING, "Thanks for waiting. I've had a look at your billing.", _OWING, BILLS),
    _said(BILLING, "I went through your billing information.", _OWING, BILLS),
    _said(ORDER, "I've tracked your order.", _ON_ITS_WAY, SHIPPED),
    _said(ORDER, "Sure, let me track your order for you.", _ON_ITS_WAY, SHIPPED),
    _said(ORDER, "I've just checked the status of your order.", _ON_ITS_WAY, SHIPPED),
    _said(HOURS, "Let me check our opening hours.", "On Saturday we're open from 10 to 14.", OPEN),
    _said(HOURS, "I have checked our opening hours for you:", "On Sunday we're closed.", OPEN),
    _said(SLOT, "I've looked for a free slot.", "Friday at 10:30 would work.", {"slot": "2026-11-27T10:30"}),
    _said(
        THREE, "I looked up your appointments, checked your billing and tracked your order.", _OWING, BILLS
    ),
    _said(THREE, "All right, I've now checked all of that for you.", _ON_TUESDAY, VISIT),
    _said(SORRY, "I'm sorry about that. I've tracked your order and checked your billing.", _OWING, BILLS),
    _said(
        BEIDES, "Ich habe Ihre Termine herausgesucht und Ihre Rechnungen geprüft.", _AM_DIENSTAG, VISIT, "de"
    ),
    _said(BEIDES, "Gerne, ich habe Ihre Rechnungen geprüft.", _OFFEN, BILLS, "de"),
    _said(
        BEIDES, "Ich habe nun nach Ihren Terminen gesucht, hier ist das Ergebnis:", _AM_DIENSTAG, VISIT, "de"
    ),
    _said(RECHNUNG, "Einen Moment bitte, ich prüfe Ihre Rechnungen.", _OFFEN, BILLS, "de"),
    _said(
        BESTELLUNG, "Ich habe nach Ihrer Bestellung gesehen.", "Sie kommt am Mittwoch mit DHL.", SHIPPED, "de"
    ),
    _said(
        ZEITEN, "Ich habe unsere Öffnungszeiten nachgeschlagen.", "Am Sonntag ist geschlossen.", OPEN, "de"
    ),
)


def _tells(told: str, text: str, *facts: str, results: Data = None, locale: str = "en") -> Answer:
    return Answer(told=told, text=text, facts=facts, results=results, locale=locale)


WITH_FACTS: tuple[Answer, ...] = (
    _tells(
        BOTH,
        "I looked up your appointments: you're booked on Tuesday at 2 pm.",
        "Tuesday at 2 pm",
        results=VISIT,
    ),
    _tells(BOTH, "I've looked up your appointments and found two.", "found two", results=VISITS),
    _tells(BOTH, "I've checked your billing and you owe $150.", "owe $150", results=BILLS),
    _tells(BOTH, "Your billing shows 150.00.", "150.00", results=BILLS),
    _tells(BOTH, "You have no appointments.", "no appointments", results=[]),
    _tells(BOTH, "I've checked your billing and there's nothing to pay.", "nothing to pay", results=[]),
    _tells(
        BOTH, "You have an appointment. I've checked your billing.", "You have an appointment", results=VISIT
    ),
    _tells(BOTH, "I found an appointment.", "an appointment", results=VISIT),
    _tells(BOTH, "I found one appointment.", "one appointment", results=VISIT),
    _tells(BOTH, "I couldn't check your billing.", "couldn't check your billing"),
    _tells(
        BOTH,
        "I looked up your appointments, but your billing didn't come up.",
        "didn't come up",
        results=VISIT,
    ),
    _tells(BOTH, "Sure, your appointment is on Tuesday.", "Tuesday", results=VISIT),
    _tells(
        BOTH,
        "Your appointments:\n- Tuesday, 2 pm\n- Thursday, 9:30",
        "Your appointments:",
        "9:30",
        results=VISITS,
    ),
    _tells(BOTH, "Your billing is settled.", "settled", results=[]),
    _tells(BOTH, "I've looked up your appointments with Dr. Weber.", "Dr. Weber", results=VISIT),
    _tells(BILLING, "I've checked your billing again since it failed.", "failed"),
    _tells(BILLING, "I checked your billing. Nothing.", "Nothing", results=[]),
    _tells(BILLING, "I'm still checking your billing.", "still", results=None),
    _tells(BILLING, "I could only check half of your billing.", "only check half"),
    _tells(ORDER_7, "I've tracked your order 10482.", "10482", results=SHIPPED),
    _tells(ORDER_7, "Sure, order 10482: shipped.", "shipped", results=SHIPPED),
    _tells(ORDER, "I've tracked your order and it was shipped.", "shipped", results=SHIPPED),
    _tells(ORDER, "Your order is on its way.", "on its way", results=SHIPPED),
    _tells(HOURS, "I checked our opening hours, and we're open until 6.", "until 6", results=OPEN),
    _tells(SLOT, "There's a free slot.", "There's a free slot", results={"slot": "2026-11-27T10:30"}),
    _tells(
        THREE,
        "I've checked your appointments, your billing and your order: all fine.",
        "all fine",
        results=VISIT,
    ),
    _tells(
        BEIDES,
        "Ich habe Ihre Termine herausgesucht: Dienstag um 14 Uhr.",
        "Dienstag um 14 Uhr",
        results=VISIT,
        locale="de",
    ),
    _tells(BEIDES, "Sie haben keine Termine.", "keine Termine", results=[], locale="de"),
    _tells(
        RECHNUNG,
        "Ich habe Ihre Rechnungen geprüft, eine ist offen.",
        "eine ist offen",
        results=BILLS,
        locale="de",
    ),
    _tells(BESTELLUNG, "Ich konnte Ihre Bestellung nicht finden.", "nicht finden", locale="de"),
)

NEW: tuple[Answer, ...] = (
    _tells(BOTH, "You're booked with Dr. Weber on Tuesday at 2 pm, and you owe $150.", results=VISIT),
    _tells(BOTH, "Your next appointment is on Tuesday, November 24. Nothing is left to pay.", results=VISIT),
    _tells(
        BOTH, "There are two appointments: Tuesday at 2 pm and Thursday, December 3, at 9:30.", results=VISITS
    ),
    _tells(BOTH, "On Tuesday at 2 pm you see Dr. Weber. Your balance is $150.00.", results=VISIT),
    _tells(BOTH, "Nothing is booked, and nothing is owed.", results=[]),
    _tells(BOTH, "Here's what I found:\n- eye test on Tuesday\n- $150 open", results=VISIT),
    _tells(BOTH, "Appointments:\n- Tuesday, 2 pm\n\nBilling:\n- INV-2041, $150", results=VISIT),
    _tells(BOTH, "As it happens, you have an eye test this Tuesday.", results=VISIT),
    _tells(
        BOTH, "It looks like you are due on Tuesday, and that there is an open bill of $150.", results=VISIT
    ),
    _tells(BOTH, "Good news: nothing is due before Tuesday.", results=VISIT),
    _tells(BILLING, "Yes, $150, due on December 1.", results=BILLS),
    _tells(BILLING, "No. Everything is paid.", results=[]),
    _tells(BILLING, "You owe $150 for the glasses that you got in October.", results=BILLS),
    _tells(BILLING, "One invoice is open: INV-2041 over $150, which is due on December 1.", results=BILLS),
    _tells(BILLING, "I'm afraid the billing system can't be reached right now. Please try again later."),
    _tells(ORDER, "It left our warehouse yesterday and should be with you on Wednesday.", results=SHIPPED),
    _tells(ORDER, "Order 10482 was shipped with DHL. It arrives on Wednesday.", results=SHIPPED),
    _tells(ORDER, "DHL has it. Would you like the tracking number?", results=SHIPPED),
    _tells(ORDER, "Unfortunately it is delayed. It arrives on Wednesday, November 25.", results=SHIPPED),
    _tells(HOURS, "We're open from 9 to 18 on Mondays and from 10 to 14 on Saturdays.", results=OPEN),
    _tells(HOURS, "On Sundays we're closed.", results=OPEN),
    _tells(SLOT, "Friday at 10:30 is free. Shall I book it?", results={"slot": "2026-11-27T10:30"}),
    _tells(SLOT, "Would Friday at half past ten suit you?", results={"slot": "2026-11-27T10:30"}),
    _tells(
        THREE,
        "Your order arrives on Wednesday, you see Dr. Weber on Tuesday, and you owe $150.",
        results=SHIPPED,
    ),
    _tells(SORRY, "The parcel is in Berlin. We have taken $10 off your bill.", results=SHIPPED),
    _tells(
        BEIDES,
        "Am Dienstag um 14 Uhr sind Sie bei Dr. Weber, und offen sind 150 Euro.",
        results=VISIT,
        locale="de",
    ),
    _tells(
        BEIDES, "Ihr nächster Termin ist am 24. November. Zu zahlen ist nichts.", results=VISIT, locale="de"
    ),
    _tells(RECHNUNG, "Ja, eine Rechnung über 150 Euro ist offen.", results=BILLS, locale="de"),
    _tells(BESTELLUNG, "Sie wurde gestern mit DHL verschickt.", results=SHIPPED, locale="de"),
    _tells(
        ZEITEN, "Samstags haben wir von 10 bis 14 Uhr geöffnet, sonntags ist zu.", results=OPEN, locale="de"
    ),
)
