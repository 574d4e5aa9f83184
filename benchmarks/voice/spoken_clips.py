"""What is said in the clips: finished sentences, sentences with a pause for thought, and what is dictated."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Literal, TypeAlias

from assistant.speech_ports import HEARD_RATE, Pcm
from benchmarks.voice.speakers import in_a_room, said

Kind: TypeAlias = Literal["finished", "paused", "dictated"]

PAUSES_S = (0.4, 0.6, 0.8, 1.0)
BEFORE_S, AFTER_S = 0.6, 3.5

FINISHED = (
    "Check my appointments and billing.",
    "When is my next appointment?",
    "Please cancel the appointment on Tuesday.",
    "Where is my parcel?",
    "What are your opening hours on Saturday?",
    "My glasses arrived broken.",
    "I would like to talk to a person.",
    "Do I have any open invoices?",
    "No, thank you.",
    "I want to update my email address.",
)
PAUSED = (
    ("I'd like to cancel my", "appointment on Tuesday."),
    ("Could you check my billing and", "my appointments please?"),
    ("I have a question about the", "invoice from last month."),
    ("I want to know when my", "glasses will be ready."),
    ("I would like to move my appointment to", "Friday afternoon."),
    ("I ordered some lenses last week but", "they have not arrived yet."),
    ("Um,", "can you tell me where my order is?"),
    ("I need to change", "my phone number."),
    ("Where is the", "parcel that you sent on Monday?"),
    ("I'd like to book an eye test for", "the fourth of December."),
    ("If the frame is too wide", "can I send it back?"),
    ("Hello,", "I was charged twice for the same order."),
)
NUMBER = "What is your order number?"
PHONE = "What is your phone number?"
EMAIL = "What is your email address?"
NAME = "Could you spell your last name?"
DICTATED = (
    (NUMBER, ("My order number is one zero", "four eight two.")),
    (NUMBER, ("one zero", "four eight two")),
    (NUMBER, ("It's one zero four,", "eight two.")),
    (PHONE, ("five five five,", "one two three,", "four five six seven.")),
    (PHONE, ("My phone number is four six,", "seven zero one two.")),
    (EMAIL, ("ana dot berg", "at example dot com.")),
    (EMAIL, ("It's ana at", "example dot com.")),
    (NAME, ("L I N D", "Q V I S T.")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One utterance in a quiet room, after the assistant's ``question``. Its last sound is at ``ends_s``."""

    speaker: str
    kind: Kind
    words: str
    pause_s: float
    question: str
    sound: Pcm
    ends_s: float


async def clips(speaker: str) -> AsyncIterator[Clip]:
    """Thirty, in one voice."""
    for kind, question, parts, pause_s in _all():
        sounds = [await said(part, speaker) for part in parts]
        spoken = bytes(2 * round(pause_s * HEARD_RATE)).join(sounds)
        before, after = (bytes(2 * round(seconds * HEARD_RATE)) for seconds in (BEFORE_S, AFTER_S))
        yield Clip(
            speaker=speaker,
            kind=kind,
            words=" ... ".join(parts),
            pause_s=pause_s,
            question=question,
            sound=in_a_room(before + spoken + after),
            ends_s=BEFORE_S + len(spoken) / 2 / HEARD_RATE,
        )


def _all() -> Iterator[tuple[Kind, str, tuple[str, ...], float]]:
    for text in FINISHED:
        yield "finished", "", (text,), 0.0
    for parts, pause_s in zip(PAUSED, cycle(PAUSES_S), strict=False):
        yield "paused", "", parts, pause_s
    for (question, parts), pause_s in zip(DICTATED, cycle(PAUSES_S), strict=False):
        yield "dictated", question, parts, pause_s
