"""What ``assistant customer`` does, once it is known what was asked for."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson

from assistant.assembly.customer_data import CustomerData
from assistant.assembly.customers import customer_data_in
from assistant.assembly.erased import Erased
from assistant.commands.logging import set_up_logging
from assistant.errors import DeclarationError
from assistant.settings import load_settings
from assistant.store.folder_lock import sole_use_of


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
        out.write_bytes(orjson.dumps(everything, option=orjson.OPT_INDENT_2, default=dict))
    return counts


async def _erase(tenant: str, customer: str) -> Erased:
    folder = load_settings().data_dir
    try:
        with sole_use_of(folder):
            async with _customers() as data:
                return await data.erase(tenant, customer)
    except DeclarationError as error:
        raise DeclarationError(
            f"{error}\nOr ask that one, with the operators' token: "
            f"curl -X DELETE -H 'Authorization: Bearer ...' http://127.0.0.1:8000/v1/operators/customers/{customer}"
        ) from error


@asynccontextmanager
async def _customers() -> AsyncGenerator[CustomerData]:
    set_up_logging("ERROR")
    async with customer_data_in(load_settings()) as data:
        yield data
