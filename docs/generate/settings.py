"""The page of settings: the table from ``Settings``, the text from ``settings.md.j2``."""

from pathlib import Path

from assistant.settings import Settings

_PAGE = Path(__file__).with_name("settings.md.j2")


def settings_page() -> str:
    """The page, in Markdown."""
    rows = [_row(name) for name in Settings.model_fields]
    return _PAGE.read_text(encoding="utf-8").replace("{{ rows }}", "\n".join(rows))


def _row(name: str) -> str:
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=False)
    shown = str(default).lower() if isinstance(default, bool) else str(default)
    return f"| `ASSISTANT_{name.upper()}` | {'none' if default is None else f'`{shown}`'} | {field.description} |"
