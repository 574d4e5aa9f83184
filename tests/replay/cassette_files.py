"""Files with recorded conversations, for tests that play files."""

from pathlib import Path

GOOD = """\
format: 2
about: A greeting is answered.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Hello
    replies:
      - decider: {says: "Good morning."}
    expect:
      # what a customer reads
      scene: |
        Assistant: Good morning.
      hears: [{response: Good morning., within_ms: 305}]
"""

UNREADABLE = "format: 2\nabout: Nobody speaks.\nnow: 2026-11-23 09:00\nturns: []\n"


def written(folder: Path, name: str, text: str) -> Path:
    """A file of this name with this text; conversations' files are called ``<name>.conversation.yaml``."""
    file = folder / f"{name}.conversation.yaml"
    file.write_text(text, encoding="utf-8")
    return file
