"""Answers that tell a story next to a yes, only comment, take calls one by one, or refuse in many words.

The questions are about other businesses than the shop: a bank, a clinic, a car rental. "yes", "no" and "not"
mean all of it, a refusal, and nothing; "first" and "second" mean that call alone.
"""

from typing import Final

from assistant.prompts.book import shipped_book
from assistant.turn.consent.answer import read_answer
from assistant.turn.consent.read_question import question_about
from assistant.turn.consent.readings import AgreedTo, AgreedToAll, Declined

CARD: Final = ("block your debit card ending in 4471",)
PAYMENT: Final = ("transfer 250 euros to Maria Lopez",)
SHOT: Final = ("book a flu vaccination with Dr. Patel on Monday, March 8 at 9:15 am",)
RENTAL: Final = ("extend your rental of the Fiat 500 from May 3 to May 6",)
CAR: Final = ("cancel your rental of the Opel Corsa",)
TWO: Final = ("cancel your flu vaccination", "cancel your rental of the Opel Corsa")
KARTE: Final = ("Ihre EC-Karte mit der Endung 4471 sperren",)
MIETE: Final = ("Ihre Miete des Fiat 500 vom 3. Mai auf den 6. Mai verlängern",)
WAGEN: Final = ("Ihren Mietwagen stornieren",)
ZWEI: Final = ("Ihre Impfung absagen", "Ihren Mietwagen stornieren")

ASIDES: Final = (
    # An order or an explicit yes, with a statement that contains no wish.
    ("en", CAR, "Yes, cancel the Corsa, our neighbours offered us theirs", "yes"),
    ("en", CAR, "please do, our flight has been scrapped", "yes"),
    ("en", CAR, "yes cancel it the doctor won't see me before June", "yes"),
    ("en", CAR, "yes please cancel it my brother has a car anyway", "yes"),
    ("en", CAR, "go ahead and cancel it. Kind regards, A. Silva", "yes"),
    ("en", RENTAL, "go ahead, I get back on Friday evening", "yes"),
    ("en", SHOT, "Sounds like a plan, I drop the kids off at nine", "yes"),
    ("en", CARD, "You've got it. Block it, my bag was stolen", "yes"),
    ("en", CAR, "yes cancle it please", "yes"),
    ("en", CAR, "yes cancel it and tell them I want a bigger one", "not"),
    ("en", CAR, "yes cancel it, but my wife has the last word", "not"),
    ("en", CAR, "cancel it if there is no fee", "not"),
    ("en", CAR, "go ahead and tell me what it costs first", "not"),
    ("en", RENTAL, "go ahead, Friday I can bring it back", "not"),
    ("en", SHOT, "please do, twin seats", "not"),
    ("de", WAGEN, "Ja bitte, wir fahren jetzt doch mit der Bahn", "yes"),
    ("de", WAGEN, "Nichts lieber als das, der Urlaub ist gestrichen", "yes"),
    ("de", MIETE, "Von mir aus gern, der Wagen fährt sich super.", "yes"),
    ("de", WAGEN, "Ja, stornieren Sie ihn. Mit freundlichen Grüßen, A. Silva", "yes"),
    ("de", WAGEN, "ja stornieren, wenn es nichts kostet", "not"),
)
REASONS: Final = (
    # After a mere yes, too, a reason may have any words, with or without punctuation.
    ("en", CAR, "Yes, unfortunately my brother broke his leg", "yes"),
    ("en", CAR, "yep, I got married and moved in with my husband", "yes"),
    ("en", CAR, "yes, double booked", "yes"),
    ("en", CAR, "yes we found another way to get there", "yes"),
    ("en", CAR, "I've lost my licence so cancel it", "yes"),
    ("en", CAR, "the trains are running again please cancel it", "yes"),
    ("en", CAR, "please cancel it, I have to wait for the plumber", "yes"),
    ("en", SHOT, "yes please, crowded rooms give me the creeps", "yes"),
    ("en", RENTAL, "go ahead, our flight was cancelled", "yes"),
    ("de", WAGEN, "Ja, wegen der Grippe", "yes"),
    ("de", WAGEN, "ja machen sie das ich hab mir den fuß gebrochen", "yes"),
    ("de", WAGEN, "Brauche ich nicht mehr, also ja", "yes"),
    ("de", MIETE, "ja bitte verlängern am 3. fährt ja keine fähre", "yes"),
)
COMMENTS: Final = (
    # The customer is there, knows the thing, describes it, praises it, or answers another question.
    ("en", CAR, "yes I'm still on the phone", "not"),
    ("en", CAR, "Yes, my name is Silva", "not"),
    ("en", CAR, "yes I'm the driver", "not"),
    ("en", CAR, "go ahead, I'm listening", "not"),
    ("en", CAR, "yeah that's the red one", "not"),
    ("en", CAR, "yes, I'm coming", "not"),
    ("en", CAR, "of course it's a nice car", "not"),
    ("en", CAR, "yeah the lady there was great", "not"),
    ("en", CAR, "I agree that it's a pity", "not"),
    ("en", CAR, "I'm sure you're right", "not"),
    ("en", CAR, "okay cancelled", "not"),
    ("de", WAGEN, "ja ich bin noch dran", "not"),
    ("de", WAGEN, "Ja, das hab ich gelesen", "not"),
    ("de", WAGEN, "okay storniert", "not"),
    # Checks, questions, and answers that break off.
    ("en", SHOT, "so monday at quarter past nine right", "not"),
    ("en", CAR, "yes is that possible", "not"),
    ("en", CAR, "yes um the", "not"),
    ("en", CAR, "yes, well", "not"),
    ("de", WAGEN, "ja geht das denn", "not"),
    ("de", WAGEN, "ja also", "not"),
    # An order or a quotation in what is told, another value, a detail of what is new.
    ("en", CAR, "cancel it my wife says no", "no"),
    ("de", WAGEN, "bitte stornieren Sie meine Impfung am Dienstag", "not"),
    ("en", CAR, "please cancel my appointment for my son", "not"),
    ("en", CAR, "Yes, your eye test is over", "not"),
    ("en", CAR, "my boss wants me to cancel it", "not"),
    ("en", CAR, "my boss wants me to go ahead", "not"),
    ("en", CAR, "I want to cancel it but I'm not allowed to", "not"),
    ("en", SHOT, "book it for my wife", "not"),
    ("en", SHOT, "yes please, it's for my son", "not"),
    ("en", SHOT, "yes please, I could come at ten", "not"),
    ("de", MIETE, "ja bitte, für meine Frau", "not"),
    ("en", SHOT, "yes, for now", "not"),
)
PRAISE: Final = (
    # Praise in irony, praise of what another person wants, and what may only be known.
    ("en", CARD, "great, that means I can't pay for dinner any more", "not"),
    ("en", SHOT, "that would be perfect for my mother", "not"),
    ("en", RENTAL, "okay, we'll bring it back on the third", "not"),
    ("de", KARTE, "ja die Karte habe ich noch", "not"),
    ("de", MIETE, "einverstanden, wir bringen ihn am dritten zurück", "not"),
    ("en", CAR, "lovely little car, thank you", "not"),
    ("en", SHOT, "that'll do nicely", "yes"),
    ("de", MIETE, "Das trifft sich gut.", "yes"),
)
TOPICS: Final = (
    # What is said of one call, up to the name of the next.
    ("en", TWO, "the vaccination yes. the rental I'll decide on later", "first"),
    ("en", TWO, "just the vaccination please, I need the rental", "first"),
    ("en", TWO, "yes to the rental, but the vaccination I still want", "second"),
    ("en", TWO, "okay for the rental, the vaccination I need for my work", "second"),
    ("en", TWO, "the rental yes, and only if the vaccination can be cancelled too", "not"),
    ("en", TWO, "the vaccination yes, the rental, wait", "not"),
    ("en", TWO, "the vaccination yes, what about the rental?", "not"),
    ("en", TWO, "the vaccination and the rental", "not"),
    ("de", ZWEI, "Impfung ja, den Mietwagen brauche ich noch", "first"),
    ("de", ZWEI, "nur den Mietwagen, die Impfung lassen wir erst mal", "second"),
    ("de", ZWEI, "die Impfung ja, wenn auch der Mietwagen weg kann", "not"),
)
REFUSALS: Final = (
    # A no with a story; a message that wants something else instead is no plain no.
    ("en", CAR, "Yes, I know I asked, but my plans changed. Leave it.", "no"),
    ("en", CAR, "nope, my wife would kill me", "no"),
    ("en", CAR, "over my dead body", "no"),
    ("en", CAR, "no, the Fiat", "not"),
    ("de", WAGEN, "Bloß nicht!", "no"),
    ("de", WAGEN, "auf keinen Fall, der ist für die Hochzeit", "no"),
)


def test_a_story_next_to_a_clear_yes_changes_nothing() -> None:
    assert not wrong(ASIDES)


def test_a_reason_may_have_any_words() -> None:
    assert not wrong(REASONS)


def test_a_comment_next_to_a_yes_is_no_yes() -> None:
    assert not wrong(COMMENTS)


def test_praise_alone_is_a_yes_only_to_what_was_asked() -> None:
    assert not wrong(PRAISE)


def test_several_calls_are_read_one_by_one() -> None:
    assert not wrong(TOPICS)


def test_a_no_may_come_with_a_story() -> None:
    assert not wrong(REFUSALS)


def wrong(rows: tuple[tuple[str, tuple[str, ...], str, str], ...]) -> list[str]:
    """The rows that are read as something else."""
    told = ((row, taken_for(*row[:3])) for row in rows)
    return [
        f"{row[0]} {row[2]!r} is taken for {taken}, not {row[3]}" for row, taken in told if taken != row[3]
    ]


def taken_for(locale: str, clauses: tuple[str, ...], text: str) -> str:
    """What an answer to a question about these clauses is taken for."""
    words = shipped_book().words(locale).consent
    match read_answer(text, question_about(clauses, locale, words), words):
        case AgreedToAll():
            return "yes"
        case AgreedTo(calls=calls):
            return "first" if calls == frozenset({0}) else "second"
        case Declined():
            return "no"
        case _:
            return "not"
