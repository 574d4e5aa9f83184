"""Looks at everything, one thing after the other; what is wrong with one does not hide the others."""

from collections.abc import AsyncGenerator
from functools import partial

from assistant.doctor.findings import Finding, Look, looked_at, read_settings
from assistant.doctor.service_findings import (
    PartsFor,
    answer_findings,
    http_findings,
    name_findings,
    parts_now,
    phone_findings,
    role_findings,
    server_findings,
    voice_findings,
)
from assistant.doctor.setup_findings import (
    document_findings,
    door_findings,
    folder_findings,
    key_findings,
    page_findings,
    prompt_findings,
    settings_findings,
    time_findings,
    tool_findings,
)


async def examine(*, offline: bool, parts_for: PartsFor = parts_now) -> AsyncGenerator[list[Finding]]:
    """What each look finds, as soon as it is known. Raises nothing.

    Args:
        offline: no model is asked anything, and no server of tools or documents.
        parts_for: makes the parts that a model is asked with.
    """
    known = read_settings()
    settings = known.settings
    looks: list[tuple[str, Look]] = [
        ("settings", partial(settings_findings, known)),
        ("keys", partial(key_findings, known)),
        ("tools", partial(tool_findings, settings)),
        ("HTTP tools", partial(http_findings, settings)),
        ("servers", partial(server_findings, settings, offline=offline)),
        ("prompts", partial(prompt_findings, settings)),
        ("page", page_findings),
        ("data folder", partial(folder_findings, settings)),
        ("documents", partial(document_findings, settings, offline=offline)),
        ("voice", partial(voice_findings, settings)),
        ("phone", partial(phone_findings, settings)),
        ("visitors", partial(door_findings, settings)),
        ("time", partial(time_findings, settings)),
        ("models", partial(role_findings, known)),
    ]
    asking = partial(answer_findings, settings, parts_for)
    looks.append(("models", partial(name_findings, settings) if offline else asking))
    for what, look in looks:
        yield await looked_at(what, look)
