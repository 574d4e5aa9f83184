"""What each role may do, as the guide says."""

from pathlib import Path
from typing import get_args

from assistant.staff.roles import ROLES, SHOWS_CUSTOMERS, Permission, permissions_of

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "console.md"

IN_WORDS: dict[str, list[Permission]] = {
    "see the inbox, take conversations over": ["inbox.read", "conversations.take_over"],
    "approve changes": ["approvals.decide"],
    "insert canned replies": ["replies.read"],
    "change canned replies": ["replies.edit"],
    "read conversations": ["conversations.read"],
    "see reports": ["reports.read"],
    "see prompts, policies and tools": ["prompts.read", "policies.read", "tools.read"],
    "see the knowledge": ["knowledge.read"],
    "change prompts, policies and knowledge": ["prompts.edit", "policies.edit", "knowledge.edit"],
    "see the health of the system": ["health.read"],
    "pause the assistant": ["assistant.pause"],
    "manage people, read the records": ["people.manage", "audit.read"],
}


def test_the_guide_says_what_each_role_may_do() -> None:
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    told = {row[0]: [cell == "yes" for cell in row[1:]] for row in rows if row[0] in IN_WORDS}

    assert told == {
        words: [all(one in permissions_of([role]) for one in permissions) for role in ROLES]
        for words, permissions in IN_WORDS.items()
    }
    assert {one for permissions in IN_WORDS.values() for one in permissions} == {*get_args(Permission)}


def test_only_an_admin_manages_people() -> None:
    managing = {role for role in ROLES if "people.manage" in permissions_of([role])}

    assert managing == {"admin"}


def test_several_roles_add_up() -> None:
    both = {*permissions_of(["agent", "analyst"])}

    assert both == {*permissions_of(["agent"]), *permissions_of(["analyst"])}
    assert both >= SHOWS_CUSTOMERS
