"""The demo company of the turn's tests, with policies."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import Logged, PoliciesChosen
from assistant.policies.choose import PolicyFinder
from assistant.policies.folder import check_policies, read_policies
from assistant.policies.policy import Policies
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.storage_ports import Log
from assistant.testing.chat import ANA, Chat, deps_for
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualLoop
from tests.turn.conftest import Company


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@dataclass
class Folder:
    """A folder of policies."""

    path: Path

    def write(self, name: str, head: str, text: str = "1. Do it.") -> None:
        """Write a policy."""
        self.path.mkdir(exist_ok=True)
        (self.path / f"{name}.md").write_text(f"+++\n{head}\n+++\n{text}\n", encoding="utf-8")

    def read(self) -> Policies:
        """All of them."""
        return read_policies(self.path)


class PolicyCompany(Company):
    """Its policies are chosen by words, so that no model is needed."""

    def __init__(self, folder: Folder) -> None:
        super().__init__()
        self.folder = folder

    def opened(
        self, *lines: Line, log: Log | None = None, entries: Sequence[Logged] = (), customer: Customer = ANA
    ) -> Chat:
        """A conversation whose model follows these lines, with the policies of the folder."""
        model = ScriptedModel(*lines, clock=self.clock)
        self.models.append(model)
        deps = deps_for(model, self.tools, shipped_book(), self.clock)
        policies = self.folder.read()
        check_policies(policies, deps.tools)
        deps = replace(deps, policies=policies, finder=PolicyFinder(policies, None, self.clock))
        key = ConversationKey(tenant=customer.tenant, customer=customer.id, conversation="c-1")
        session = Session(
            key=key, entries=entries, configs=FixedConfig(deps), log=log or self.log, epoch="test"
        )
        session.customer = customer
        chat = Chat(session)
        chat.disconnect = session.listen(chat.batches.append)
        return chat

    @property
    def notes(self) -> list[str]:
        """The last instructions of each request so far."""
        return [request.view.late for request in self.model.requests]


def chosen(chat: Chat) -> list[tuple[str, ...]]:
    """What was recorded as chosen by meaning, turn by turn."""
    return [one.entry.names for one in chat.session.entries if isinstance(one.entry, PoliciesChosen)]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "policies")


@pytest.fixture
def company(folder: Folder) -> Iterator[PolicyCompany]:
    company = PolicyCompany(folder)
    yield company
    for model in company.models:
        model.assert_used_up()
