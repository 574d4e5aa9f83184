"""The guide to policies: its example is one, its tables have every key, its commands run."""

import re
from pathlib import Path

from typer.testing import CliRunner

from assistant.cli import app
from assistant.policies import choose, folder
from assistant.policies.folder import check_policies, read_policies
from assistant.tools.condition import read_condition
from assistant.tools.discovery import discover
from tests.docs.pages import page

PAGE = page("docs/guides/policies.md")


def keys(head: str) -> set[str]:
    """The first words of the first column of the table with this head."""
    table = PAGE.text.partition(f"\n{head}\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)", table, re.MULTILINE))


def test_the_example_is_a_policy_of_the_demo_shop(tmp_path: Path) -> None:
    [example] = PAGE.blocks("markdown")
    (tmp_path / "returns.md").write_text(example, encoding="utf-8")
    policies = read_policies(tmp_path)

    check_policies(policies, discover(Path("tools")))
    [policy] = policies
    assert policy.text.startswith("Returns:")
    assert [rule.only_after for rule in policy.rules] == [("get_order_status",)]


def test_the_tables_have_every_key() -> None:
    assert keys("| key | what it says |") == set(folder._Head.model_fields)
    assert keys("| key | the call is refused |") | {"tool", "say"} == set(folder._Rule.model_fields)


def test_the_values_of_its_table_are_read() -> None:
    table = PAGE.text.partition("\n| value | what it is |\n")[2].partition("\n\n")[0]
    for row in table.splitlines()[1:]:
        for value in re.findall(r"`([^`]+)`", row.split("|")[1]):
            read_condition(f"{value} == none")


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"{folder.MOST_CHARACTERS:,} characters" in PAGE.text
    assert (choose.MOST, choose.RECENT_TURNS) == (3, 2)
    assert "three policies at most" in PAGE.text
    assert "also used in the next two turns" in PAGE.text


def test_its_commands_run() -> None:
    [commands] = PAGE.blocks("sh")
    lines = commands.strip().splitlines()

    assert len(lines) == 4
    for line in lines:
        words = re.findall(r'"[^"]*"|\S+', line)[1:]
        said = CliRunner().invoke(app, [word.strip('"') for word in words])
        assert said.exit_code == 0, said.output
