"""The beginning of an acknowledgement fits the customer's message."""

from assistant.prompts.acknowledgement import Register
from assistant.prompts.book import shipped_book
from assistant.turn.acknowledge import register_for
from tests.support.rows import check_rows

WORDS = shipped_book().words("en")


@check_rows(
    ("message", "register"),
    [
        ("Check my appointments and billing", "request"),
        ("Please look up order 4711.", "request"),
        ("opening hours", "request"),
        ("", "request"),
        ("Can you check my order?", "question"),
        ("hi, could you check my order", "question"),
        ("Hello! When are you open", "question"),
        ("My order is 4711. Where is it?", "question"),
        ("do I owe you anything", "question"),
        ("Good morning, what's my balance", "question"),
        ("My order still hasn't arrived!", "complaint"),
        ("This is unacceptable, where is my order?", "complaint"),
        ("Cancel my Tuesday appointment and tell me what I owe", "effect"),
        ("Could you reschedule my eye test?", "effect"),
        ("Can I get a refund?", "question"),
        ("How do I cancel an appointment", "question"),
        ("What does it cost to move my appointment?", "question"),
        ("What do I owe? And cancel my appointment.", "effect"),
    ],
)
def test_the_register_follows_the_message(message: str, register: Register) -> None:
    assert register_for(message, round_=1, has_write=False, words=WORDS) == register


GERMAN = shipped_book().words("de")


@check_rows(
    ("message", "register"),
    [
        ("Prüfen Sie bitte meine Termine und Rechnungen", "request"),
        ("Bestellung 10482 bitte", "request"),
        ("Öffnungszeiten", "request"),
        ("Können Sie meine Bestellung prüfen?", "question"),
        ("Hallo, könnten Sie meine Bestellung prüfen", "question"),
        ("Guten Tag! Wann haben Sie geöffnet", "question"),
        ("Meine Bestellung ist die 10482. Wo ist sie?", "question"),
        ("Entschuldigung, wie hoch ist mein Saldo", "question"),
        ("Meine Bestellung ist immer noch nicht da!", "complaint"),
        ("Das ist eine Frechheit, wo ist mein Paket?", "complaint"),
        ("Meine Brille ist kaputt", "complaint"),
        ("Ich möchte meinen Termin am Dienstag absagen", "effect"),
        ("Sagen Sie meinen Termin ab und sagen Sie mir, was ich schulde", "effect"),
        ("Könnten Sie meinen Sehtest verschieben?", "effect"),
        ("Wie kann ich meinen Termin absagen?", "question"),
        ("Bekomme ich eine Erstattung?", "question"),
    ],
)
def test_the_register_follows_a_german_message_too(message: str, register: Register) -> None:
    assert register_for(message, round_=1, has_write=False, words=GERMAN) == register


def test_a_side_effect_does_not_begin_like_a_request() -> None:
    assert register_for("Do it for me", round_=1, has_write=True, words=WORDS) == "effect"
    assert register_for("I'm disappointed", round_=1, has_write=True, words=WORDS) == "complaint"


def test_a_later_round_continues_in_the_same_register() -> None:
    assert register_for("Why is it broken?", round_=2, has_write=True, words=WORDS) == "later"
