"""Every provider accepts the demo company's tools, and a reference in an argument comes back unchanged."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing

from assistant.conversation.chunks import CallArguments, CallNamed
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.ports import Model, ModelRequest
from assistant.shipped import shipped
from assistant.testing.scripted_model import calls
from assistant.tools.discovery import discover

Adapter = Callable[..., AbstractAsyncContextManager[Model]]


async def test_a_reference_comes_back_as_the_model_wrote_it(adapter: Adapter) -> None:
    asked = ModelRequest(
        role="decider",
        view=View("Be brief.", (TurnView((FromCustomer("Where is my last order?"),)),)),
        tools=discover(shipped("tools")).specs,
    )
    order = {"order_number": {"$from": "list_orders", "path": "[0].number"}}

    line = calls("list_orders", ("get_order_status", order))
    async with adapter(line) as model, aclosing(model.stream(asked)) as stream:
        chunks = [chunk async for chunk in stream]

    assert [chunk.name for chunk in chunks if isinstance(chunk, CallNamed)] == [
        "list_orders",
        "get_order_status",
    ]
    fragments = [chunk.fragment for chunk in chunks if isinstance(chunk, CallArguments) and chunk.index == 1]
    assert "".join(fragments) == '{"order_number":{"$from":"list_orders","path":"[0].number"}}'
