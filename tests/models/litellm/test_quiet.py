"""litellm prints nothing, calls no server, and stops nothing; in its own process, which imports it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]

SCRIPT = """
import asyncio, gc, logging, os, socket, sys, warnings

warnings.simplefilter("error")
logging.basicConfig(level="INFO", format="LOGGED %(name)s %(message)s")
os.environ.pop("LITELLM_LOG", None)

network = []


def forbidden(*arguments, **_):
    network.append(arguments)
    raise OSError("no network in this test")


socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = forbidden

from assistant.clock import SystemClock
from assistant.errors import ModelBroke
from assistant.formats.registry import formatter
from assistant.models.providers import choose_model
from assistant.ports import ModelRequest
from assistant.conversation.views import FromCustomer, TurnView, View

ENVIRON = {"GEMINI_API_KEY": "k-1", "ACME_SETTING": "from the file"}
ASKED = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hello"),)),)))


async def main():
    model, nobody = (
        choose_model(name, clock=SystemClock(), environ=ENVIRON, offline=None)
        for name in ("gemini/gemini-2.5-flash", "acme/small")
    )
    assert "litellm" not in sys.modules
    warming = asyncio.create_task(model.warm())
    while not warming.done():
        await asyncio.sleep(0.01)
    assert "litellm" in sys.modules
    assert model.problem is None
    assert not network, network
    assert os.environ["ACME_SETTING"] == "from the file"
    assert gc.isenabled()
    assert gc.get_freeze_count() > 100_000

    litellm = sys.modules["litellm"]
    assert not litellm.callbacks and not litellm.success_callback and not litellm.failure_callback
    assert litellm.modify_params is False

    await nobody.warm()
    assert "litellm knows no provider for 'acme/small'; write '<provider>/<model>'" in nobody.problem
    assert nobody.problem.endswith("such as gemini, groq, mistral")
    try:
        await anext(model.stream(ASKED))
    except ModelBroke as error:
        assert "no network" in str(error) or "Cannot connect" in str(error), error
    else:
        raise AssertionError("there was a network")


asyncio.run(main())
"""


def test_it_is_imported_without_a_network_a_print_or_a_line_in_the_log() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, cwd=ROOT, check=False
    )

    assert ran.returncode == 0, ran.stderr
    said = (ran.stdout + ran.stderr).splitlines()
    assert [line for line in said if "model cannot be asked" not in line] == []
