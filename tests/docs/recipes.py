"""A recipe of the cookbook in its own folder, to be checked, called and used in a conversation."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import Outcome
from assistant.conversation.values import Json
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.discovery import discover
from assistant.tools.execute import prepare, run_call
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall, ToolContext
from tests.docs.pages import Page, page

COOKBOOK = page("docs/guides/cookbook.md")
RECIPES = [
    Page(COOKBOOK.name, text)
    for text in re.findall(r"^## \d+\. .*?(?=^## |\Z)", COOKBOOK.text, re.MULTILINE | re.DOTALL)
]
NUMBERS = range(1, len(RECIPES) + 1)
DEMO = Customer(tenant="demo", id="demo", level="verified")
VISITOR = Customer(tenant="demo", id="visitor-1")

_MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)
_FILE = re.compile(r"^`tools/(\w+)\.py`\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class RecipeFolder:
    """One recipe's files, written into a folder of tools."""

    folder: Path
    number: int

    def __post_init__(self) -> None:
        self.clock = VirtualClock(_MONDAY)
        self.gates = ConcurrencyLimiters(self.clock)
        text = RECIPES[self.number - 1].text
        for name, source in _FILE.findall(text):
            self.put(name, source)

    def put(self, name: str, source: str) -> None:
        """Write a file of tools, or another one in place of the page's."""
        (self.folder / f"{name}.py").write_text(source, encoding="utf-8")

    @cached_property
    def tools(self) -> Tools:
        """What is found in the folder."""
        return discover(self.folder)

    @property
    def dialogue(self) -> list[tuple[str, list[str]]]:
        """What the customer says on the page, each with what they hear."""
        turns: list[tuple[str, list[str]]] = []
        (shown,) = RECIPES[self.number - 1].blocks("text")
        for line in shown.splitlines():
            speaker, text = line.split(": ", 1)
            if speaker == "Customer":
                turns.append((text, []))
            else:
                turns[-1][1].append(text)
        return turns

    def _ready(self, tool: str, customer: Customer = DEMO, **arguments: Json) -> PreparedCall:
        ready = prepare(Call(id="c1.1", tool=tool, arguments=arguments), self.tools, customer)
        assert isinstance(ready, PreparedCall), ready
        return ready

    async def call(self, tool: str, customer: Customer = DEMO, **arguments: Json) -> Outcome:
        """How one call comes out."""
        ready = self._ready(tool, customer, **arguments)
        context = ToolContext(key="key-1", call_id="c1.1", now=_MONDAY, log=structlog.get_logger())
        timeout_s = ready.tool.spec.timeout_s
        return await run_call(
            ready, customer=customer, context=context, timeout_s=timeout_s, clock=self.clock, gates=self.gates
        )

    async def hears(self, tool: str, customer: Customer = DEMO, **arguments: Json) -> str:
        """What a customer hears of one call, when no model words it."""
        outcome = await self.call(tool, customer, **arguments)
        specs = {spec.name: spec for spec in self.tools.specs}
        return Narration(shipped_book()).narrate_outcomes([outcome], specs)

    def chat(self, *lines: Line, customer: Customer = DEMO) -> Chat:
        """A conversation in which a model decides like this."""
        book, model = shipped_book(), ScriptedModel(*lines, clock=self.clock)
        narrate = Narration(book).narrate_outcomes
        deps = deps_for(model, list(self.tools), book, self.clock, narrate=narrate)
        return open_chat(deps, MemoryLog(), customer=customer)
