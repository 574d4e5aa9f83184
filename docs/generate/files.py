"""Every generated file, by its path in the project."""

from docs.generate.asyncapi import asyncapi
from docs.generate.cassettes import cassettes_page, cassettes_schema
from docs.generate.cli import cli_page
from docs.generate.errors import errors_page
from docs.generate.frames import read_frames
from docs.generate.locales import languages_page, locales_page
from docs.generate.log_entries import log_entries_page
from docs.generate.metrics import metrics_page
from docs.generate.page import protocol_page
from docs.generate.prompts import prompts_page
from docs.generate.python_api import python_page
from docs.generate.settings import settings_page
from docs.generate.types import types
from docs.generate.webhooks import webhooks_page, webhooks_schema

PROTOCOL = "1"


def generated_files() -> dict[str, str]:
    """What the files must hold."""
    frames = read_frames()
    return {
        "docs/reference/asyncapi.yaml": asyncapi(frames, PROTOCOL),
        "docs/reference/cassettes.md": cassettes_page(),
        "docs/reference/cli.md": cli_page(),
        "docs/reference/conversation.schema.json": cassettes_schema(),
        "docs/guides/locales.md": locales_page(),
        "docs/reference/languages.md": languages_page(),
        "docs/reference/errors.md": errors_page(),
        "docs/reference/log-entries.md": log_entries_page(),
        "docs/reference/metrics.md": metrics_page(),
        "docs/reference/python.md": python_page(),
        "docs/reference/settings.md": settings_page(),
        "docs/reference/webhook.schema.json": webhooks_schema(),
        "docs/reference/webhooks.md": webhooks_page(),
        "docs/reference/protocol.md": protocol_page(frames),
        "prompts/README.md": prompts_page(),
        "web/src/client/frames.d.ts": types(frames),
    }
