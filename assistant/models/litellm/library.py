"""litellm, imported and used: the one file that does."""

import asyncio
import gc
import logging
import os
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any

from assistant.models.litellm.loaded import LitellmUsage, Stream
from assistant.models.load_once import Once

_QUIET = {
    # Without these it asks the network for newer tables while it is imported or first used.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    # Else it reads a `.env` of its own choosing into the environment.
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_AT_ONCE = ("openai.resources", "anyio._backends._asyncio")
"""Imported by its first request otherwise, in the middle of a conversation."""

_LONGEST_S = 600.0  # Time-outs are ours: see the Clock.
_TOOL = {
    "type": "function",
    "function": {"name": "warm", "description": "", "parameters": {"type": "object"}},
}


class Library:
    """litellm as the model uses it. See :class:`assistant.models.litellm.loaded.Loaded`."""

    def __init__(self, litellm: Any) -> None:
        self._litellm = litellm

    async def ask(self, body: dict[str, Any], api_base: str | None, api_key: str | None) -> Stream:
        """Send a chat completion request; gives the reply once it has begun."""
        _let_pass()
        return await self._litellm.acompletion(
            **body,
            api_base=api_base,
            api_key=api_key,
            drop_params=True,
            max_retries=0,
            num_retries=0,
            timeout=_LONGEST_S,
        )

    async def vectors(
        self, model: str, texts: Sequence[str], api_base: str | None, api_key: str | None
    ) -> list[list[float]]:
        """Ask an embedding model; one vector per text, in order."""
        _let_pass()
        response = await self._litellm.aembedding(
            model=model,
            input=list(texts),
            api_base=api_base,
            api_key=api_key,
            encoding_format="float",
            drop_params=True,
            max_retries=0,
            num_retries=0,
            timeout=_LONGEST_S,
        )
        rows = sorted(response.data, key=lambda row: row["index"])
        return [row["embedding"] for row in rows]

    async def written_down(
        self, model: str, wav: bytes, language: str, hint: str, api_base: str | None, api_key: str | None
    ) -> str:
        """Ask a transcription model what is said in a sound."""
        _let_pass()
        response = await self._litellm.atranscription(
            model=model,
            file=("speech.wav", wav, "audio/wav"),
            language=language,
            prompt=hint or None,
            response_format="json",
            api_base=api_base,
            api_key=api_key,
            drop_params=True,
            max_retries=0,
            num_retries=0,
            timeout=_LONGEST_S,
        )
        return response.text or ""

    async def sound_of(
        self,
        model: str,
        text: str,
        voice: str,
        form: str,
        tempo: float,
        api_base: str | None,
        api_key: str | None,
    ) -> bytes:
        """Have a text said; litellm gives the sound once all of it has come."""
        _let_pass()
        response = await self._litellm.aspeech(
            model=model,
            input=text,
            voice=voice,
            response_format=form,
            speed=None if tempo == 1 else tempo,
            api_base=api_base,
            api_key=api_key,
            max_retries=0,
            num_retries=0,
            timeout=_LONGEST_S,
        )
        return response.content

    def problem(self, model: str) -> str | None:
        """What is wrong with a model's name; None when nothing is."""
        try:
            self._litellm.get_llm_provider(model)
        except Exception:
            # Of kinds of its own; all that counts is that it does not know the name.
            known = sorted(one.value for one in self._litellm.provider_list)
            close = get_close_matches(model.partition("/")[0], known, n=1, cutoff=0.8) or [
                "gemini",
                "groq",
                "mistral",
            ]
            return (
                f"litellm knows no provider for {model!r}; write '<provider>/<model>' with one of its "
                f"{len(known)}, such as {', '.join(close)}"
            )
        return None

    def missing(self, model: str) -> list[str]:
        """The variables that are usually set for a model, and are not."""
        return self._litellm.validate_environment(model)["missing_keys"]

    def cost_usd(self, model: str, usage: LitellmUsage) -> float | None:
        """US dollars for a reply, by litellm's price list; None when it does not know."""
        try:
            return sum(self._litellm.cost_per_token(model=model, usage_object=usage))
        except Exception:
            return None  # It raises one thing or another for a model without a price.


async def load(environ: Mapping[str, str]) -> Library:
    """Import litellm in a thread, once for the process: seconds of work, while the loop goes on.

    Args:
        environ: put into the process's environment where it is not there yet; litellm looks for keys nowhere
            else.
    """
    for name, value in environ.items():
        if not name.upper().startswith(
            "ASSISTANT_"
        ):  # ours, and the site's secret among them: no tool's business
            os.environ.setdefault(name, value)
    return await asyncio.to_thread(library)


def _import() -> Library:
    os.environ.update(_QUIET)
    if "LITELLM_LOG" not in os.environ:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with _no_collecting():
        litellm = import_module("litellm")
        for name in _AT_ONCE:
            import_module(name)
        vars(litellm).update(suppress_debug_info=True, modify_params=False)
        _let_pass()
        _rehearse(litellm)
    return Library(litellm)


library = Once(_import)
"""litellm, imported by the first to call."""


def _rehearse(litellm: ModuleType) -> None:
    """Let it do for nobody what it does for each request, so that the first one does not import the rest."""
    for _ in litellm.completion(
        model="openai/rehearsal",
        messages=[{"role": "user", "content": "Hello"}],
        tools=[_TOOL],
        stream=True,
        stream_options={"include_usage": True},
        api_key="none",
        mock_response="Hello",
    ):
        pass


@contextmanager
def _no_collecting() -> Generator[None]:
    """Keep the garbage collector away from hundreds of thousands of objects that are here to stay.

    Going through them would stop the loop for a quarter of a second, now and again and again.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if collects:
            gc.enable()


def _let_pass() -> None:
    """Let two warnings pass that it causes in pydantic, of which one comes with every reply.

    With warnings as errors they would break the reply. Done again when somebody has put filters before ours.
    """
    if warnings.filters and warnings.filters[0][1] is not None and "TypedDict" in str(warnings.filters[0][1]):
        return
    deprecated = import_module("pydantic.warnings").PydanticDeprecatedSince211
    warnings.filterwarnings("ignore", category=deprecated, module=r"litellm\.")
    warnings.filterwarnings("ignore", r"Item '\w+' on TypedDict class", UserWarning, r"pydantic\._internal")
