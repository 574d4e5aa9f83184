"""How a visitor of the demo shop is identified, and how guessing fails."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import structlog

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json
from assistant.errors import BadArguments
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext
from tests.demo_tools.conftest import SATURDAY, Counter
from tools import _crm

ANAS = ("10482", "97205")
BO = "bo.marsh@example.com"


@dataclass
class Visitor:
    """An unknown visitor who calls the tools at a given time; each has their own conversation."""

    tools: Tools
    id: str = "visitor-1"
    now: datetime = SATURDAY

    async def gives(self, order: str, postcode: str) -> str | None:
        """Whom the shop takes them for."""
        return await self._identified("verify_customer", order_number=order, postcode=postcode)

    async def types(self, code: str) -> str | None:
        return await self._identified("verify_code", code=code)

    async def asks_for_code(self, email: str, key: str = "k") -> Json:
        return await self._counter.value_under(f"{self.id}-{key}", "send_code", email=email)

    async def hears_of_code(self, email: str) -> str:
        return await self._counter.hears("send_code", email=email)

    async def _identified(self, name: str, **arguments: Json) -> str | None:
        tool = self.tools.get(name)
        context = ToolContext(key="k", call_id="c1.1", now=self.now, log=structlog.get_logger())
        result = await tool.run(tool.validate(arguments), customer=self._as_customer, context=context)
        return result.identified.id if result.identified is not None else None

    @property
    def _as_customer(self) -> Customer:
        return Customer(tenant="shop", id=self.id)

    @property
    def _counter(self) -> Counter:
        return Counter(self.tools, self._as_customer, self.now)


@pytest.fixture
def visitor(counter: Callable[[str], Counter]) -> Visitor:
    return Visitor(counter("demo").tools)


def codes() -> list[str]:
    """Those in the demo's mailbox, oldest first."""
    box = _crm.mailbox()
    return re.findall(r"code is (\d{6})\n", box.read_text(encoding="utf-8")) if box.exists() else []


async def test_an_order_and_its_postcode_identify_a_customer(visitor: Visitor) -> None:
    assert await visitor.gives(*ANAS) == "demo"
    assert await visitor.gives("10460", "97211") == "bo"


@pytest.mark.parametrize(
    ("order", "postcode"),
    [("10482", "97211"), ("10460", "97205"), ("99999", "97205"), ("99999", "00000")],
)
async def test_nothing_else_identifies_a_customer(visitor: Visitor, order: str, postcode: str) -> None:
    assert await visitor.gives(order, postcode) is None


@pytest.mark.parametrize("postcode", ["", "9720", "     ", "97205 or 97211", "%", "９７２０５"])
async def test_an_invalid_postcode_is_no_attempt(visitor: Visitor, postcode: str) -> None:
    with pytest.raises(BadArguments, match="postcode"):
        await visitor.gives("10482", postcode)

    assert await visitor.gives(*ANAS) == "demo"


@pytest.mark.parametrize("order", ["10482", "99999"])
async def test_guessing_over_many_conversations_is_stopped(visitor: Visitor, order: str) -> None:
    for number in range(5):
        assert await replace(visitor, id=f"visitor-{number}").gives(order, "11111") is None

    other = replace(visitor, id="visitor-9")
    assert await other.gives(order, "97205") is None
    assert await other.gives("10431", "97205") == "demo"


async def test_after_an_hour_the_right_postcode_counts_again(visitor: Visitor) -> None:
    for _ in range(5):
        await visitor.gives("10482", "11111")

    assert await replace(visitor, now=SATURDAY + timedelta(minutes=59)).gives(*ANAS) is None
    assert await replace(visitor, now=SATURDAY + timedelta(minutes=121)).gives(*ANAS) == "demo"


async def test_a_code_from_the_mailbox_identifies_once(visitor: Visitor) -> None:
    await visitor.asks_for_code(" Bo.Marsh@Example.com")

    (code,) = codes()
    assert await visitor.types(code) == "bo"
    assert await visitor.types(code) is None


async def test_a_code_is_valid_for_ten_minutes(visitor: Visitor) -> None:
    await visitor.asks_for_code(BO)

    assert await replace(visitor, now=SATURDAY + timedelta(minutes=10)).types(codes()[0]) is None
    assert await replace(visitor, now=SATURDAY + timedelta(minutes=9)).types(codes()[0]) == "bo"


async def test_a_code_is_valid_only_in_its_own_conversation(visitor: Visitor) -> None:
    await visitor.asks_for_code(BO)

    assert await replace(visitor, id="somebody-else").types(codes()[0]) is None


async def test_a_new_code_replaces_the_old_one(visitor: Visitor) -> None:
    await visitor.asks_for_code(BO, "a")
    await visitor.asks_for_code(BO, "b")

    old, new = codes()
    assert old == new or await visitor.types(old) is None
    assert await visitor.types(new) == "bo"


async def test_the_answer_does_not_reveal_whether_a_customer_exists(visitor: Visitor) -> None:
    known = await visitor.hears_of_code(BO)
    unknown = await replace(visitor, id="visitor-2").hears_of_code("nobody@example.com")

    assert known.replace(BO, "nobody@example.com") == unknown
    assert await visitor.asks_for_code(BO) == {"email": BO, "minutes": 10}
    assert all(code not in known for code in codes())


async def test_an_unknown_customer_gets_no_mail_and_no_code(visitor: Visitor) -> None:
    await visitor.asks_for_code("nobody@example.com")

    assert codes() == []
    assert await visitor.types("000000") is None


async def test_the_same_call_sends_one_mail(visitor: Visitor) -> None:
    await visitor.asks_for_code(BO)
    await visitor.asks_for_code(BO)

    assert len(codes()) == 1


async def test_at_most_three_codes_an_hour_are_sent(visitor: Visitor) -> None:
    for key in "abcd":
        await visitor.asks_for_code(BO, key)

    assert len(codes()) == 3
    assert await visitor.asks_for_code(BO, "d") == {"email": BO, "minutes": 10}
    await replace(visitor, now=SATURDAY + timedelta(minutes=61)).asks_for_code(BO, "e")
    assert len(codes()) == 4


async def test_guessing_a_code_is_stopped_even_with_the_right_one(visitor: Visitor) -> None:
    await visitor.asks_for_code(BO)
    wrong = f"{(int(codes()[0]) + 1) % 1_000_000:06}"
    for _ in range(5):
        assert await visitor.types(wrong) is None

    assert await visitor.types(codes()[0]) is None


async def test_neither_data_nor_log_contain_a_code(
    visitor: Visitor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await visitor.asks_for_code(BO)
    await visitor.types(codes()[0])

    with _crm.reading() as db:
        everything = "\n".join(db.iterdump())
    captured = capsys.readouterr()
    assert codes()[0] not in everything.replace("0.0", "")
    assert codes()[0] not in captured.out + captured.err
    assert _crm.mailbox().stat().st_mode & 0o077 == 0
    assert _crm.mailbox().parent == tmp_path


async def test_data_from_before_postcodes_is_made_again(ana: Counter, visitor: Visitor) -> None:
    with _crm.writing(SATURDAY) as db:
        db.execute("ALTER TABLE customers DROP COLUMN postcode")
        db.execute("PRAGMA user_version = 1")

    _crm._opened.clear()

    assert await visitor.gives(*ANAS) == "demo"
    assert "10482" in await ana.hears("get_order_status")
