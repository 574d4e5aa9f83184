"""Good answers, with values that people calculate from known ones, are shown unchanged."""

from collections.abc import Iterator
from pathlib import Path

from tests.turn.guardrails.test_told import ARGUMENTS, TRADES
from tests.turn.guardrails.trades import Step, Trade, narrate


def conversations() -> Iterator[tuple[Trade, str, list[Step]]]:
    """The rows of the file; one that begins with "+" goes on with the conversation before it."""
    found: list[tuple[Trade, str, list[Step]]] = []
    for line in Path(__file__).with_name("good.tsv").read_text().splitlines()[1:]:
        trade, locale, tools, say, text = line.split("\t")
        calls = [
            (name, {"question": say} if name == "search_documents" else ARGUMENTS.get(name, {}))
            for name in tools.split(",")
            if name
        ]
        step = Step(say=say, calls=calls, text=text.replace("\\n", "\n"))
        if trade == "+":
            found.append((found[-1][0], locale, [*found[-1][2], step]))
        else:
            found.append((TRADES[trade](), locale, [step]))
    yield from found


def test_no_good_answer_is_changed() -> None:
    changed = [
        f"{steps[-1].text!r}\n   shown {told.shown!r}\n   kept {told.kept}"
        for trade, locale, steps in conversations()
        if (told := narrate(trade, steps, locale)).shown != steps[-1].text
    ]

    assert not changed, f"{len(changed)} of them:\n" + "\n".join(changed)
