"""The guide's tools are real: they load, and do what the guide says."""

import re
from datetime import date
from pathlib import Path

from assistant.conversation.people import Customer
from assistant.prompts.shipped import shipped_book
from assistant.tooling.discover import discover
from tests.tooling.conftest import ANA, CONTEXT, Folder

GUIDE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text("utf-8")


async def test_the_guides_tools_load_and_run(folder: Folder) -> None:
    first, second = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)

    tools = discover(folder(points=first, vouchers=second))

    demo = Customer(tenant="demo", id="demo", level="verified")
    points = await tools.get("count_points").run({}, customer=demo, context=CONTEXT)
    assert points.value == {"points": 120}
    send, day = tools.get("send_voucher"), {"day": str(date(2026, 11, 24))}
    assert (
        await send.read_back(day, customer=ANA, book=shipped_book())
        == "send you a voucher on Tuesday, November 24"
    )
    sent = [await send.run(day, customer=ANA, context=CONTEXT) for _ in range(2)]
    assert [one.value for one in sent] == ["voucher for ana on 2026-11-24"] * 2
