"""The real assistant, served as an operator would."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0


@asynccontextmanager
async def served(data: Path, **settings: str) -> AsyncGenerator[int]:
    """Serve for as long as the block runs; gives the port that was free. ``settings`` are environment variables."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant", "serve", "--port", "0"),
        cwd=ROOT,
        env=os.environ | {"ASSISTANT_DATA_DIR": str(data)} | settings,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        ready = (await asyncio.wait_for(process.stdout.readline(), START_S)).decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", ready)
        assert found, f"the assistant did not say where it is: {ready!r}"
        yield int(found[1])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()
