"""More answers, written after the word lists were chosen and not used for choosing them."""

from assistant.language.values import Data
from tests.turn.guardrails.repeat_cases import (
    BEIDES,
    BESTELLUNG,
    BILLING,
    BILLS,
    BOTH,
    HOURS,
    OPEN,
    ORDER,
    ORDER_7,
    RECHNUNG,
    SHIPPED,
    SLOT,
    SORRY,
    THREE,
    VISIT,
    VISITS,
    ZEITEN,
    Answer,
    Repeat,
)

_COVER = "Let me find out. I'll compare the insurance plans and review your coverage."
_OWN = "Let me pull up your account and see what's going on with the refund."


def _said(told: str, again: str, rest: str, locale: str = "en") -> Repeat:
    return Repeat(told=told, again=again, rest=rest, results=None, locale=locale)


UNSEEN_PURE: tuple[Repeat, ...] = (
    _said(BOTH, "I've gone ahead and looked up your appointments and checked your billing.", "You owe $150."),
    _said(BOTH, "Okay, so I checked both your appointments and your billing.", "Tuesday at 2 pm is booked."),
    _said(BOTH, "I was able to look up your appointments and check your billing.", "You owe $150."),
    _said(
        BOTH, "Thanks for your patience! I have looked up your appointments.", "Tuesday at 2 pm is booked."
    ),
    _said(BOTH, "Your appointments and billing have been checked.", "You owe $150."),
    _said(BOTH, "I've finished checking your billing.", "You owe $150."),
    _said(BOTH, "Here are your appointments and billing details:", "You owe $150."),
    _said(BILLING, "Let me take a look at your billing.", "You owe $150."),
    _said(BILLING, "I took a look at your billing account.", "You owe $150."),
    _said(BILLING, "Alright, I've checked on your billing.", "You owe $150."),
    _said(BILLING, "I've reviewed your billing records for you.", "You owe $150."),
    _said(ORDER, "I tracked down your order.", "It arrives on Wednesday."),
    _said(ORDER, "Okay! I'm tracking your order now.", "It arrives on Wednesday."),
    _said(HOURS, "Sure thing, I checked our opening hours.", "We're closed on Sundays."),
    _said(SLOT, "I had a look for a free slot.", "Friday at 10:30 is free."),
    _said(_COVER, "I've compared the insurance plans and reviewed your coverage.", "Plan B costs $20 less."),
    _said(_OWN, "I've pulled up your account.", "The refund of $30 was sent on Monday."),
    _said(BEIDES, "Ich habe mir Ihre Termine und Rechnungen angesehen.", "Offen sind 150 Euro.", "de"),
    _said(RECHNUNG, "Gerne, ich habe Ihre Rechnungen für Sie geprüft.", "Offen sind 150 Euro.", "de"),
    _said(BESTELLUNG, "Ich habe den Status Ihrer Bestellung überprüft.", "Sie kommt am Mittwoch.", "de"),
)


def _tells(told: str, text: str, *facts: str, results: Data = None, locale: str = "en") -> Answer:
    return Answer(told=told, text=text, facts=facts, results=results, locale=locale)


UNSEEN_WITH_FACTS: tuple[Answer, ...] = (
    _tells(BOTH, "I've looked up your appointments and both are confirmed.", "confirmed", results=VISITS),
    _tells(BOTH, "I see an appointment.", "an appointment", results=VISIT),
    _tells(BOTH, "I see your appointments, and your billing is up to date.", "up to date", results=VISITS),
    _tells(BOTH, "You do have appointments.", "You do have appointments", results=VISITS),
    _tells(BOTH, "There is billing.", "There is billing", results=BILLS),
    _tells(
        BOTH, "I looked up your appointments; neither has changed.", "neither has changed", results=VISITS
    ),
    _tells(BOTH, "I've checked your billing twice.", "twice", results=BILLS),
    _tells(BOTH, "I can't look up your appointments, sorry.", "can't look up your appointments"),
    _tells(BOTH, "I had trouble checking your billing.", "trouble"),
    _tells(BOTH, "I checked your billing. All paid.", "All paid", results=BILLS),
    _tells(BILLING, "I've checked your billing: zero.", "zero"),
    _tells(BILLING, "Your billing? Overdue.", "Overdue", results=BILLS),
    _tells(ORDER_7, "Sure, I've tracked order 10482 for you.", "10482", results=SHIPPED),
    _tells(ORDER, "I've tracked your order to Berlin.", "Berlin", results=SHIPPED),
    _tells(ORDER, "We no longer have your order.", "no longer"),
    _tells(HOURS, "Our opening hours: 9 to 18.", "9 to 18", results=OPEN),
    _tells(SLOT, "I found a free slot.", "a free slot"),
    _tells(THREE, "I've checked it all except your order.", "except your order", results=VISITS),
    _tells(SORRY, "I'm sorry, your order was lost.", "lost"),
    _tells(ZEITEN, "Unsere Öffnungszeiten sind unverändert.", "unverändert", results=OPEN, locale="de"),
)
