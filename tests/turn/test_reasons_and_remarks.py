"""Answers with more than a yes or no: reasons, praise, backchannels, shifted days, and farewells.

The questions are those of ``test_answers``: A cancels an eye test on Tuesday, O an order, B both; M moves the
test from Tuesday to Thursday; K books one on Wednesday at 3 pm. "not": it agrees to nothing.
"""

from typing import Final

from tests.turn.test_answers import ALSO_RIGHT, read, taken_for

REASONS: Final = (
    # A reason before the answer, after it, and without a pause between them.
    ("en", "A", "My car broke down, so cancel it.", "yes"),
    ("en", "A", "I have the flu so yes cancel it please", "yes"),
    ("en", "A", "Yes please, I have to work that day.", "yes"),
    ("en", "A", "Yes, cancel it, I start a new job on Monday.", "yes"),
    ("en", "A", "yes cancel it I lost my job", "yes"),
    ("en", "A", "Yes cancel it because my mother is in hospital.", "yes"),
    ("en", "A", "my car broke down yes cancel it", "yes"),
    ("en", "A", "my car insurance yes cancel it", "not"),  # it may be what is agreed to
    ("en", "B", "cancel both I lost my job", "yes"),
    ("en", "B", "Yes to both, we are moving to Spain.", "yes"),
    ("en", "O", "Yes, I found my old ones.", "yes"),
    ("en", "O", "Yes, because I found my old ones.", "yes"),
    ("en", "O", "yes I'm still here", "not"),
    ("en", "A", "Yes please, a copy of my invoice would be nice", "not"),
    ("en", "B", "Yes, both appointments", "not"),
    ("de", "O", "Das ist noch kein Ja.", "not"),
    ("de", "A", "dazu sag ich im Leben nicht ja", "not"),
    ("de", "M", "Donnerstag klingt gut ich frag eben noch meine Frau", "not"),
    ("en", "A", "No, I still need it.", "no"),
    ("en", "A", "No thanks, my eyes are getting worse.", "no"),
    ("en", "A", "Cancel it if my doctor agrees.", "not"),
    ("en", "A", "Yes, but only if there is no fee.", "not"),
    ("en", "A", "My husband said yes.", "not"),
    ("en", "A", "They cancelled it already.", "not"),
    ("en", "A", "yes I want to keep it", "not"),
    ("de", "A", "Ich bin krank, bitte sagen Sie ihn ab.", "yes"),
    ("de", "A", "Ja bitte, mein Auto ist kaputt.", "yes"),
    ("de", "A", "Ja, absagen, weil ich arbeiten muss.", "yes"),
    ("de", "B", "Ja, beides stornieren, wir ziehen um.", "yes"),
    ("de", "A", "Nein, ich brauche ihn noch.", "no"),
    ("de", "A", "Ja, wenn es nichts kostet.", "not"),
    ("de", "A", "Meine Frau sagt ja.", "not"),
)
HEARD: Final = (
    # With a mere yes before it, this may only say that the customer knows of the thing.
    ("en", "A", "Yes, I have it on Tuesday.", "not"),
    ("en", "A", "yeah I remember that", "not"),
    ("en", "A", "Yes, it is in my calendar.", "not"),
    ("en", "A", "Yes, I'll be there.", "not"),
    ("en", "A", "Yes, I go there on Tuesday.", "not"),
    ("de", "A", "Ja, da gehe ich hin.", "not"),
    ("de", "K", "Ja, da muss ich arbeiten.", "not"),
    ("de", "A", "ja, da bin ich", "not"),
    ("en", "A", "Yes, you told me.", "not"),
    ("en", "M", "Yes, I know it is on Tuesday.", "not"),
    ("en", "A", "Yes please, it is too early for me.", "yes"),
    ("de", "A", "Ja, das weiß ich.", "not"),
    ("de", "A", "Ja, steht im Kalender.", "not"),
    ("de", "A", "Ja, verstanden, der ist am Dienstag.", "not"),
)
PRAISE: Final = (
    # Praise of a thing is no order to end it; of a new state, it is a yes.
    ("en", "A", "Tuesday is lovely.", "not"),
    ("en", "A", "Great, it suits me.", "not"),
    ("en", "O", "Yeah, my sunglasses are so pretty, aren't they", "not"),
    ("en", "B", "The order, yes, cancel it. The eye test: I'm happy with it as it is", "second"),
    ("en", "C", "Yes, a colleague of yours changed my phone number last week.", "not"),
    ("en", "C", "The e-mail address is correct", "not"),
    ("en", "B", "The order number is right", "not"),
    ("en", "C", "ana at new dot example that's mine yes", "not"),
    ("de", "K", "fünfzehn uhr ja da bin ich ja noch in der arbeit", "not"),
    ("de", "M", "Donnerstag ist super, da hab ich frei", "yes"),
    ("en", "A", "Perfect, looking forward to it.", "not"),
    ("en", "A", "Wonderful, I'll be there.", "not"),
    ("en", "A", "Perfect.", "yes"),
    ("en", "M", "Thursday suits me.", "yes"),
    ("en", "M", "Tuesday suits me.", "not"),
    ("en", "M", "Thursday it is.", "yes"),
    ("en", "K", "Wednesday is perfect.", "yes"),
    ("de", "A", "Dienstag passt mir gut.", "not"),
    ("de", "A", "Super, ich freue mich.", "not"),
    ("de", "M", "Donnerstag passt mir.", "yes"),
    ("de", "M", "Dienstag passt mir.", "not"),
)
SHIFTS: Final = (
    # From Tuesday 24 to Thursday 26 are two days.
    ("en", "M", "Yes, two days later.", "yes"),
    ("en", "M", "Yes, a week later.", "not"),
    ("en", "M", "Yes, the day after.", "not"),
    ("en", "A", "Yes, a week later.", "not"),
    ("de", "M", "Ja, zwei Tage später.", "yes"),
    ("de", "M", "Ja, eine Woche später.", "not"),
)
FIRM: Final = (
    # After a firm yes, a question about something else may follow; it never may about the same thing.
    ("en", "A", "Go ahead. Do you have an opening next month?", "yes"),
    ("en", "A", "Yes, cancel it. Do you sell contact lenses?", "yes"),
    ("en", "A", "Go ahead. What does that cost?", "not"),
    ("en", "A", "Yes. Is it free?", "not"),
    ("en", "A", "So yes.", "yes"),
    ("en", "A", "I'm ill, so yes.", "yes"),
    ("en", "A", "Yes, cancel that.", "yes"),
    ("en", "A", "Cancel that.", "no"),
    ("en", "M", "Cancel that.", "not"),
    ("en", "M", "Yes, cancel that.", "not"),
    ("en", "O", "Stop the order.", "yes"),
)
CLOSINGS: Final = (
    ("en", "A", "Yes please, bye.", "yes"),
    ("en", "A", "Yes, bye.", "not"),
    ("en", "A", "Great, bye!", "not"),
    ("en", "A", "Yes please. Kind regards", "yes"),
    ("en", "A", "That's all, thanks.", "not"),
    ("en", "A", "🤔🤔🤔", "hold"),
    ("de", "A", "Ja bitte, tschüss.", "yes"),
    ("de", "A", "Ja bitte, freundliche Grüße", "yes"),
    ("de", "A", "Tschüss!", "not"),
)
PARTICLES: Final = (
    # "Ja" inside a statement agrees to nothing; alone, first or last it does.
    ("de", "A", "Das fällt ja aus.", "not"),
    ("de", "A", "Der Termin ist ja am Dienstag.", "not"),
    ("de", "A", "Mein Zug fährt ja am Dienstag.", "not"),
    ("de", "A", "Ja.", "yes"),
    ("de", "A", "Absagen, ja.", "yes"),
)


def test_remarks_are_separated_from_the_answer() -> None:
    rows = (*REASONS, *HEARD, *PRAISE, *SHIFTS, *FIRM, *CLOSINGS, *PARTICLES)
    told = [(row, taken_for(read(row[2], row[1], row[0]))) for row in rows]
    wrong = [f"{row} is taken for {as_}" for row, as_ in told if as_ not in ALSO_RIGHT.get(row[3], {row[3]})]

    assert not wrong, "\n".join(wrong)
