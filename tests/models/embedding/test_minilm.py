"""The embedded embedding model: passages and questions."""

import struct

from assistant.conversation.documents import Vector
from assistant.models.embedder import MiniLm
from assistant.models.minilm import embed


def nearness(one: Vector, two: Vector) -> float:
    pairs = zip(struct.unpack("<384f", one), struct.unpack("<384f", two), strict=True)
    return sum(a * b for a, b in pairs)


async def test_a_question_is_nearest_to_the_passage_that_answers_it() -> None:
    minilm = MiniLm()
    question, returns, cleaning = await minilm.embed(
        [
            "Can I send this back after three weeks?",
            "You can send back anything you bought from us within thirty days of its delivery.",
            "Lenses are best cleaned with lukewarm water and a drop of soap.",
        ]
    )
    assert (minilm.name, minilm.width, len(question)) == ("offline", 384, 4 * 384)
    assert nearness(question, question) > 0.999
    assert nearness(question, returns) > nearness(question, cleaning) + 0.2
    assert await minilm.embed([]) == []


async def test_the_end_of_a_passage_counts_and_short_texts_equal_clauses() -> None:
    words = "You can send back anything you bought from us within thirty days. " * 7
    whole, cut, short = await MiniLm().embed([words + "Lenses like soap.", words, "Lenses like soap."])

    assert nearness(whole, cut) < 0.999
    assert nearness(short, embed(["Lenses like soap."])[0].tobytes()) > 0.999
