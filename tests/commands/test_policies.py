"""``assistant policies`` and the doctor, as an operator meets them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.commands.project.policies import app
from assistant.doctor.setup_findings import policy_findings
from assistant.errors import DeclarationError
from assistant.findings import Fine
from assistant.settings import Settings

RULE = '[[rules]]\ntool = "get_open_invoices"\n'
HEAD = '+++\nwhen = "I want my money back"\ntools = ["get_open_invoices"]\n'


def policies(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of policies for the demo shop's tools."""
    monkeypatch.setenv("ASSISTANT_POLICIES_DIR", str(tmp_path))
    return tmp_path


def test_list_shows_when_each_is_chosen_and_what_is_enforced() -> None:
    lines = policies("list").output.splitlines()

    assert "returns  (policies/returns.md:1)" in lines
    assert "    tools: get_order_status; get_delivery_photo" in lines
    assert "    rule: verify_code: only after send_code" in lines
    assert (
        "    rule: update_contact_details: requires a customer who is verified; only if "
        "claims.account_locked != true; the customer must agree"
    ) in lines


def test_check_counts_the_policies() -> None:
    assert policies("check").output == "4 policies with 3 rules, no mistakes.\n"


def test_try_shows_the_chosen_policies_and_their_text(own: Path) -> None:
    (own / "refunds.md").write_text(f"{HEAD}+++\n# Refunds\n\n1. Look it up.")
    (own / "later.md").write_text(f"{HEAD}[hours]\n+++\nNever, for every day is closed.")
    near = policies("try", "Can I get my money back, please?").output
    called = policies("try", "Hello", "--tool", "get_open_invoices").output
    neither = policies("try", "When are you open?").output

    assert "later                    does not hold for this tenant at this time" in near
    assert near.count("chosen  0.") == 1
    assert near.endswith("Do not quote them to the customer.\n\nRefunds:\n\n1. Look it up.\n")
    assert "; get_open_invoices was called" in called
    assert "A model is given" not in neither


def test_a_mistake_is_reported_by_check_and_by_the_doctor(own: Path) -> None:
    (own / "refunds.md").write_text(f'{HEAD}{RULE}only_after = "refund"\n+++\nDo it.')

    with pytest.raises(DeclarationError) as found:
        policy_findings(Settings(policies_dir=own))
    for error in (found.value, policies("check").exception):
        assert "refunds.md:4: tool 'get_open_invoices': only_after: there is no tool 'refund'" in str(error)


def test_a_rule_that_this_server_cannot_satisfy_is_found(own: Path) -> None:
    (own / "refunds.md").write_text(
        f'{HEAD}{RULE}only_after = "talk_to_a_person"\nrequires = "signed_in"\n+++\nDo it.'
    )

    with pytest.raises(DeclarationError) as error:
        policy_findings(Settings(policies_dir=own))
    assert "'talk_to_a_person' is turned off on this server" in str(error.value)
    assert "set ASSISTANT_SITE_SECRET" in str(error.value)


def test_the_doctor_counts_policies(tmp_path: Path) -> None:
    assert policy_findings(Settings()) == [Fine("policies", "4 in policies, with 3 rules")]
    assert policy_findings(Settings(policies_dir=tmp_path)) == [Fine("policies", f"none in {tmp_path}")]
