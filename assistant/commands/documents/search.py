"""Searches the documents as the assistant does, for whoever wants to see what it would find."""

import asyncio
from textwrap import fill

from rich.console import Console

from assistant.clock import SystemClock
from assistant.commands.documents.open import opened
from assistant.commands.logging import set_up_logging
from assistant.conversation.documents import Finding, place_in
from assistant.memory.retrieval_tools import NEAR, near
from assistant.settings import load_settings

_INDENT = " " * 6


def search(tenant: str, customer: str, question: str) -> None:
    """Print the nearest passages with their scores, those that are not near enough dimmed.

    Raises ``AssistantError`` when the library cannot be opened or does not answer.
    """
    set_up_logging("ERROR")
    findings = asyncio.run(_found(tenant, customer, question))
    console = Console(highlight=False)
    enough = near(findings)
    for finding in findings:
        style = "" if finding in enough else "dim"
        where = ", ".join(filter(None, (finding.title, place_in(finding))))
        console.print(f"{finding.score:.2f}  {where}  ({finding.ref})", markup=False, style=style or "bold")
        console.print(_shown(finding.passage.text, console.width), markup=False, style=style)
    said = f"{len(enough)} of these {len(findings)} passages are near enough ({NEAR} and more)"
    console.print(f"{said} to be shown to the model." if findings else "There is nothing to be found.")


def _shown(text: str, width: int) -> str:
    """A passage, indented: its lines are broken anew, its paragraphs stay."""
    paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    return "\n".join(
        fill(part, max(width - 1, 40), initial_indent=_INDENT, subsequent_indent=_INDENT)
        for part in paragraphs
    )


async def _found(tenant: str, customer: str, question: str) -> list[Finding]:
    settings = load_settings()
    async with opened(settings, SystemClock(settings.time_zone, settings.now)) as at:
        return await at.library.search(tenant, customer, question)
