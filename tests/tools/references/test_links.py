"""Every reference means one call of its decision, or is a fault of its own call alone."""

from assistant.conversation.calls import Call
from assistant.conversation.values import Json
from assistant.tools.references import Reference, link_references
from tests.support.rows import check_rows


def decision(*calls: str | tuple[str, *tuple[str, ...]]) -> list[Call]:
    """Calls c1.1, c1.2 ...: each a tool's name, or the name and what its arguments refer to."""
    made: list[Call] = []
    for number, call in enumerate(calls, start=1):
        tool, *refers_to = (call,) if isinstance(call, str) else call
        arguments: dict[str, Json] = {f"a{place}": {"$from": one} for place, one in enumerate(refers_to)}
        made.append(Call(id=f"c1.{number}", tool=tool, arguments=arguments))
    return made


def test_a_reference_means_a_call_before_or_after_it() -> None:
    links = link_references(decision(("b", "c"), "c", ("d", "c", "b")))

    assert links.faults == {}
    assert links.sources == {
        "c1.1": {Reference("c"): "c1.2"},
        "c1.3": {Reference("c"): "c1.2", Reference("b"): "c1.1"},
    }
    assert links.needed_by("c1.3") == {"c1.1", "c1.2"}
    assert links.needed_by("c1.2") == frozenset()


def test_numbers_distinguish_calls_of_one_tool() -> None:
    links = link_references(decision("find", "find", ("show", "find#2"), ("show", "find#1")))

    assert [*links.sources["c1.3"].values(), *links.sources["c1.4"].values()] == ["c1.2", "c1.1"]


def test_a_call_cannot_mean_itself_so_the_only_other_is_meant() -> None:
    assert link_references(decision("find", ("find", "find"))).sources["c1.2"] == {Reference("find"): "c1.1"}


def test_a_name_with_dots_may_be_written_as_models_see_it() -> None:
    links = link_references(decision("crm.find", ("show", "crm_find"), ("show", "crm.find")))

    assert links.faults == {}
    assert [*links.sources["c1.2"].values(), *links.sources["c1.3"].values()] == ["c1.1", "c1.1"]


@check_rows(
    ("calls", "said"),
    [
        (
            ["find", ("show", "search")],
            "'search' is not called in this decision. Called are: find, show. A result that you have seen already "
            "is written out, as the value itself",
        ),
        (["find", "find", ("show", "find")], 'called 2 times in this decision; write "find#1" or "find#2"'),
        (["find", ("show", "find#2")], "there is no 'find#2': 'find' is called once in this decision"),
        (["find", ("show", "find#0")], "there is no 'find#0'"),
        ([("show", "show")], "'show' refers to its own result"),
        (["show", ("show", "show#2")], "'show#2' refers to its own result"),
    ],
)
def test_a_reference_to_no_call_is_a_fault_of_its_own_call(
    calls: list[str | tuple[str, *tuple[str, ...]]], said: str
) -> None:
    made = decision(*calls)

    links = link_references(made)

    assert list(links.faults) == [made[-1].id]
    assert said in str(links.faults[made[-1].id])


def test_every_member_of_a_circle_has_the_fault_and_no_other_call() -> None:
    links = link_references(decision(("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), "e"))

    assert set(links.faults) == {"c1.1", "c1.2", "c1.3"}
    assert "'a', 'b', 'c' wait for one another" in str(links.faults["c1.1"])
    assert links.sources["c1.4"] == {Reference("a"): "c1.1"}
