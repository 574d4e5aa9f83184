"""Reads the results of tau2's own agents, to compare them with our trials of the same tasks.

Both are judged by the database and the facts. tau2's rewards for retail also include assertions that a model
judged; these are left out. The package need not be installed.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from assistant.errors import DeclarationError
from assistant.evaluation.measures import Cost
from assistant.evaluation.results import Row

_ENDS = ("user_stop", "agent_stop")


class _Named(BaseModel):
    implementation: str
    llm: str | None = None


class _Domain(BaseModel):
    domain_name: str


class _Info(BaseModel):
    git_commit: str = ""
    agent_info: _Named
    user_info: _Named
    environment_info: _Domain


class _DatabaseCheck(BaseModel):
    db_match: bool


class _FactCheck(BaseModel):
    info: str
    met: bool


class _Reward(BaseModel):
    db_check: _DatabaseCheck | None = None
    communicate_checks: list[_FactCheck] | None = None


class _Message(BaseModel):
    role: str
    content: str | None = None


class _Simulation(BaseModel):
    task_id: str | int
    trial: int | None = None
    termination_reason: str
    agent_cost: float | None = None
    user_cost: float | None = None
    reward_info: _Reward | None = None
    messages: list[_Message] | None = None


class _Results(BaseModel):
    info: _Info
    simulations: list[_Simulation]


def read_tau2_results(path: Path) -> list[Row]:
    """Returns the rows of a file that ``tau2 run`` has written.

    Raises:
        DeclarationError: the file cannot be read, or contains something else.
    """
    try:
        found = _Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise DeclarationError(f"{path}: these are no results of tau2: {error.errors()[0]['msg']}") from error
    return [_row(one, found.info) for one in found.simulations]


def _row(one: _Simulation, info: _Info) -> Row:
    ended = one.termination_reason in _ENDS
    customer_failed = one.termination_reason in ("user_error", "infrastructure_error")
    return Row(
        task=f"{info.environment_info.domain_name}-{one.task_id}",
        digest="tau2",
        trial=(one.trial or 0) + 1,
        model=f"tau2's {info.agent_info.implementation}, {info.agent_info.llm}",
        bundle=info.git_commit,
        unmet=tuple(_unmet(one.reward_info or _Reward())) if ended else (),
        broke=None if ended or customer_failed else one.termination_reason,
        cost=Cost(usd=one.agent_cost),
        customer_cost=Cost(usd=one.user_cost),
        simulator=info.user_info.llm,
        customer_failed=one.termination_reason if customer_failed else None,
        transcript=tuple(
            ("customer" if said.role == "user" else "response", said.content)
            for said in one.messages or ()
            if said.role in ("user", "assistant") and said.content
        ),
    )


def _unmet(reward: _Reward) -> Iterator[str]:
    if reward.db_check is None or not reward.db_check.db_match:
        yield "state: the database is not as expected"
    for fact in reward.communicate_checks or ():
        if not fact.met:
            yield f"facts: {fact.info!r} was not told"
