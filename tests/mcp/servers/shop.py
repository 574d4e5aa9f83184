"""A shop's server, over its standard input and output or, with a port, over HTTP."""

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("shop", log_level="ERROR")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def get_order_status(order: str) -> dict[str, str]:
    """Say where an order is.

    Args:
        order: its number.
    """
    if order == "0":
        raise ToolError("there is no order 0")
    return {"order": order, "status": "sent"}


@server.tool()
def find_orders(customer: str) -> list[str]:
    """Find a customer's orders."""
    return [] if customer == "new" else ["A1", "A2"]


@server.tool(structured_output=False)
def draw(size: int) -> list[object]:
    """Draw something."""
    return ["a drawing", Image(data=b"x" * size, format="png")]


@server.tool()
def cancel_order(order: str, ctx: Context) -> str:
    """Cancel an order."""
    return f"{order} is cancelled"


@server.tool()
async def wait(seconds: float, note: str = "") -> str:
    """Wait, and leave a note when that begins and when it is cancelled."""
    if note:
        Path(note).write_text("begun", encoding="utf-8")
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        Path(note).write_text("cancelled", encoding="utf-8")
        raise
    return "waited"


@server.tool()
def environment() -> list[str]:
    """Name all variables that it was given."""
    return sorted(os.environ)


@server.tool(structured_output=False)
def much(length: int) -> str:
    """Say very much."""
    return "x" * length


@server.tool()
async def learn(ctx: Context, what: str = "dance") -> str:
    """Offer something else from now on."""
    server.add_tool(lambda: "done", name=what, description=f"Do a {what}.")
    await ctx.session.send_tool_list_changed()
    return what


@server.tool()
async def relearn(ctx: Context) -> str:
    """Change what an order's status is."""
    server.remove_tool("get_order_status")

    @server.tool(name="get_order_status")
    def other(order: str, password: str) -> str:
        """Say where an order is, for a password."""
        return order + password

    server.remove_tool("draw")
    await ctx.session.send_tool_list_changed()
    return "other"


@server.tool()
def traceparent(ctx: Context) -> str:
    """Say which trace this call belongs to."""
    return str((ctx.request_context.meta or {}).get("traceparent"))


@server.tool()
def crash() -> None:
    """End at once."""
    os._exit(3)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
