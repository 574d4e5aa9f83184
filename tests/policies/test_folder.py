"""Policy files: what is read, and which mistakes are found, with file, line and solution."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.policies.folder import MOST_CHARACTERS, Server, check_policies, read_policies
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.discovery import discover
from assistant.tools.registry import Tools
from tests.policies.conftest import Folder
from tests.support.rows import check_rows

WHEN = 'when = "I want it"'
RULE = f'{WHEN}\n[[rules]]\ntool = "refund"\n'


def tools() -> Tools:
    specs: list[ToolSpec] = [
        fake_spec("find_order", "finding it", "find it", arguments=("number",)),
        replace(
            fake_spec(
                "refund", "paying it back", "pay it back", effect="write", confirm=True, required=("number",)
            ),
            requires="verified",
        ),
        fake_spec("note", "noting it", "note it", effect="write"),
        replace(fake_spec("verify", "checking it", "check it", needs_customer=False), role="identifies"),
    ]
    return Tools(FakeTool(spec, Gives(1), VirtualClock()) for spec in specs)


def test_a_policy_is_read_as_it_was_written(folder: Folder) -> None:
    folder.write(
        "refunds",
        'when = ["I want my money", "Geld zurück"]\ntools = "refund"\ntenants = ["shop"]\n'
        '[hours]\nmon = ["09:00-18:00"]\n'
        '[[rules]]\ntool = "refund"\nonly_after = "find_order"\nsay = "I have to find it first"\n'
        '[[rules]]\ntool = "note"\nrequires = "verified"\nonly_if = "arguments.a == none"\nsay.de = "nein"',
        "# Refunds #\n\n1. Find it.\n\n## Then\n\n2. Pay.",
    )
    (folder.path / "_draft.md").write_text("not yet")
    (folder.path / "README.md").write_text("for editors")
    [policy] = folder.read()

    assert (policy.name, policy.when, policy.tools) == (
        "refunds",
        ("I want my money", "Geld zurück"),
        ("refund",),
    )
    assert policy.text == "Refunds:\n\n1. Find it.\n\nThen:\n\n2. Pay."
    assert [rule.where.rpartition("/")[2] for rule in policy.rules] == ["refunds.md:7", "refunds.md:11"]
    assert policy.rules[0].say == {"en": "I have to find it first"}
    assert policy.rules[1].say == {"de": "nein"}
    monday = datetime(2026, 11, 23, 12, tzinfo=UTC)
    assert policy.holds("shop", monday)
    assert not policy.holds("shop", monday - timedelta(days=1))
    assert not policy.holds("shop", monday + timedelta(hours=6))
    assert not policy.holds("other", monday)


def test_without_a_folder_there_are_no_policies(tmp_path: Path) -> None:
    assert not read_policies(tmp_path / "nowhere")
    with pytest.raises(DeclarationError, match="there is no such folder; set ASSISTANT_POLICIES_DIR"):
        read_policies(tmp_path / "nowhere", must_exist=True)


BAD = [
    ("# No head\n", "a.md:1: has no head; begin the file with TOML between two lines of +++"),
    ("+++\nwhen = 'x'\n+++\n\n", "a.md:1: says nothing below its head; write the steps there"),
    ("+++\n+++\nDo it.", "a.md:1: would never be chosen; write when, tools, or both"),
    ("+++\nwhen = x\n+++\nDo it.", "a.md:2: not valid TOML"),
    (
        "+++\nwhen = 'x'\n\nwehn = 'y'\n+++\nDo it.",
        "a.md:4: 'wehn': extra inputs are not permitted; a head has",
    ),
    ("+++\nwhen = ''\n+++\nDo it.", "a.md:2: 'when.0': string should have at least 1 character"),
    (
        "+++\nwhen = 'x'\n[hours]\nmon = ['9-5']\n+++\nDo it.",
        "a.md:4: 'hours.mon': value error, '9-5' is not a span",
    ),
    (
        "+++\nwhen = 'x'\n[[rules]]\ntool = 'a'\n[[rules]]\ntool = 7\n+++\nDo it.",
        "a.md:6: 'rules.1.tool': input should be a valid string",
    ),
    (
        "+++\nwhen = 'x'\n[[rules]]\ntool = 'a'\nonly = 'b'\n+++\nDo it.",
        "a.md:5: 'rules.0.only': extra inputs",
    ),
    ("+++\nwhen = 'x'\n[[rules]]\ntool = 'a'\nrequires = 'rich'\n+++\nDo it.", "a.md:5: 'rules.0.requires'"),
    (
        "+++\nwhen = 'x'\n[[rules]]\ntool = 'a'\nonly_if = 'status is ok'\n+++\nDo it.",
        "a.md:3: only_if: 'status is ok' compares nothing; write a comparison such as",
    ),
    (
        "+++\nwhen = 'x'\n[[rules]]\ntool = 'a'\nsay.German = 'nein'\n+++\nDo it.",
        "a.md:3: say: 'German' is no locale",
    ),
    (
        f"+++\nwhen = 'x'\n+++\n{'x' * (MOST_CHARACTERS + 1)}",
        "a.md:1: 4,001 characters of steps, and 4,000 are",
    ),
]


@check_rows("text, told", BAD, ids=lambda row: row)
def test_a_mistake_is_reported_with_its_line_and_solution(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(text, encoding="utf-8")

    with pytest.raises(DeclarationError) as error:
        read_policies(tmp_path)
    assert told in str(error.value)


def test_all_files_with_mistakes_are_reported_together(folder: Folder) -> None:
    folder.write("a", "wehn = 1")
    folder.write("b", WHEN)
    folder.write("c", "tool = 1")

    with pytest.raises(DeclarationError) as error:
        folder.read()
    assert len(str(error.value).splitlines()) == 2


SERVER = Server(
    off=frozenset({"talk_to_a_person"}),
    levels=frozenset({"anonymous", "verified"}),
    tenants=frozenset({"shop"}),
)

CONTRADICTIONS = [
    (f'{WHEN}\ntools = "refnd"', "tools: there is no tool 'refnd'; did you mean 'refund'?"),
    (f'{WHEN}\ntenants = ["elsewhere"]', "tenants: there is no tenant 'elsewhere'; there is: shop"),
    (
        f'{WHEN}\n[[rules]]\ntool = "xyz"\nconfirm = true',
        "tool 'xyz': there is no tool 'xyz'; there are: find_order,",
    ),
    (
        RULE,
        "p.md:3: tool 'refund': a rule that demands nothing; write requires, only_after, only_if or confirm",
    ),
    (
        f'{RULE}only_after = "fnd_order"',
        "only_after: there is no tool 'fnd_order'; did you mean 'find_order'?",
    ),
    (f'{RULE}only_after = "refund"', "only_after: 'refund' may run only after itself; name another tool"),
    (
        f'{RULE}only_after = "note"\n[[rules]]\ntool = "note"\nonly_after = "refund"',
        "wait for one another, so none of them could run; leave one out",
    ),
    (
        f'{RULE}only_after = "talk_to_a_person"',
        "only_after: 'talk_to_a_person' is turned off on this server, so 'refund' could never run",
    ),
    (f'{RULE}only_if = "results.fnd.a == 1"', "only_if: there is no tool 'fnd'"),
    (
        f'{RULE}only_if = "arguments.nmber == 1"',
        "only_if: asks for the argument 'nmber', which the tool does not have; it has: number",
    ),
    (
        f'{RULE}requires = "anonymous"',
        "requires 'anonymous', and the tool itself requires 'verified'; write that or more, or leave it out",
    ),
    (
        f'{RULE}requires = "signed_in"',
        "requires 'signed_in', and no customer can become that here; set ASSISTANT_SITE_SECRET",
    ),
    (f"{RULE}confirm = false", "confirm = false, and the tool itself asks the customer first; leave it out"),
    (
        f'{WHEN}\n[[rules]]\ntool = "find_order"\nconfirm = true',
        "confirm = true, and the tool only looks something up, which is never asked about; leave it out",
    ),
    (
        f'{WHEN}\n[[rules]]\ntool = "verify"\nrequires = "verified"',
        "requires 'verified', and the tool is for customers who are not known yet; leave it out",
    ),
]


@check_rows("head, told", CONTRADICTIONS, ids=lambda row: row)
def test_contradictions_with_the_tools_are_found(head: str, told: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "policies")
    folder.write("p", head)

    with pytest.raises(DeclarationError) as error:
        check_policies(folder.read(), tools(), SERVER)
    assert told in str(error.value)


def test_a_circle_through_two_policies_is_found(folder: Folder) -> None:
    folder.write("a", f'{RULE}only_after = "note"')
    folder.write("b", f'{WHEN}\n[[rules]]\ntool = "note"\nonly_after = "refund"')

    with pytest.raises(DeclarationError, match="wait for one another"):
        check_policies(folder.read(), tools())


FITTING = [
    f'{RULE}requires = "verified"\nconfirm = true\nonly_after = ["find_order", "verify"]',
    f'{RULE}only_if = ["results.find_order[number == arguments.number].open == true", "claims.plan != \'free\'"]',
    f'{WHEN}\ntools = ["talk_to_a_person", "search_documents"]\ntenants = ["shop"]',
    f'{RULE}requires = "signed_in"',
]


@check_rows("head", FITTING, ids=lambda row: row)
def test_policies_that_fit_the_tools_are_accepted(head: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "policies")
    folder.write("p", head)
    everything = Server(tenants=frozenset({"shop"}))

    check_policies(folder.read(), tools(), everything)
    check_policies(folder.read(), tools())


def test_the_demo_shops_policies_fit_its_tools() -> None:
    policies = read_policies(Path("policies"))

    assert [policy.name for policy in policies] == [
        "change_of_address",
        "complaint",
        "late_delivery",
        "returns",
    ]
    check_policies(policies, discover(Path("tools")))
