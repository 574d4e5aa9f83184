"""A model that is not asked is still checked: could it be asked?"""

import pytest

from assistant.doctor.service_findings import name_findings
from assistant.findings import Fine, Wrong
from assistant.settings import Settings


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_the_embedded_model_and_a_server_on_this_machine_need_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")

    found = name_findings(Settings(model="openai/mine", fallback_models=["offline"]))

    assert [type(finding) for finding in found] == [Fine, Fine]


@pytest.mark.parametrize("name", ["openai/", "openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
def test_a_problem_that_would_stop_the_start_is_wrong_here_too(name: str) -> None:
    (found,) = name_findings(Settings(model=name))

    assert isinstance(found, Wrong)
    assert name in str(found)
