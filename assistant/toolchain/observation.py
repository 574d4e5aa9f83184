"""Results as a model reads them: one section for each call, within one observation."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from assistant.conversation.outcomes import Standing
from assistant.formats.results import text_with_captions
from assistant.formats.tools import wire_name
from assistant.sections.nonce import coded
from assistant.sections.text_format import TextFormat

OBSERVATION: Final = "observation"
"""The section that only we write."""


def observation(
    text_format: TextFormat, outcomes: Sequence[Standing], code: str = "", seen: Collection[str] = ()
) -> str:
    """The outcomes as sections, in their order, each named after its tool; "" for none.

    ``seen`` are the types of media that the model is shown beside them.
    """
    told = (text_with_captions(outcome, seen) for outcome in outcomes)
    sections = zip(_names(outcomes), told, strict=True)
    return text_format.wrap(coded(OBSERVATION, code), sections)


def _names(outcomes: Sequence[Standing]) -> Iterator[str]:
    """Each call's tool; from its second call on with the number of the call."""
    seen = Counter[str]()
    for outcome in outcomes:
        name = wire_name(outcome.call.tool)
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"
