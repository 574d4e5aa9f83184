"""How many modules of ours a start of ``assistant serve`` imports, until it says where it listens."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
_PROGRAM: Final = """
import asyncio, os, signal, sys
from assistant.commands.serve import serving_until_told

def ready(_):
    print("modules", sum(name.split(".")[0] == "assistant" for name in sys.modules))
    os.kill(os.getpid(), signal.SIGTERM)

asyncio.run(serving_until_told("127.0.0.1", 0, ready))
"""
_MODELS: Final[Mapping[str, Mapping[str, str]]] = {
    "demo": {},
    "hosted": {"ASSISTANT_MODEL": "openai/gpt-5", "OPENAI_API_KEY": "a-key"},
}


def modules_at_start(model: str) -> int:
    """Start the server in a process of its own, with the demo model or a hosted one, and count.

    Nothing is sent to a provider, and there are no documents, whose vectors would take seconds to make.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "none").mkdir()
        told = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            cwd=folder,
            env={
                **kept,
                "PYTHONPATH": str(_ROOT),
                "ASSISTANT_DATA_DIR": str(Path(folder) / "data"),
                "ASSISTANT_KNOWLEDGE_DIR": str(Path(folder) / "none"),
                "ASSISTANT_PROMPTS_DIR": str(_ROOT / "prompts"),
                "ASSISTANT_TOOLS_DIR": str(_ROOT / "tools"),
                **_MODELS[model],
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    counts = [int(line.split()[1]) for line in told.stdout.splitlines() if line.startswith("modules ")]
    if not counts:
        raise RuntimeError(f"the server did not start: {told.stdout}{told.stderr}")
    return counts[0]
