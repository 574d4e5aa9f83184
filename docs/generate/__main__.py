"""Writes what is generated, or with ``--check`` says what is not as it would be written."""

import sys
from pathlib import Path

from docs.generate.files import generated_files

_HERE = Path(__file__).parents[2]


def main() -> None:
    """Write the files that differ; with ``--check`` only name them, and fail."""
    check = sys.argv[1:] == ["--check"]
    stale = {name: text for name, text in generated_files().items() if _written(name) != text}
    if check and stale:
        sys.exit(f"not as generated: {', '.join(stale)}; run `make generate` and commit what changes")
    for name, text in stale.items():
        (_HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {name}\n")


def _written(name: str) -> str | None:
    path = _HERE / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    main()
