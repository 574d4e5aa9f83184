"""Tasks are read from YAML; each mistake is reported with its file, line and field."""

import re
from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.evaluation.report import report
from assistant.evaluation.results import Row
from assistant.evaluation.summary import summarise
from assistant.evaluation.tasks import (
    Added,
    Changed,
    Confirms,
    Removed,
    Says,
    SimulatedCustomer,
    Task,
    load_tasks,
)
from tests.docs.pages import page

GOOD = """
defaults:
  now: 2026-11-21T10:00
  before: [{tool: open_books}]
tasks:
  - id: first
    about: words for people
    messages:
      - Hello
      - {say: "Yes, please", when: asked}
      - confirm: yes
      - confirm: no
    changes:
      - {table: orders, row: 10, changed: {amount: 120.00, day: 2026-11-21}}
      - {table: orders, added: {}}
      - {table: orders, removed: 7}
    must: [one, [two, "/th?ree/"]]
  - id: second
    now: 2026-11-22T09:00
    messages: [Hello]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program runs, with a folder of tasks."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").mkdir()
    return tmp_path


def mistakes(text: str) -> list[str]:
    """What is said of a file ``tasks/t.yaml``."""
    Path("tasks/t.yaml").write_text(text)
    with pytest.raises(DeclarationError) as refused:
        load_tasks(["tasks/t.yaml"])
    return str(refused.value).splitlines()


def with_task(*lines: str) -> str:
    return "\n".join(["tasks:", "  - id: a", "    now: 2026-11-21T10:00", *(f"    {line}" for line in lines)])


def test_everything_is_a_text_whatever_it_looks_like(folder: Path) -> None:
    Path("tasks/t.yaml").write_text(GOOD)

    first, second = load_tasks([])

    assert first.messages == (
        Says(say="Hello"),
        Says(say="Yes, please", when="asked"),
        Confirms(confirm="yes"),
        Confirms(confirm="no"),
    )
    assert first.changes == (
        Changed(table="orders", row="10", changed={"amount": "120.00", "day": "2026-11-21"}),
        Added(table="orders", added={}),
        Removed(table="orders", removed="7"),
    )
    assert first.must == (("one",), ("two", "/th?ree/"))
    assert (first.now.day, second.now.day) == (21, 22)
    assert second.before[0].tool == "open_books"


def test_tasks_are_chosen_by_file_folder_or_id(folder: Path) -> None:
    Path("tasks/t.yaml").write_text(GOOD)
    Path("more.yaml").write_text(with_task("messages: [Hi]"))

    assert [task.id for task in load_tasks(["second"])] == ["second"]
    assert [task.id for task in load_tasks(["tasks"])] == ["first", "second"]
    assert [task.id for task in load_tasks(["more.yaml"])] == ["a"]
    assert [task.id for task in load_tasks(["first", "more.yaml"])] == ["a", "first"]


def test_without_its_own_folder_the_demo_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert "cancel-and-balance" in [task.id for task in load_tasks([])]


def test_descriptive_texts_do_not_change_the_task(folder: Path) -> None:
    Path("tasks/t.yaml").write_text(GOOD)
    before = load_tasks(["first"])[0]
    Path("tasks/t.yaml").write_text(GOOD.replace("words for people", "other words"))
    same = load_tasks(["first"])[0]
    Path("tasks/t.yaml").write_text(GOOD.replace("Yes, please", "Yes"))
    other = load_tasks(["first"])[0]

    assert before.digest == same.digest
    assert before.digest != other.digest


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tasks: [", "tasks/t.yaml:1: no YAML: expected the node content, but found '<stream end>'"),
        ("tasks: \x07", "tasks/t.yaml:1: no YAML: "),
        ("a\n: b: c", "tasks/t.yaml:2: no YAML: "),
        ("", "tasks/t.yaml:1: the file needs a list 'tasks'"),
        ("tasks: {a: b}", "tasks/t.yaml:1: the file needs a list 'tasks'"),
        ("defaults: no\ntasks: []", "tasks/t.yaml:1: defaults is a mapping of a task's fields"),
        ("\nother: 1\ntasks: []", "tasks/t.yaml:2: 'other' is not known here; write defaults or tasks"),
        ("tasks:\n  - hello", "tasks/t.yaml:2: a task is a mapping with id and messages"),
        (with_task("id: b"), "tasks/t.yaml:4: 'id' occurs twice; keep one of them"),
        (with_task("messages: []"), "tasks/t.yaml:4: messages: Tuple should have at least 1 item"),
        (with_task("must: [x]"), "tasks/t.yaml:2: messages: Field required"),
        (with_task("messages: [Hi]", "mast: [x]"), "tasks/t.yaml:5: mast: Extra inputs are not permitted"),
        (
            with_task("messages:", "  - Hi", "  - confirm: perhaps"),
            "tasks/t.yaml:6: messages.1.confirm: Input should be 'yes' or 'no', got 'perhaps'",
        ),
        (
            with_task("messages: [Hi]", "must: ['/(/']"),
            "tasks/t.yaml:5: must.0: not a regular expression: ",
        ),
        (
            with_task("messages: [Hi]", "changes:", "  - {table: t, row: 1}"),
            "tasks/t.yaml:6: changes.0.changed: Field required",
        ),
        (
            with_task("simulated: {persona: p, goal: g}", "messages: [Hi]"),
            "tasks/t.yaml:5: messages: a customer who is simulated has no messages; keep only one",
        ),
        (
            with_task("must: [x]"),
            "tasks/t.yaml:2: messages: Field required; or simulated, for a customer whom a model plays",
        ),
        (with_task("simulated: {persona: p}"), "tasks/t.yaml:4: simulated.goal: Field required"),
        (
            with_task("simulated:", "  persona: p", "  goal: ''"),
            "tasks/t.yaml:6: simulated.goal: String should",
        ),
        (
            with_task("simulated:", "  persona: p", "  goal: g", "  facts: [a]"),
            "tasks/t.yaml:7: simulated.facts: Input should be a valid dictionary",
        ),
        (
            with_task("simulated:", "  persona: p", "  goal: g", "  most_messages: 0"),
            "tasks/t.yaml:7: simulated.most_messages: Input should be greater than or equal to 1, got '0'",
        ),
        (
            with_task("simulated:", "  persona: p", "  goal: g", "  wish: h"),
            "tasks/t.yaml:7: simulated.wish: Extra inputs are not permitted",
        ),
        (
            "defaults: {now: soon}\ntasks:\n  - {id: a, messages: [Hi]}",
            "tasks/t.yaml:1: now: Input should be a valid datetime",
        ),
    ],
)
def test_a_mistake_has_its_line_and_field(folder: Path, text: str, told: str) -> None:
    (line, *_) = mistakes(text)

    assert line.startswith(told)


def test_a_simulated_customer_replaces_messages(folder: Path) -> None:
    Path("tasks/t.yaml").write_text(
        with_task("simulated:", "  persona: p", "  goal: g", "  facts: {number: 010}", "  most_messages: 3")
    )

    (found,) = load_tasks([])

    facts = {"number": "010"}
    assert found.simulated == SimulatedCustomer(persona="p", goal="g", facts=facts, most_messages=3)
    assert (found.messages, found.most_messages) == ((), 3)
    assert Task.model_validate_json(found.model_dump_json()) == found
    assert (
        found.digest
        != found.model_copy(update={"simulated": SimulatedCustomer(persona="q", goal="g")}).digest
    )


def test_a_mistake_in_a_simulated_customer_is_reported_once(folder: Path) -> None:
    assert len(mistakes(with_task("simulated: {persona: p}"))) == 1


def test_all_mistakes_are_reported_together(folder: Path) -> None:
    Path("tasks/u.yaml").write_text("tasks: [")
    Path("tasks/t.yaml").write_text(with_task("messages: [Hi]", "must: ['']", "calls: [[]]"))

    with pytest.raises(DeclarationError) as refused:
        load_tasks([])

    assert [line.partition(": ")[0] for line in str(refused.value).splitlines()] == [
        "tasks/t.yaml:5",
        "tasks/t.yaml:6",
        "tasks/u.yaml:1",
    ]


def test_two_tasks_with_one_name_are_refused(folder: Path) -> None:
    Path("tasks/t.yaml").write_text(with_task("messages: [Hi]"))
    Path("tasks/u.yaml").write_text(with_task("messages: [Ho]"))

    with pytest.raises(DeclarationError, match=r"u\.yaml:2: id: 'a' is already in tasks/t\.yaml:2"):
        load_tasks([])


def test_a_missing_task_is_reported_with_the_known_ones(folder: Path) -> None:
    with pytest.raises(DeclarationError, match="tasks: there are no tasks in this folder"):
        load_tasks([])
    Path("tasks/t.yaml").write_text(GOOD)
    with pytest.raises(DeclarationError, match="is called 'frist'; tasks are first, second"):
        load_tasks(["frist"])
    Path("tasks/t.yaml").write_bytes(b"\xff")
    with pytest.raises(DeclarationError, match="cannot be read"):
        load_tasks([])


def test_the_guides_examples_are_tasks(folder: Path) -> None:
    for number, example in enumerate(page("docs/guides/evaluation.md").blocks("yaml")):
        Path(f"tasks/{number}.yaml").write_text(example)

    task, played = load_tasks([])

    assert task.must == (("$150",), ("cancelled", "canceled"))
    assert task.must_not == (r"/\$ ?240/",)
    assert isinstance(played.simulated, SimulatedCustomer)
    assert played.simulated.facts["the appointment to cancel"] == "the eye test on Tuesday"


def test_the_guides_example_of_figures_reads_as_figures_do() -> None:
    (example,) = [block for block in page("docs/guides/evaluation.md").blocks("text") if "pass^1" in block]
    first, second, third = ([*[True] * 3, False], [True] * 3, [True] * 4)
    rows = [
        Row.model_validate(
            {
                "task": name,
                "digest": "d",
                "trial": trial,
                "model": "m",
                "bundle": "b",
                "unmet": () if fits else ("x",),
            }
        )
        for name, tried in (("cancel-and-balance", first), ("only-asking", second), ("third", third))
        for trial, fits in enumerate(tried, 1)
    ]

    told = report(summarise(rows, 4), rows)

    assert [line for line in told if line.startswith("pass")] == [
        line for line in example.splitlines() if line.startswith("pass")
    ]
    assert {line.partition(" ")[0] for line in told if line[:1].isalpha()} <= {
        line.partition(" ")[0] for line in example.splitlines()
    }


def test_the_guide_knows_every_field() -> None:
    (row,) = [
        line for line in page("docs/guides/evaluation.md").text.splitlines() if line.startswith("| `id`")
    ]
    table = page("docs/guides/evaluation.md").text.partition(row)[2].partition("\n\n")[0] + row

    assert set(re.findall(r"`(\w+)`", table)) >= set(Task.model_fields)
