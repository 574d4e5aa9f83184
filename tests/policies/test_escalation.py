"""The file of escalation rules: what is read, and which mistakes are found, with file, line, value and cure."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.policies.escalation import NO_ESCALATION, Promise, check_escalation, read_escalation
from assistant.policies.policy import Policies
from tests.policies.test_folder import tools
from tests.support.rows import check_rows

RULE = '[[rules]]\nname = "r"\n'


def written(folder: Path, text: str) -> Path:
    (folder / "escalation.toml").write_text(text)
    return folder


def test_without_a_file_there_are_no_rules(tmp_path: Path) -> None:
    assert read_escalation(tmp_path) is NO_ESCALATION


def test_teams_and_promises_are_found(tmp_path: Path) -> None:
    escalation = read_escalation(
        written(
            tmp_path,
            f'[handoff]\nteam = "support"\n{RULE}asked_times = 3\nteam = "billing"\n'
            '[[promises]]\nteam = "billing"\nfirst_response_min = 5\n'
            '[[promises]]\npriority = "urgent"\nfirst_response_min = 2\nresolution_min = 60\n'
            "[[promises]]\nfirst_response_min = 30\n",
        )
    )

    assert escalation.teams == ("support", "billing")
    assert escalation.promise_for("billing", "urgent") == Promise(team="billing", first_response_min=5)
    assert escalation.promise_for("support", "urgent") == Promise(
        priority="urgent", first_response_min=2, resolution_min=60
    )
    assert escalation.promise_for("", "low") == Promise(first_response_min=30)


_MISTAKES = {
    'priorty = "high"\nasked_times = 3': ":3: 'rules.0.priorty': extra inputs are not permitted; a rule has name,",
    'asked_times = 3\npriority = "hihg"': ":4: 'rules.0.priority': input should be 'low', 'normal', 'high' or "
    "'urgent', not 'hihg'; a rule has name,",
    "asked_times = 1": ":3: 'rules.0.asked_times': input should be greater than or equal to 2, not 1; a rule",
    'asked_times = "three"': ":3: 'rules.0.asked_times': input should be a valid integer, unable to parse string"
    " as an integer, not 'three'; a rule has",
    'levels = "gold"': ":3: 'rules.0.levels.0': input should be 'anonymous', 'verified' or 'signed_in', not "
    "'gold';",
    'team = "billing"': ":1: rule 'r' has no condition; write at least one of levels, locales, words,",
    'locales = "german!"': ":1: rule 'r': 'german!' is no locale such as 'de'",
    'asked_times = 2\ntools = "refund"': ":1: rule 'r': tools are those that fail; write failed_tool = 2, too",
    'asked_times = 2\n[[rules]]\nname = "r"\nangry_messages = 1': ":4: there are two rules 'r', also at ",
    "asked_times = 2\n[[promises]]\npriority = 'low'": ":4: a promise without a time; write first_response_min,",
    "asked_times =": ":3: not valid TOML",
}


@check_rows(("text", "problem"), _MISTAKES.items())
def test_mistakes_name_file_line_value_and_cure(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(DeclarationError) as raised:
        read_escalation(written(tmp_path, RULE + text))

    assert f"escalation.toml{problem}" in str(raised.value)


_CONTRADICTIONS = {
    'policies = "refnds"': "rule 'r': there is no policy 'refnds'; there are: none",
    'failed_tool = 2\ntools = "refnd"': "rule 'r': there is no tool 'refnd'; did you mean 'refund'?",
    'change = { tool = "refund", argument = "amount", over = 5 }': "rule 'r': 'refund' has no argument 'amount'; it"
    " has: number",
    'change = { tool = "find_order", argument = "number", over = 5 }': "rule 'r': 'find_order' changes nothing,",
}


def test_rules_must_fit_tools_and_policies(tmp_path: Path) -> None:
    for text, problem in _CONTRADICTIONS.items():
        escalation = read_escalation(written(tmp_path, RULE + text))
        with pytest.raises(DeclarationError) as raised:
            check_escalation(escalation, tools(), Policies())
        assert f"escalation.toml:1: {problem}" in str(raised.value)
    check_escalation(
        read_escalation(
            written(tmp_path, f'{RULE}change = {{ tool = "refund", argument = "number", over = 5 }}')
        ),
        tools(),
        Policies(),
    )
