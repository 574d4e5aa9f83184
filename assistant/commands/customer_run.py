"""What ``assistant customer`` does, once it is known what was asked for."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import orjson

from assistant.assembly.customer_data import CustomerData, Erased, customer_data_in, log_in
from assistant.commands.logging import set_up_logging
from assistant.errors import DeclarationError
from assistant.settings import load_settings
from assistant.store.data_folder import sole_use_of


def export(tenant: str, customer: str, out: Path) -> dict[str, int]:
    """Write the file, unless nothing is kept; gives how much of each kind there is.

    Raises ``AssistantError`` where something cannot be read.
    """
    return asyncio.run(_export(tenant, customer, out))


def erase(tenant: str, customer: str) -> Erased:
    """Erase everything. Raises ``DeclarationError`` while a server uses the folder."""
    return asyncio.run(_erase(tenant, customer))


async def _export(tenant: str, customer: str, out: Path) -> dict[str, int]:
    async with _customers() as data:
        everything = await data.export(tenant, customer)
    counts = {what: len(rows) for what, rows in everything.items() if isinstance(rows, list)}
    if any(counts.values()):
        out.touch(mode=0o600)
        out.chmod(0o600)  # it may have been there
        out.write_bytes(orjson.dumps(everything, option=orjson.OPT_INDENT_2, default=dict))
    return counts


async def _erase(tenant: str, customer: str) -> Erased:
    settings = load_settings()
    log_in(settings)
    try:
        with sole_use_of(settings.data_dir):
            async with _customers() as data:
                return await data.erase(tenant, customer)
    except DeclarationError as error:
        if not isinstance(error.__cause__, BlockingIOError):
            raise
        address = f"http://127.0.0.1:8000/v1/operators/customers/{quote(customer, safe='')}"
        raise DeclarationError(
            f"{error}. A server erases without being stopped, for whoever has the operators' token:\n"
            f'curl -X DELETE -H "Authorization: Bearer $ASSISTANT_OPERATOR_TOKEN" {address}'
        ) from error


@asynccontextmanager
async def _customers() -> AsyncGenerator[CustomerData]:
    set_up_logging("ERROR")
    async with customer_data_in(load_settings()) as data:
        yield data
