"""Updates the storage that the settings name to the schema of this release."""

import asyncio
from contextlib import closing

from assistant.assembly.library import place_of
from assistant.errors import DeclarationError
from assistant.settings import Settings
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.store.sqlite.file import connect, inspect_file, migrate
from assistant.store.sqlite.storage import LOG_FILE
from assistant.store.storage import SchemaState


async def schemas(settings: Settings) -> list[SchemaState]:
    """The schema of each storage, without changes. A data folder without a log has no schema.

    Raises ``DeclarationError`` if a storage cannot be used, or if a newer release wrote it; the error names the
    setting.
    """
    found = [await _schema_of_database(address, setting) for setting, address in _databases(settings)]
    log = settings.data_dir / LOG_FILE
    if settings.database is None and log.exists():
        looked = await asyncio.to_thread(inspect_file, log)
        if looked.problem is not None:
            raise DeclarationError(f"{log}: {looked.problem}")
        if looked.schema > looked.newest:
            raise DeclarationError(
                f"{log} was written by a newer release (its schema is number {looked.schema}, the newest known here"
                f" is {looked.newest}): install that release again, or set ASSISTANT_DATA_DIR to another folder"
            )
        found.append(
            SchemaState(where=str(log), has=looked.schema, newest=looked.newest, pending=looked.pending)
        )
    return found


async def upgrade_all(settings: Settings) -> None:
    """Apply the missing steps.

    Raises ``DeclarationError`` if a step fails, and ``StorageInUse`` if a server uses the data folder.
    """
    before = await schemas(settings)
    for setting, address in _databases(settings):
        from assistant.store.postgres.inspection import migrate_database

        await migrate_database(address, setting)
    log = settings.data_dir / LOG_FILE
    if settings.database is None and any(state.pending for state in before if state.where == str(log)):
        with lock_data_folder(settings.data_dir), closing(connect(log)) as file:
            migrate(file, str(log))


async def _schema_of_database(address: str, setting: str) -> SchemaState:
    from assistant.store.postgres.inspection import schema_of_database

    return await schema_of_database(address, setting)


def _databases(settings: Settings) -> list[tuple[str, str]]:
    """The PostgreSQL databases, each with the setting that names it; also a database for documents alone."""
    found = dict[str, str]()
    if settings.database is not None:
        found[settings.database.get_secret_value()] = "ASSISTANT_DATABASE"
    if settings.document_store != "embedded" and place_of(settings) == "postgres":
        found.setdefault(settings.document_store, "ASSISTANT_DOCUMENT_STORE")
    return [(setting, address) for address, setting in found.items()]
