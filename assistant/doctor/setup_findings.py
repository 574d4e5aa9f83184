"""Checks the configuration of this machine: settings, data folder, documents, tools, prompts, the page."""

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import assert_never
from urllib.parse import urlsplit

from assistant.assembly.config_builder import Folders
from assistant.assembly.health import disk_finding
from assistant.assembly.library import check_qdrant_installed, documents_address, key_of, place_of
from assistant.assembly.models import names_of
from assistant.assembly.storage import open_storage
from assistant.assembly.tool_warnings import tool_warnings
from assistant.clock import SystemClock
from assistant.conversation.usage import Spent, assess
from assistant.doctor.database_findings import schema_findings
from assistant.doctor.known_settings import Known
from assistant.errors import AssistantError, DeclarationError, LogError
from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.ids import SystemIds
from assistant.mcp.supervisor import McpServers
from assistant.mcp.tool import read_mcp_folder
from assistant.models.price_list import PriceKey, price_key, read_prices
from assistant.models.providers import DirectName, read_name
from assistant.policies.escalation import ESCALATION_FILE, NO_ESCALATION, check_escalation, read_escalation
from assistant.policies.folder import check_policies, read_policies, server_of
from assistant.prompts.book import PromptBook
from assistant.prompts.folder import display_path
from assistant.resilience import jitter_from
from assistant.secret_files import secret_values
from assistant.settings import Settings, spending_limits
from assistant.settings_sources import environment
from assistant.shipped import own_or_shipped, shipped
from assistant.store.sqlite.data_folder import lock_data_folder, read_secret
from assistant.store.sqlite.file import inspect_file
from assistant.store.storage import StorageInUse
from assistant.tools.discovery import discover
from assistant.tools.registry import Tools

_SHORTEST_SECRET = 32
_AT_HOME = ("localhost", "127.0.0.1", "[::1]")


def settings_findings(known: Known) -> list[Finding]:
    """Which settings are set, and which are wrong."""
    return [*known.wrong, Fine("settings", _set(known))]


def key_findings(known: Known) -> list[Finding]:
    """Which providers' keys are set. The values are not shown."""
    keys = sorted((name, place) for name, place in known.places.items() if name.upper().endswith("_API_KEY"))
    told = ", ".join(f"{name} is set ({place})" for name, place in keys)
    return [Fine("keys", told or "none set; neither the embedded model nor a server of your own needs one")]


def visitor_findings(settings: Settings) -> list[Finding]:
    """Which origins may connect, how their visitors are identified, and what they may see."""
    return [*_origins(settings), *_proxies(settings), *_site_secret(settings), *_openness(settings)]


def time_findings(settings: Settings) -> list[Finding]:
    """The current time of the assistant."""
    now = SystemClock(settings.time_zone, settings.now).now()
    zone = settings.time_zone or f"the machine's zone, {now:%Z}"
    if settings.now is not None:
        says = f"ASSISTANT_NOW is set: the clock starts at {now:%Y-%m-%d %H:%M} ({zone})"
        return [Doubtful("time", says, "remove it before customers come")]
    return [Fine("time", f"{now:%A, %Y-%m-%d %H:%M} ({zone})")]


def _set(known: Known) -> str:
    by_place: dict[str, list[str]] = {}
    for name in Settings.model_fields:
        if (place := known.set_in(name)) != "default":
            by_place.setdefault(place, []).append(f"ASSISTANT_{name.upper()}")
    told = "; ".join(f"from {place}: {', '.join(names)}" for place, names in by_place.items())
    return told or "nothing is set: all settings have their defaults"


def _origins(settings: Settings) -> Iterator[Finding]:
    if not settings.allowed_origins:
        yield Fine("origins", "none: only the server's own pages may connect")
        return
    for origin in settings.allowed_origins:
        at = urlsplit(origin)
        if at.scheme == "http" and at.netloc.partition(":")[0] not in _AT_HOME:
            cure = "serve that site over https, and name it so in ASSISTANT_ALLOWED_ORIGINS"
            yield Doubtful(
                "origins", f"{origin} may connect, and others on the network can read the traffic", cure
            )
        else:
            yield Fine("origins", f"{origin} may connect")


def _proxies(settings: Settings) -> Iterator[Finding]:
    if everyone := [one for one in settings.trusted_proxies if ip_network(one).prefixlen == 0]:
        says = f"{', '.join(everyone)} is trusted, so each client can forge its address"
        yield Doubtful("proxies", says, "list only your proxies in ASSISTANT_TRUSTED_PROXIES")
    elif settings.trusted_proxies:
        yield Fine("proxies", f"{', '.join(settings.trusted_proxies)} may say where a request comes from")
    elif settings.allowed_origins:
        says = "none is trusted: behind a proxy, all customers share the limits of one address"
        yield Doubtful(
            "proxies", says, "set ASSISTANT_TRUSTED_PROXIES to your proxy's address, such as 127.0.0.1"
        )
    else:
        yield Fine("proxies", "none: what a request says of its client's address is ignored")


def _site_secret(settings: Settings) -> Iterator[Finding]:
    if settings.site_secret is None:
        yield Fine("site secret", "not set: your site cannot sign its customers in")
    elif (length := min(map(len, secret_values(settings.site_secret)))) < _SHORTEST_SECRET:
        says = f"{length} characters long, which can be guessed"
        yield Wrong(
            "site secret", says, f"set ASSISTANT_SITE_SECRET to {_SHORTEST_SECRET} characters or more"
        )
    else:
        yield Fine("site secret", f"set, {length} characters")


def _openness(settings: Settings) -> Iterator[Finding]:
    if settings.demo and settings.allowed_origins:
        cure = "set ASSISTANT_DEMO=false before real customers come"
        yield Doubtful("visitors", "every visitor is the demo shop's customer", cure)
    else:
        yield Fine("visitors", "the demo shop's customer" if settings.demo else "anonymous until signed in")
    if settings.developer:
        says = "any client may ask for tools' names, arguments and results"
        yield Doubtful("developer", says, "set ASSISTANT_DEVELOPER=false before customers come")


_ELSEWHERE = "set ASSISTANT_DATA_DIR to a folder on this machine that can be written"


def folder_findings(settings: Settings) -> list[Finding]:
    """The findings about the data folder. Changes nothing in it, also while a server uses it."""
    folder = settings.data_dir
    if not folder.exists():
        return [_absent(folder)]
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return [Wrong("data folder", f"{folder} cannot be written: {error.strerror}", _ELSEWHERE)]
    return [
        _use(folder),
        disk_finding(folder, settings.min_free_disk_bytes),
        *_secret(folder / "secret"),
        *_log(folder / "log.db"),
    ]


def _absent(folder: Path) -> Finding:
    """The finding about a folder that does not exist yet: whether it can be created."""
    above = next(one for one in folder.absolute().parents if one.exists())
    try:
        with tempfile.TemporaryFile(dir=above):
            return Fine("data folder", f"{folder} is not there yet and will be made")
    except OSError as error:
        return Wrong("data folder", f"{folder} cannot be made: {above}: {error.strerror}", _ELSEWHERE)


def _use(folder: Path) -> Finding:
    if not (folder / "lock").exists():  # a test of the lock would create the file
        return Fine("data folder", f"{folder} can be written, and no other process uses it")
    try:
        with lock_data_folder(folder):
            return Fine("data folder", f"{folder} can be written, and no other process uses it")
    except StorageInUse:
        return Fine("data folder", f"{folder} can be written; a running assistant uses it")
    except DeclarationError as error:
        return Wrong("data folder", str(error))


def _secret(file: Path) -> Iterator[Finding]:
    try:
        read_secret(file.parent)
    except DeclarationError as error:
        yield Wrong("secret", str(error))
    if file.is_file() and file.stat().st_mode & 0o077:
        cure = f"chmod 600 {file}"
        yield Doubtful(
            "secret", f"{file}, which visitors' tokens are signed with, can be read by others", cure
        )


def _log(file: Path) -> Iterator[Finding]:
    if not file.exists():
        yield Fine("log", "empty: no conversation yet")
        return
    try:
        looked = inspect_file(file)
    except LogError as error:
        yield Wrong("log", str(error), "put a copy back, or move the file away to begin anew")
        return
    if looked.problem is not None:
        says, _, cure = looked.problem.partition("; ")
        yield Wrong("log", f"{file}: {says}", cure)
    elif looked.schema > looked.newest:
        says = (
            f"{file} was written by a newer release: its schema is {looked.schema}, the newest known here"
            f" {looked.newest}"
        )
        yield Wrong("log", says, "install that release again, or set ASSISTANT_DATA_DIR to another folder")
    else:
        later = (
            ""
            if looked.schema == looked.newest
            else f", and will be brought to {looked.newest} at the next start"
        )
        yield Fine("log", f"{file} can be read; schema {looked.schema}{later}")


async def budget_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """The budgets of tokens and money, and how much of today's is used. ``offline``: no database is asked."""
    limits = spending_limits(settings)
    if limits is None:
        return [Fine("budgets", "none: nothing limits what models cost")]
    told = "; ".join(f"{scope}: {limit}" for scope, limit in limits.by_scope.items())
    found: list[Finding] = [Fine("budgets", f"{told}; shorter answers from {limits.soft_share:.0%} on")]
    if any(limit.usd is not None for limit in limits.by_scope.values()) and (unknown := _unpriced(settings)):
        says = f"what {', '.join(unknown)} costs is not known, so it counts as nothing in a budget in USD"
        found.append(Doubtful("budgets", says, "set that budget in tokens, too"))
    if (limit := limits.by_scope.get("tenant")) is not None and not (
        offline and settings.database is not None
    ):
        used = await _spent_today(settings)
        stage = assess({"tenant": used}, replace(limits, by_scope={"tenant": limit})).stage
        says = (
            f"today all customers together have used {used.tokens} tokens and {used.usd:.2f} USD of {limit}"
        )
        cure = "raise ASSISTANT_TENANT_DAY_BUDGET, or wait until tomorrow"
        found.append(Fine("budgets", says) if stage == "ok" else Doubtful("budgets", says, cure))
    return found


async def _spent_today(settings: Settings) -> Spent:
    clock = SystemClock(settings.time_zone, settings.now)
    try:
        async with open_storage(settings, clock, SystemIds(), exclusive=False, create=False) as storage:
            return (await storage.spending.spent(settings.tenant, "", clock.now().date())).tenant
    except DeclarationError:
        return Spent()  # nothing is stored yet, or another check says what is wrong


def _unpriced(settings: Settings) -> list[str]:
    """The models that are asked for customers, and whose price is not known."""
    used = {name for names in names_of(settings).values() for name in names}
    direct = {name: read_name(name) for name in sorted({*used, settings.budget_model or "offline"})}
    keys: dict[str, PriceKey | None] = {}
    for name, meant in direct.items():
        if isinstance(meant, DirectName) and meant.provider != "xai":  # which says itself what a reply costs
            with suppress(DeclarationError):  # a missing key is told with the models
                keys[name] = price_key(meant, environment(settings))
    known = read_prices(frozenset(key for key in keys.values() if key is not None))
    return [name for name, key in keys.items() if key not in known]


_HERE = ("localhost", "127.0.0.1", "::1")


async def document_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """The findings about the document store. Changes nothing in it.

    ``offline``: no server is called. Raises ``DeclarationError`` and ``StoreError``, which contain their
    solutions.
    """
    place = place_of(settings)
    match place:
        case "embedded":
            return [Fine("documents", f"embedded, in {settings.data_dir / 'log.db'}"), *_idle_key(settings)]
        case "postgres":
            return [*await _postgres(settings, offline=offline), *_idle_key(settings)]
        case "qdrant":
            found = [_not_asked("Qdrant")] if offline else [await _qdrant(settings)]
            return [*found, *_key(settings)]
        case _:
            assert_never(place)


async def _postgres(settings: Settings, *, offline: bool) -> list[Finding]:
    address = documents_address(settings)
    if settings.database is not None and settings.database.get_secret_value() == address:
        return [Fine("documents", "in the database, with everything else")]
    if offline:
        return [_not_asked("PostgreSQL")]
    from assistant.store.postgres.inspection import inspect_database

    return schema_findings("documents", await inspect_database(address))


async def _qdrant(settings: Settings) -> Finding:
    check_qdrant_installed()
    from assistant.store.documents.qdrant_server import inspect_server

    version = await inspect_server(settings.document_store, key_of(settings))
    return Fine("documents", f"{settings.document_store}: Qdrant {version}")


def _not_asked(server: str) -> Finding:
    return Fine("documents", f"in {server}, which was not asked")


def _key(settings: Settings) -> Iterator[Finding]:
    at = urlsplit(settings.document_store)
    if settings.qdrant_api_key is not None and at.scheme == "http" and at.hostname not in _HERE:
        says = "ASSISTANT_QDRANT_API_KEY and all documents can be read by others on the network"
        yield Doubtful("documents", says, "reach it over https")


def _idle_key(settings: Settings) -> Iterator[Finding]:
    if settings.qdrant_api_key is not None:
        says = "ASSISTANT_QDRANT_API_KEY is set, and only a Qdrant server would need it"
        yield Doubtful("documents", says, "remove it, or name the server in ASSISTANT_DOCUMENT_STORE")


_PAGE = ("index.html", "meanwhile-chat.js")


def tool_findings(settings: Settings) -> list[Finding]:
    """Whether the tools can be loaded. Raises the errors of ``discover``, one line for each mistake."""
    folder = own_or_shipped(settings.tools_dir, "tools")
    tools = discover(folder)
    specs = tools.specs
    if not specs:
        cure = "declare a tool there, or set ASSISTANT_TOOLS_DIR to the folder that has them"
        return [Doubtful("tools", f"none in {folder}, so nothing can be looked up", cure)]
    writes = sum(spec.effect == "write" for spec in specs)
    counted = f"{len(specs)} in {folder}: {len(specs) - writes} look up, {writes} change something"
    return [Fine("tools", counted), *_warnings(tools, folder, settings)]


def _warnings(tools: Tools, folder: Path, settings: Settings) -> list[Finding]:
    """Possible mistakes in tools that models receive, including tools of servers. Makes no connection."""
    try:
        servers = read_mcp_folder(folder, McpServers(SystemClock(), jitter_from(SystemIds()), environment))
        tools = Tools([*tools, *servers.tools])
        book = PromptBook.load(Folders.of(settings).prompts)
    except AssistantError:
        return []  # The findings about servers and prompts report this.
    cure = "put it right, or leave it if it is meant; 'assistant tools check' shows it, too"
    found: list[Finding] = [Doubtful("tools", str(one), cure) for one in tool_warnings(tools, book)]
    own = [spec.name for spec in tools.specs if spec.credential]
    if own and settings.site_secret is None:
        says = (
            f"{', '.join(own)}: denied to all customers, because no site can send a customer's own credential"
        )
        found.append(
            Doubtful(
                "tools", says, "set ASSISTANT_SITE_SECRET here and on your site: docs/guides/identity.md"
            )
        )
    return found


def prompt_findings(settings: Settings) -> list[Finding]:
    """Whether the prompts can be loaded. Raises the errors of loading them."""
    folders = Folders.of(settings)
    book = PromptBook.load(folders.prompts)
    bundle = folders.contents().bundle(book.bundle)
    return [
        Fine("prompts", f"{len(book.sources)} files in {folders.prompts}; with the tools, bundle {bundle}"),
        language_finding(book, settings.default_locale),
    ]


def language_finding(book: PromptBook, default: str) -> Finding:
    """The languages, and in which of them all guardrails work; a warning if a guardrail does not work in the
    default language.
    """
    from assistant.turn.guardrails.guardrail import GUARDRAILS, works_in

    silent = {
        locale: [name for name in GUARDRAILS if not works_in(name, book, locale)] for locale in book.locales
    }
    everywhere = [locale for locale, names in silent.items() if not names]
    says = f"{', '.join(silent)}; all guardrails work in {' and '.join(everywhere) or 'none of them'}"
    if names := silent.get(book.locale_for(default, "en").partition("-")[0]):
        cure = "look at what models write in it before customers do: docs/reference/languages.md"
        return Doubtful("languages", f"{says}; in {default}, {' and '.join(names)} are silent", cure)
    return Fine("languages", says)


def policy_findings(settings: Settings) -> list[Finding]:
    """Whether the policies can be loaded and fit the tools. Raises the errors of loading them."""
    from assistant.replay.player.environment import environment_of

    folder = Folders.of(settings).policies
    escalation = read_escalation(folder)
    found = read_policies(folder, must_exist=settings.policies_dir is not None)
    if not found and escalation == NO_ESCALATION:
        return [Fine("policies", f"none in {display_path(folder)}")]
    loaded = environment_of(settings)
    check_escalation(escalation, loaded.tools, loaded.policies)
    check_policies(loaded.policies, loaded.tools, server_of(settings, loaded.tools))
    rules = sum(len(policy.rules) for policy in loaded.policies)
    counted = f"{len(loaded.policies)} in {display_path(folder)}, with {rules} rule{'s' * (rules != 1)}"
    finding = Fine("policies", counted if found else f"none in {display_path(folder)}")
    if escalation == NO_ESCALATION:
        return [finding]
    number = len(escalation.rules)
    says = f"{number} rule{'s' * (number != 1)} in {display_path(folder)}/{ESCALATION_FILE}"
    if not settings.console and settings.operator_token is None and settings.handoff_webhook_url is None:
        cure = "turn the console on with ASSISTANT_CONSOLE=true, or see docs/guides/handoff.md"
        return [finding, Doubtful("escalation", f"{says}, and no people to bring conversations to", cure)]
    return [finding, Fine("escalation", says)]


def page_findings(web: Path | None = None) -> list[Finding]:
    """Whether the page and the widget's bundle exist; the default of ``web`` is the package's folder."""
    from assistant.server.pages import folders

    web = web or shipped("web")
    places = folders(web)
    missing = [name for name in _PAGE if not any((place / name).is_file() for place in places)]
    if missing:
        says = f"{' and '.join(missing)} not found in {web}"
        return [Wrong("page", says, "install the package again; in a checkout, build the widget")]
    return [Fine("page", f"the page and the widget are in {web}")]
