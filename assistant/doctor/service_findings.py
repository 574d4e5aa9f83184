"""Checks whether models, tool servers, Temporal and other services answer."""

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from assistant.assembly.config_builder import ConfigBuilder
from assistant.assembly.long_calls import temporal_of
from assistant.assembly.phone import signatures_of
from assistant.assembly.staff import identity_provider_of
from assistant.assembly.voice import speech_models
from assistant.clock import SystemClock
from assistant.conversation.chunks import CallNamed, Chunk, StreamEnded
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.doctor.known_settings import Known
from assistant.errors import DeclarationError, ModelBroke, ModelBusy, ModelError, ModelRefused, ModelTimeout
from assistant.findings import Doubtful, Finding, Fine, Wrong, looked_at
from assistant.ids import SystemIds
from assistant.mcp.approval import Definition, changes
from assistant.mcp.status import Unreachable
from assistant.mcp.supervisor import McpServers
from assistant.mcp.tool import McpFolder, read_mcp_folder
from assistant.models.lifecycle import READ_ON, retirement_of
from assistant.models.providers import EmbeddedName, choose_model, read_name
from assistant.models.speech.choose import missing
from assistant.ports import Clock, Model, ModelRequest
from assistant.prompts.instructions import Decider
from assistant.resilience import jitter_from
from assistant.settings import Settings
from assistant.settings_sources import environment
from assistant.shipped import own_or_shipped, shipped
from assistant.tools.discovery import discover
from assistant.tools.http.tool import drafts, unset_secrets
from assistant.turn.context import TurnDependencies


def http_findings(settings: Settings) -> list[Finding]:
    """Which HTTP tools wait for review, and which secrets are not set. Empty if there are no HTTP tools."""
    try:
        tools = discover(own_or_shipped(settings.tools_dir, "tools"), drafts=True)
    except DeclarationError:
        return []  # The findings about tools report this.
    found: list[Finding] = []
    if unreviewed := drafts(tools):
        says = f"not offered before they are reviewed: {', '.join(unreviewed)}"
        found.append(Doubtful("drafts", says, "take 'draft = true' out of each that is as it should be"))
    for name, service in unset_secrets(tools):
        cure = "put it into the environment or into .env, in one line"
        found.append(Doubtful("secrets", f"{name} is not set, and {service} needs it", cure))
    return found


async def server_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """Whether each MCP server can be reached, and which of its tools wait for approval.

    ``offline``: no server is started or connected. Raises ``DeclarationError`` for mistakes in ``mcp.toml``.
    """
    path = own_or_shipped(settings.tools_dir, "tools")
    if not path.is_dir():
        return []  # The findings about tools report this.
    servers = McpServers(SystemClock(), jitter_from(SystemIds()), environment)
    folder = read_mcp_folder(path, servers)
    names = list(folder.written.servers)
    if offline:
        return [Fine("server", f"{name}: not asked; its lines in the file are in order") for name in names]
    servers.use(folder)
    try:
        return await asyncio.gather(*(_found(name, folder, servers) for name in names))
    finally:
        await servers.close()


async def _found(name: str, folder: McpFolder, servers: McpServers) -> Finding:
    try:
        offered = await servers.offered(name)
    except Unreachable as error:
        cure = "its tools fail until it is back; check its command or its address"
        return Wrong("server", f"{name} cannot be reached: {error}", cure)
    left_out = await servers.left_out(name)
    return _judged(name, folder.approved.get(name, {}), offered, left_out)


def _judged(
    name: str,
    approved: Mapping[str, Definition],
    offered: Mapping[str, Definition],
    left_out: Mapping[str, str],
) -> Finding:
    if left_out:
        told = "; ".join(f"{tool} ({why})" for tool, why in left_out.items())
        return Doubtful(
            "server", f"{name}: left out, and all others can be used: {told}", "ask its maker to mend them"
        )
    waiting = changes(approved, offered)
    if waiting:
        return Doubtful("server", f"{name}: not approved: {waiting}", f"assistant tools approve {name}")
    return Fine("server", f"{name}: there, and all of its {len(offered)} tools are approved")


async def temporal_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """Whether Temporal can be used; empty if it is not configured. ``offline``: makes no connection to it.

    Raises ``DeclarationError`` and ``LongRunnerAway``, which contain their solutions.
    """
    temporal = temporal_of(settings)
    if temporal is None:
        return []
    if not offline:
        await temporal.check()
    return [Fine("temporal", f"{temporal.place}: {'not asked' if offline else 'it answers'}")]


def voice_findings(settings: Settings) -> list[Finding]:
    """The findings about voice. No model is loaded and no service is called.

    Raises ``DeclarationError`` for a wrong name or setting, with its solution.
    """
    if not settings.voice:
        return [Fine("voice", "off: customers write")]
    problem = missing(settings.transcription_model, settings.speech_model)
    if problem is not None:
        says = "customers can only write, and the microphone's button says so"
        return [Doubtful("voice", says, f"{problem}; or set ASSISTANT_VOICE=false")]
    hears, speaks = speech_models(settings, SystemClock(), jitter_from(SystemIds()))
    recognizer = hears.name if hears.name != "offline" else "the embedded Whisper"
    speaker = speaks.name if speaks.name != "offline" else "the embedded voice"
    return [Fine("voice", f"{recognizer} hears, {speaker} speaks")]


async def sign_in_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """How staff sign in, and whether the identity provider answers. ``offline``: it is not asked.

    Raises ``DeclarationError`` and ``ProviderError``, which contain their solutions.
    """
    provider = identity_provider_of(settings, SystemClock()) if settings.console else None
    if provider is None:
        return []
    label, issuer = provider.client.label, provider.client.issuer
    found: list[Finding] = []
    if not settings.oidc_domains and settings.oidc_new_accounts and not settings.oidc_roles:
        says = f"each person whom {issuer} knows may make an account"
        cure = "set ASSISTANT_OIDC_DOMAINS or ASSISTANT_OIDC_ROLES, or ASSISTANT_OIDC_NEW_ACCOUNTS=false"
        found.append(Doubtful("sign-in", says, cure))
    if offline:
        return [Fine("sign-in", f"staff sign in with {label} ({issuer}); not asked"), *found]
    metadata, keys = await provider.metadata(), await provider.keys()
    if metadata.challenges is not None and "S256" not in metadata.challenges:
        found.append(
            Doubtful("sign-in", f"{label} does not say that it knows PKCE with S256", "ask its administrator")
        )
    told = f"staff sign in with {label} ({issuer}); it answers, and has {len(keys.keys)} keys for signatures"
    return [Fine("sign-in", told), *found]


def phone_findings(settings: Settings) -> list[Finding]:
    """The findings about the phone; empty if it is not configured. Raises ``DeclarationError``."""
    signatures = signatures_of(settings)
    if signatures is None:
        return []
    number, address = settings.phone_transfer_number, f"{signatures.url}/v1/phone/incoming"
    passes_on = f"callers are transferred to {number}" if number else "no transfer to a person"
    return [Fine("phone", f"Twilio calls {address}, by {settings.phone_mode}; {passes_on}")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's answer. ``pieces`` are its chunks, ``tools`` the tools that it called."""

    first_s: float
    whole_s: float
    pieces: int
    tools: tuple[str, ...]
    cost_usd: float | None


async def probe(deps: TurnDependencies, question: str) -> Answered:
    """Send the customer's question to the decision model, with the real instructions and tools.

    Raises:
        ModelError: the model did not answer.
    """
    clock, role = deps.clock, deps.models["decider"]
    system, late = deps.book.parted(Decider(now=clock.now()))
    request = ModelRequest(
        role="decider",
        view=View(system, (TurnView((FromCustomer(question),)),), late),
        tools=deps.tools.specs,
        options=role.options,
    )
    began, times = clock.monotonic(), list[float]()
    chunks: list[Chunk] = []
    async with aclosing(role.model.stream(request)) as stream:
        async for chunk in stream:
            times.append(clock.monotonic() - began)
            chunks.append(chunk)
    return _answered(chunks, times)


def _answered(chunks: Sequence[Chunk], times: Sequence[float]) -> Answered:
    last = chunks[-1]
    return Answered(
        first_s=times[0],
        whole_s=times[-1],
        pieces=sum(not isinstance(chunk, StreamEnded) for chunk in chunks),
        tools=tuple(chunk.name for chunk in chunks if isinstance(chunk, CallNamed)),
        cost_usd=last.cost_usd if isinstance(last, StreamEnded) else None,
    )


DepsFor: TypeAlias = Callable[[Settings, Clock], TurnDependencies]

_CURES: tuple[tuple[type[ModelError], str], ...] = (
    (ModelTimeout, "is its server up? A slow one may need a larger ASSISTANT_FIRST_TOKEN_TIMEOUT_S"),
    (ModelRefused, "check the model's name, the key and the address of its provider"),
    (ModelBusy, "wait, or ask the provider for more; ASSISTANT_FALLBACK_MODELS names models to use instead"),
    (ModelBroke, "is its server up, and the address of its provider right?"),
    (ModelError, "check the network, and the address of its provider"),
)


def role_findings(known: Known) -> list[Finding]:
    """The model of each role, its fallback models, and the source of each setting."""
    settings = known.settings
    decider = _role("decider", settings.model, settings.fallback_models)
    narrator_fallbacks = settings.narrator_fallback_models
    fallbacks = settings.fallback_models if narrator_fallbacks is None else narrator_fallbacks
    narrator = _role("narrator", settings.narrator_model or settings.model, fallbacks)
    found: list[Finding] = [
        Fine("models", f"{decider} ({_set(known.set_in('model'))})"),
        Fine("models", f"{narrator} ({_set(known.set_in('narrator_model'), 'like the decider')})"),
    ]
    if settings.simulator_model is not None:
        told = f"simulated customers: {settings.simulator_model} ({_set(known.set_in('simulator_model'))})"
        found.append(Fine("models", told))
    return [*found, *_unused_options(settings), *_retired(settings)]


def _unused_options(settings: Settings) -> Iterator[Finding]:
    """Options for a name that no model has; they have no effect."""
    used = models_named(settings)
    for name in settings.model_options:
        if name not in used:
            told = f"ASSISTANT_MODEL_OPTIONS has some for {name!r}, which is none of the models"
            yield Doubtful(
                "models", told, f"write the name exactly as in the setting that selects it: {', '.join(used)}"
            )


def _retired(settings: Settings) -> Iterator[Finding]:
    """Models for which the provider has announced the end."""
    for name in models_named(settings):
        if (ending := retirement_of(name)) is not None:
            yield Doubtful(
                "models",
                f"{name}: its provider's date for its end is {ending.on:%B} {ending.on.day}, {ending.on.year} "
                f"(announced by {READ_ON:%B} {READ_ON.year}, {ending.source})",
                f"try {ending.replacement}, which the provider names instead",
            )


def models_named(settings: Settings) -> list[str]:
    """All models in the settings, each once, in the order in which they are asked."""
    return list(dict.fromkeys([*_answering(settings), *filter(None, [settings.simulator_model])]))


def _answering(settings: Settings) -> list[str]:
    """The models that answer customers."""
    narrators = [settings.narrator_model or settings.model, *(settings.narrator_fallback_models or ())]
    return [settings.model, *settings.fallback_models, *narrators]


def configured_deps(settings: Settings, clock: Clock) -> TurnDependencies:
    """The configured dependencies of a turn. Raises ``DeclarationError`` for mistakes."""
    return ConfigBuilder(settings, clock).build_first().version.deps


async def answer_findings(settings: Settings, deps_for: DepsFor = configured_deps) -> list[Finding]:
    """Ask all models at the same time; the findings have the order of ``models_named``."""
    # A model's cache stays out of the data folder, which a server may be using.
    with tempfile.TemporaryDirectory(prefix="meanwhile-doctor-", ignore_cleanup_errors=True) as kept:
        own = settings.model_copy(update={"data_dir": Path(kept)})
        asked = (looked_at("model", partial(_answer, name, own, deps_for)) for name in models_named(settings))
        return [finding for found in await asyncio.gather(*asked) for finding in found]


async def _answer(name: str, settings: Settings, deps_for: DepsFor) -> list[Finding]:
    try:
        deps = _deps(name, settings, deps_for)
    except DeclarationError as error:
        return [Wrong("model", f"{name}: {error}")]
    try:
        question = next(iter(deps.book.voice.starters), "") or next(_examples(deps), "")
        if not question:
            cure = "name starters in prompts/voice.toml"
            return [Doubtful("model", f"{name}: not asked: nothing says what customers ask", cure)]
        # A model that only plays a customer need not call a tool.
        asked_to_call = bool(deps.tools.specs) and name in _answering(settings)
        return [_judged_answer(name, await probe(deps, question), calls=asked_to_call)]
    except ModelError as error:
        cure = next(cure for kind, cure in _CURES if isinstance(error, kind))
        return [Wrong("model", f"{name}: {error}", cure)]
    finally:
        for role in deps.models.values():
            await role.model.close()


def _deps(name: str, settings: Settings, deps_for: DepsFor) -> TurnDependencies:
    """Dependencies with this model alone; one attempt, because doctor reports the current state.

    Raises:
        DeclarationError: the model cannot be made.
    """
    alone: dict[str, object] = {
        "model": name,
        "narrator_model": None,
        "fallback_models": [],
        "narrator_fallback_models": None,
        "model_attempts": 1,
    }
    wanted = settings.model_copy(update=alone)
    # Other findings report a wrong time zone or folder; the model can still be asked.
    clock = SystemClock()
    try:
        return deps_for(wanted, clock)
    except DeclarationError:
        folders = {"tools_dir": shipped("tools"), "prompts_dir": shipped("prompts")}
        return deps_for(wanted.model_copy(update=folders), clock)


def _examples(deps: TurnDependencies) -> Iterator[str]:
    return (example for spec in deps.tools.specs for example in spec.examples)


def _judged_answer(name: str, answer: Answered, *, calls: bool) -> Finding:
    streams = f"streams ({answer.pieces} pieces)" if answer.pieces > 1 else "came in one piece"
    cost = f", ${answer.cost_usd:.6f}" if answer.cost_usd is not None else ""
    times = f"begins after {answer.first_s:.2f} s, ends after {answer.whole_s:.2f} s"
    told = f"{name}: answers, {times}, {streams}{cost}"
    if not answer.pieces:
        return Wrong("model", f"{told}; but says nothing", "raise ASSISTANT_MAX_TOKENS, or try another model")
    if answer.tools:
        return Fine("model", f"{told}, calls {' and '.join(answer.tools)}")
    if not calls:
        return Fine("model", f"{told}; it has no tool to call")
    cure = "ask it something in `assistant chat`; without tool calls it can only talk"
    return Doubtful("model", f"{told}; called no tool", cure)


def _role(role: str, model: str, fallbacks: Sequence[str]) -> str:
    then = f", then {', then '.join(fallbacks)}" if fallbacks else ", no fallback"
    return f"{role}: {model}{then}"


def _set(place: str, default: str = "the default") -> str:
    return default if place == "default" else f"set in {place}"


def name_findings(settings: Settings) -> list[Finding]:
    """What the start would report about each model, in the order of ``models_named``."""
    return [_named(name) for name in models_named(settings)]


def _named(name: str) -> Finding:
    try:
        if not isinstance(read_name(name), EmbeddedName):
            choose_model(name, clock=SystemClock(), environ=environment(), offline=_no_embedded_model)
    except DeclarationError as error:
        return Wrong("model", f"{name}: {error}")
    return Fine("model", f"{name}: not asked; its name and its settings are in order")


def _no_embedded_model() -> Model:
    raise AssertionError("the embedded model is not made by its name here")
