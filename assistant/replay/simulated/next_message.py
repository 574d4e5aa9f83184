"""What a simulated customer says next."""

import re
from collections.abc import Sequence
from datetime import date

from assistant.conversation.transcript import Line
from assistant.conversation.views import View
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import SimulatedCustomerPart
from assistant.prompts.language import name_of
from assistant.replay.simulated.actor import Actor
from assistant.replay.simulated.customer import Left, SimulatedCustomer, SimulatorFailed
from assistant.replay.simulated.swapped import swapped

END_MARK = "[END]"
"""What the model is asked to write when the customer has nothing more to say."""

LONGEST = 1000
"""So many characters a message may have; customers write less, and models that forget their part write more."""

_SAME = 2
"""So often one message may be said."""

_END = re.compile(r"\[\s*end\s*\]", re.IGNORECASE)


async def next_message(
    customer: SimulatedCustomer,
    transcript: Sequence[Line],
    actor: Actor,
    book: PromptBook,
    *,
    today: date,
    locale: str = "en",
) -> str | Left:
    """Let the model write the customer's next message; it leaves when there is nothing more to say.

    A farewell that the end mark follows is said first.

    Args:
        customer: whom to play.
        transcript: everything said so far.
        actor: the model that plays.
        book: has the instructions, and the greeting that a customer sees first.
        today: the day on which the conversation takes place.
        locale: the language of their page.

    Raises:
        SimulatorFailed: the model failed, wrote nothing, or far too much.
    """
    own = [_plain(line.text) for line in transcript if line.speaker == "customer"]
    if len(own) >= customer.most_messages:
        return Left("most_messages")
    written = await actor.reply(
        View(
            book.render(_part(customer, today, locale)),
            (swapped(book.voice.in_locale(locale).greeting, transcript),),
        )
    )
    text = _END.sub("", written).strip()
    if _END.search(written) and own and (not _plain(text) or _plain(text) in own):
        return Left("done")
    return _checked(text, own)


def _part(customer: SimulatedCustomer, today: date, locale: str) -> SimulatedCustomerPart:
    return SimulatedCustomerPart(
        persona=customer.persona,
        goal=customer.goal,
        facts=tuple(customer.facts.items()),
        end_mark=END_MARK,
        language=name_of(locale),
        today=today,
    )


def _checked(text: str, own: Sequence[str]) -> str | Left:
    if not text:
        what = "a message" if own else "their first message"
        raise SimulatorFailed(f"who plays the customer wrote nothing, where {what} was due")
    if len(text) > LONGEST:
        raise SimulatorFailed(
            f"who plays the customer wrote {len(text)} characters, of {LONGEST} that a message may have:"
            f" {text[:80]!r}..."
        )
    return Left("circles") if own.count(_plain(text)) >= _SAME else text


def _plain(text: str) -> str:
    """What makes two messages the same: their words, or else their signs.

    >>> _plain("Yes,  please!") == _plain("yes please"), _plain("**"), _plain("?")
    (True, '', '?')
    """
    return " ".join(re.findall(r"\w+", text.casefold())) or text.strip("*_`\"'. \n")
