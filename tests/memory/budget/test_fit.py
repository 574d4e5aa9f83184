"""What is left out if a budget is too small for everything, and what always stays."""

import time
from collections.abc import Iterator, Sequence

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallStatus,
    CallSucceeded,
)
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.formats.tools import result_text
from assistant.memory.budget import Budget, RequestLimits, cut_huge_results, fit_view
from assistant.memory.token_sizes import PER_PICTURE, turn_tokens
from assistant.models.tokens import Estimate

COUNTER = Estimate()
PICTURE = Media(mime="image/png", data="iVBO", name="router.png")
SYSTEM = "Be brief."


def said(number: int, words: int = 40) -> TurnView:
    return TurnView((FromCustomer(f"Question {number}?"), FromAssistant("word " * words)))


def looked_up(*outcomes: CallStatus) -> TurnView:
    asked = FromAssistant("", tuple(one.call for one in outcomes))
    return TurnView((FromCustomer("What do I owe?"), asked, FromTools(outcomes)))


def call(number: int) -> Call:
    return Call(id=f"c1.{number}", tool="get_invoices")


def found(number: int, value: object, *media: Media) -> CallSucceeded:
    return CallSucceeded(call=call(number), value=value, media=media)  # type: ignore[arg-type]


def fitted(earlier: Sequence[TurnView], now: TurnView, tokens: int, tools: tuple[ToolSpec, ...] = ()) -> View:
    within = RequestLimits(budget=Budget(tokens=tokens, counter=COUNTER), tools=tools, ref="whole {}".format)
    return fit_view(View(SYSTEM, (now,), "late"), len(earlier), reversed(earlier), within)


def size(view: View, tools: tuple[ToolSpec, ...] = ()) -> int:
    frame = Budget(tokens=0, counter=COUNTER).sizes.frame(view.system, view.late, tools)
    return frame + sum(turn_tokens(turn, COUNTER) for turn in view.turns)


def results(view: View) -> list[CallStatus]:
    return [one for said in view.messages if isinstance(said, FromTools) for one in said.outcomes]


def test_a_whole_conversation_is_sent_if_it_fits() -> None:
    earlier, now = [said(1), said(2)], said(3)
    whole = View(SYSTEM, (*earlier, now), "late")

    assert fitted(earlier, now, size(whole)) == whole


def test_the_oldest_turns_are_left_out_first_and_as_a_whole() -> None:
    earlier, now = [said(1), said(2), said(3)], said(4)
    whole = size(View(SYSTEM, (*earlier, now), "late"))

    assert fitted(earlier, now, whole - 1).turns == (*earlier[1:], now)
    assert fitted(earlier, now, whole - turn_tokens(earlier[0], COUNTER) - 1).turns == (earlier[2], now)


def test_tools_and_instructions_count_too() -> None:
    earlier, now = [said(1), said(2)], said(3)
    tools = (ToolSpec(name="find", description="Finds it. " * 10, parameters={}),)
    whole = View(SYSTEM, (*earlier, now), "late")

    assert fitted(earlier, now, size(whole, tools), tools) == whole
    assert fitted(earlier, now, size(whole, tools) - 1, tools).turns == (earlier[1], now)


def test_in_a_long_conversation_requests_begin_with_the_same_turn() -> None:
    turns = [said(number) for number in range(10, 90)]
    tokens = 20 * turn_tokens(turns[0], COUNTER) + 200

    first = [fitted(turns[:count], turns[count], tokens).turns[0] for count in range(30, 79)]

    assert len(set(map(id, first))) <= 49 / 4 + 1
    fitting = [len(fitted(turns[:count], turns[count], tokens).turns) for count in range(30, 79)]
    assert max(fitting) - 4 < min(fitting)


def test_no_more_turns_are_read_than_fit() -> None:
    seen: list[int] = []

    def newest_first() -> Iterator[TurnView]:
        for number in range(500):
            seen.append(number)
            yield said(number)

    within = RequestLimits(budget=Budget(tokens=1_000, counter=COUNTER), ref=str)
    fit_view(View(SYSTEM, (said(0),)), 500, newest_first(), within)

    assert len(seen) < 20


def test_a_result_of_five_megabytes_becomes_a_reference_quickly() -> None:
    value = [{"number": f"INV-{number}", "note": "n" * 80} for number in range(45_000)]
    now = looked_up(found(1, value), found(2, {"open": 3}))

    began = time.process_time()
    view = fitted([said(1), said(2)], now, 4_000)
    took = time.process_time() - began

    large, small = results(view)
    assert isinstance(large, CallSucceeded)
    assert large.full_ref == "whole c1.1"
    assert "INV-0" in result_text(large)
    assert "INV-44999" in result_text(large)
    assert small == found(2, {"open": 3})
    assert len(view.turns) == 3  # a quarter of the room is left to what was said before
    assert 2_000 < size(view) <= 4_000
    assert took < 1  # 0.05 s alone on a desk; half a minute, if all of it were counted


def test_a_long_text_keeps_its_beginning_and_end() -> None:
    view = fitted([], looked_up(found(1, "begin " + "x" * 5_000_000 + " end")), 2_000)

    (cut,) = results(view)
    assert isinstance(cut, CallSucceeded)
    assert str(cut.value).startswith("begin ")
    assert str(cut.value).endswith(" end")
    assert 1_000 < size(view) <= 2_000


def test_large_results_share_the_space_that_small_ones_leave() -> None:
    now = looked_up(found(1, "a " * 9_000), found(2, "small"), found(3, "b " * 5_000))

    one, two, three = results(fitted([], now, 3_000))

    assert two == found(2, "small")
    assert 0.8 < len(result_text(one)) / len(result_text(three)) < 1.25


def test_a_shortened_result_keeps_the_reference_of_the_full_one() -> None:
    shown = CallSucceeded(call=call(1), value="a " * 9_000, full_ref="result:1/t1/c1.1")

    (cut,) = results(fitted([], looked_up(shown), 1_000))

    assert isinstance(cut, CallSucceeded)
    assert cut.full_ref == "result:1/t1/c1.1"


def test_the_oldest_pictures_are_left_out_first_and_named() -> None:
    now = looked_up(
        found(1, "x", PICTURE), found(2, "y", PICTURE, Media(mime="text/csv", data="QQ=="), PICTURE)
    )

    first, second = results(fitted([], now, 3 * PER_PICTURE))

    assert isinstance(first, CallSucceeded)
    assert isinstance(second, CallSucceeded)
    assert (first.media, len(second.media)) == ((), 3)
    assert (first.omitted, first.full_ref) == (("router.png",), "whole c1.1")
    first, second = results(fitted([], now, 2 * PER_PICTURE))
    assert isinstance(second, CallSucceeded)
    assert [media.mime for media in second.media] == ["text/csv", "image/png"]


def test_pictures_get_half_of_the_space_if_results_want_all_of_it() -> None:
    now = looked_up(found(1, "a " * 50_000, PICTURE, PICTURE, PICTURE))

    (cut,) = results(fitted([], now, 10_000))

    assert isinstance(cut, CallSucceeded)
    assert len(cut.media) == 1  # of three quarters of 10,000, half
    assert len(result_text(cut)) > 5_000


@pytest.mark.parametrize(
    "failed",
    [
        CallFailed(call=call(1), say="no", for_model="first " + "x" * 90_000 + " last"),
        CallDenied(call=call(1), say="no", for_model="first " + "x" * 90_000 + " last"),
        CallCancelled(call=call(1), why="first " + "x" * 90_000 + " last"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_long_reason_keeps_its_beginning_and_end(failed: CallStatus) -> None:
    view = fitted([], looked_up(failed), 1_000)

    (cut,) = results(view)
    assert type(cut) is type(failed)
    assert "first " in result_text(cut)
    assert result_text(cut).endswith(" last")
    assert size(view) <= 1_000


def test_if_nothing_fits_the_smallest_view_is_sent() -> None:
    now = looked_up(found(1, "a " * 9_000, PICTURE), CallEmpty(call=call(2)), found(3, [1, 2]))

    view = fitted([said(1)], now, 10)

    assert len(view.turns) == 1
    assert view.turns[0].messages[:2] == now.messages[:2]
    large, empty, small = results(view)
    assert isinstance(large, CallSucceeded)
    assert len(str(large.value)) <= 64
    assert large.media == ()
    assert (empty, small) == (CallEmpty(call=call(2)), found(3, [1, 2]))


def test_parts_that_can_never_fit_are_not_read() -> None:
    value = [{"number": f"INV-{number}"} for number in range(200_000)]
    small = looked_up(found(1, {"open": 3}), CallEmpty(call=call(2)))

    began = time.process_time()
    now = cut_huge_results(looked_up(found(1, value), found(2, [1])), 1_000, "whole {}".format)
    took = time.process_time() - began

    (told,) = (said for said in now.messages if isinstance(said, FromTools))
    large, other = told.outcomes
    assert 1_000 < len(result_text(large)) < 10_000
    assert isinstance(large, CallSucceeded)
    assert large.full_ref == "whole c1.1"
    assert other == found(2, [1])
    assert took < 0.5  # a hundredth of that alone on a desk
    assert cut_huge_results(small, 1_000, str) is small


def test_pictures_take_no_space_that_minimal_results_need() -> None:
    many = [found(number, "a " * 200) for number in range(1, 500)]
    now = looked_up(found(500, "x", PICTURE, PICTURE), *many)
    smallest = size(fitted([], now, 10))

    assert size(fitted([], now, smallest)) <= smallest


def test_a_result_smaller_than_its_shortened_form_stays() -> None:
    short = found(1, "word " * 14)

    (told,) = results(fitted([], looked_up(short), 10))

    assert told == short


def test_a_shortened_result_keeps_its_name_when_its_pictures_go() -> None:
    shown = CallSucceeded(call=call(1), value="x", media=(PICTURE,), full_ref="result:1/t1/c1.1")

    (told,) = results(fitted([], looked_up(shown), 1_000))

    assert told == CallSucceeded(
        call=call(1), value="x", omitted=("router.png",), full_ref="result:1/t1/c1.1"
    )
