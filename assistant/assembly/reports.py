"""Opens what a report needs: the conversations, their stored facts, and the embedded model."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from assistant.assembly.storage import open_conversations
from assistant.errors import DeclarationError
from assistant.ports import Embedder
from assistant.reports.collect import ReportMaker
from assistant.settings import Settings
from assistant.store.sqlite.report_facts import REPORTS_FILE, SqliteFacts

_DAY_MS = 86_400_000


@asynccontextmanager
async def open_report_maker(
    settings: Settings,
    progress: Callable[[int, int], None] = lambda _all, _read: None,
    *,
    sample: bool = False,
) -> AsyncGenerator[ReportMaker]:
    """Makes reports of the company of these settings, with ``sample`` also of its example conversations. A server
    may write at the same time.

    Raises ``DeclarationError`` if there are no conversations, or if the data folder cannot be written.
    """
    async with open_conversations(settings) as conversations:
        try:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DeclarationError(
                f"ASSISTANT_DATA_DIR={str(settings.data_dir)!r} cannot be used: {error.strerror}; "
                "name a folder that can be written"
            ) from error
        store = SqliteFacts(settings.data_dir / REPORTS_FILE)
        days = settings.keep_conversations_days
        try:
            yield ReportMaker(
                tenant=settings.tenant,
                conversations=conversations,
                store=store,
                embedder=_embedder,
                idle_ms=settings.conversation_idle_min * 60_000,
                kept_ms=None if days is None else days * _DAY_MS,
                sample=sample,
                progress=progress,
            )
        finally:
            await store.close()


async def _embedder() -> Embedder:
    from assistant.models.embedder import MiniLm  # loads a model of 23 MB

    return MiniLm()
