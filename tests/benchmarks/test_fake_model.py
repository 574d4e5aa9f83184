"""The benchmarks' model answers when the results have come, as a real model does."""

import pytest

from benchmarks.fake_model import ends_with_results

ASKED = {"role": "user", "content": "Check my appointments"}
CALLED = {"role": "assistant", "tool_calls": [{"id": "call_0"}]}
RESULT = {"role": "tool", "tool_call_id": "call_0", "content": "[]"}
TOLD = {"role": "assistant", "content": "You have no appointment."}


@pytest.mark.parametrize("role", ["user", "system"])
def test_instructions_after_results_ask_for_an_answer(role: str) -> None:
    assert ends_with_results([ASKED, CALLED, RESULT, {"role": role, "content": "Be brief."}])


def test_the_next_question_asks_for_a_decision() -> None:
    assert not ends_with_results([ASKED])
    assert not ends_with_results([ASKED, CALLED, RESULT, TOLD, ASKED])
