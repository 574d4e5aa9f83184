"""Every setting of an operator: from the environment (`ASSISTANT_*`) or a `.env` file, checked at start.

:mod:`assistant.settings_sources` reads them.
"""

import json
import re
from datetime import datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from assistant.conversation.usage import BudgetScope, SpendingLimit, SpendingLimits

PREFIX = "ASSISTANT_"
FILE = ".env"
_TENANT = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?")
_USUAL_PORT = {"http": "80", "https": "443"}


def _listed(given: object) -> object:
    """Returns a text as a list: in JSON, or with commas between."""
    if not isinstance(given, str):
        return given
    if not given.lstrip().startswith("["):
        return [part.strip() for part in given.split(",") if part.strip()]
    try:
        return json.loads(given)
    except ValueError as error:
        raise ValueError(f"begins like a JSON list and is none: {error}; commas alone will do") from error


def _origin(given: str) -> str:
    """Returns a web origin as browsers send it: lower case, the usual port left out."""
    origin = _ORIGIN.fullmatch(given.lower())
    if origin is None:
        raise ValueError(
            "not a web origin; write scheme, host and perhaps port, and no path: 'https://www.example.com'"
        )
    scheme, host, port = origin.groups()
    return f"{scheme}://{host}" if port in (None, _USUAL_PORT[scheme]) else f"{scheme}://{host}:{port}"


def _mapped(given: object) -> object:
    """Returns a text as the JSON object that it is."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError as error:
        raise ValueError(f"no JSON: {error}; write it like {_EXAMPLE}") from error


def _roles_mapped(given: object) -> object:
    """Returns a text as the JSON object that it is; one role may stand without a list."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise ValueError(f'no JSON: {error}; write it like {{"support": "agent"}}') from error
    if not isinstance(given, dict):
        raise ValueError('not a JSON object; write it like {"support": "agent"}')  # noqa: TRY004 - for pydantic
    mapped: dict[object, object] = given  # pyright: ignore[reportUnknownVariableType]
    return {claim: [roles] if isinstance(roles, str) else roles for claim, roles in mapped.items()}


def _network(given: str) -> str:
    """Returns the addresses of proxies: one address, or a network."""
    try:
        network = ip_network(given)
    except ValueError as error:
        raise ValueError(
            f"{error}; write an address such as '127.0.0.1' or a network such as '10.0.0.0/8'"
        ) from error
    return str(network.network_address if network.num_addresses == 1 else network)


def _budget(given: object) -> object:
    return SpendingLimit.parse(given) if isinstance(given, str) else given


def tenant_name(given: str) -> str:
    """A tenant's name: it is a part of host names, addresses and keys."""
    if not _TENANT.fullmatch(given):
        raise ValueError(
            "not a tenant's name; use lower-case letters, digits and hyphens, such as 'acme-spa'"
        )
    return given


_EXAMPLE = '{"openai/gpt-6-luna": {"parallel_calls": false}}'

Origin = Annotated[str, AfterValidator(_origin)]
Network = Annotated[str, AfterValidator(_network)]

_Budget = Annotated[SpendingLimit | None, NoDecode, BeforeValidator(_budget)]

StaffRoles = list[Literal["agent", "editor", "analyst", "admin"]]

_Item = TypeVar("_Item")
_Listed = Annotated[list[_Item], NoDecode, BeforeValidator(_listed)]


class ModelSettings(BaseModel):
    """Options of one model, in any role. Options that are not set come from its role."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: Literal["native", "json", "yaml"] = Field(
        default="native", description="how it calls tools: in its provider's own way, or in text"
    )
    sections: Literal["markdown", "xml"] = Field(
        default="markdown", description="in text: how calls and results are marked"
    )
    parallel_calls: bool | None = Field(default=None, description="it may make several calls in one reply")
    formatted: bool | None = Field(default=None, description="messages have the provider's format")
    images: bool | None = Field(
        default=None, description="it can see pictures; to other models they are described"
    )
    max_tokens: int | None = Field(default=None, ge=1, description="its longest reply, in tokens")
    context_tokens: int | None = Field(
        default=None, ge=2_000, description="the longest request to it, in tokens"
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="how freely it chooses its words")
    family: str = Field(
        default="",
        description="the family whose rules it follows, if its name does not show it, such as 'gpt-5'",
    )
    extra: dict[str, JsonValue] = Field(
        default={}, description="more fields of the request, in the provider's format"
    )


class Settings(BaseSettings):
    """All settings. Each field is the environment variable `ASSISTANT_<NAME>`; an empty value counts as not set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=FILE, env_ignore_empty=True, extra="ignore", frozen=True
    )

    data_dir: Path = Field(
        default=Path("data"), description="where the log, the secret and the demo CRM are kept"
    )
    min_free_disk_bytes: int = Field(
        default=100_000_000,
        ge=0,
        description="without a database: with less room than this for the data folder, in bytes, /readyz says that "
        "the server is not ready",
    )
    database: SecretStr | None = Field(
        default=None,
        description="the PostgreSQL database in which everything is stored, for several servers; SQLite files in "
        "the data folder when left out",
    )
    tenants_dir: Path = Field(
        default=Path("tenants"),
        description="the folder of tenants, where several companies share this installation: a folder for each",
    )
    tenant: Annotated[str, AfterValidator(tenant_name)] = Field(
        default="demo",
        description="of several tenants, the one that a command is about, as its option --tenant says; of one "
        "company, the name under which its data are stored",
    )
    lease_s: float = Field(
        default=10.0,
        ge=1,
        le=600,
        description="with a database: the conversations of a server without a beat for this many seconds are "
        "continued by the others",
    )
    run_jobs: bool = Field(
        default=True,
        description="`assistant serve` does background work, too; with a database, it can be left to `assistant "
        "worker`",
    )
    temporal: str | None = Field(
        default=None,
        pattern=r"^[^/\s]+:\d{1,5}(/[^/\s]+)?$",
        description="the address of the Temporal server that runs tools of minutes to days, with a namespace where "
        "it is not 'default', such as 'localhost:7233/shop'; without it, the conversation's server runs them. "
        "Temporal's own variables, such as TEMPORAL_API_KEY, say the rest",
    )
    tools_dir: Path | None = Field(
        default=None, description="the folder of tools; the project's own when left out"
    )
    prompts_dir: Path | None = Field(
        default=None, description="the folder of prompts; the project's own when left out"
    )
    policies_dir: Path | None = Field(
        default=None,
        description="the folder of policies; 'policies' next to the folder of tools when left out",
    )
    model: str = Field(
        default="offline", description="the decision model: 'offline', or a provider's model by its name"
    )
    narrator_model: str | None = Field(
        default=None, description="the narrator; the decision model when left out"
    )
    summary_model: str | None = Field(
        default=None,
        description="puts large results and long conversations into few words; the decision model when left out, "
        "'offline' for rules alone",
    )
    simulator_model: str | None = Field(
        default=None,
        description="plays the customer where one is simulated; the decision model when left out",
    )
    fallback_models: _Listed[str] = Field(
        default=[], description="asked in this order when the decision model fails, with commas between"
    )
    narrator_fallback_models: _Listed[str] | None = Field(
        default=None, description="the same for the narrator; the decision model's when left out"
    )
    model_options: Annotated[dict[str, ModelSettings], NoDecode, BeforeValidator(_mapped)] = Field(
        default={}, description="what holds for one model only, as JSON by its name"
    )
    model_attempts: int = Field(
        default=3, ge=1, le=10, description="how often one model is asked before the next one is"
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="of the decision model")
    narrator_temperature: float | None = Field(default=None, ge=0, le=2, description="of the narrator")
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="the longest reply of the decision model, in tokens; 1024 when left out, 4096 for a model "
        "that thinks",
    )
    narrator_max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="the longest reply of the narrator, in tokens; left out, as for the decision model",
    )
    context_tokens: int = Field(
        default=32_000, ge=2_000, description="the most that one request to a model may hold, in tokens"
    )
    first_token_timeout_s: float = Field(
        default=20, gt=0, description="how long a model may take to begin, in seconds"
    )
    next_token_timeout_s: float = Field(
        default=15, gt=0, description="how long a model may fall silent, in seconds"
    )
    thinking_timeout_s: float = Field(
        default=60,
        gt=0,
        description="how long a model may think before its next word, while it shows signs of life, in seconds",
    )
    reply_timeout_s: float = Field(
        default=120,
        gt=0,
        description="how long one reply of a model may take, in seconds; then it is stopped",
    )
    disconnected_timeout_s: float = Field(
        default=60,
        gt=0,
        description="how long a model continues a reply while no client is connected, in seconds",
    )
    turn_budget: _Budget = Field(
        default=None,
        description="how much one answer may cost, such as '20000 tokens', '0.05 USD', or both with a comma "
        "between; no limit when left out",
    )
    conversation_budget: _Budget = Field(
        default=None, description="the same for a whole conversation, without its summaries"
    )
    customer_day_budget: _Budget = Field(
        default=None, description="the same for one customer and day, in all conversations"
    )
    tenant_day_budget: _Budget = Field(
        default=None, description="the same for all customers of the company together and a day"
    )
    budget_soft_percent: int = Field(
        default=80,
        ge=1,
        le=100,
        description="from which part of a budget on answers are shorter, and come from ASSISTANT_BUDGET_MODEL",
    )
    budget_model: str | None = Field(
        default=None,
        description="a cheaper model, which decides and narrates when a budget is nearly spent; the usual ones "
        "when left out",
    )
    tools_timeout_s: float = Field(
        default=30, gt=0, description="how long the tools of one turn may take, in seconds"
    )
    max_image_pixels: int = Field(
        default=1_500_000,
        ge=10_000,
        description="how many pixels a tool's picture may have; larger ones are scaled down",
    )
    knowledge_dir: Path | None = Field(
        default=None,
        description="the folder of documents that answers are drawn from; the project's own when left out",
    )
    knowledge_trusted: bool = Field(
        default=False,
        description="the company's documents hold nothing but its own words, so a change is not asked about "
        "because a passage of them was read",
    )
    document_store: str = Field(
        default="embedded",
        description="where documents are kept: 'embedded' is with everything else; or the address of a PostgreSQL "
        "database or a Qdrant server",
    )
    media_store: str | None = Field(
        default=None,
        description="where the pictures and files of tools' results are kept: the address of an S3-compatible "
        "store, such as 's3://bucket/folder'; with the conversations when left out",
    )
    qdrant_api_key: SecretStr | None = Field(
        default=None, description="the key of the Qdrant server in ASSISTANT_DOCUMENT_STORE"
    )
    embedding_model: str = Field(
        default="offline",
        description="finds documents by meaning: 'offline', or a provider's model by its name",
    )
    uploads: bool = Field(default=True, description="customers may show the assistant files of their own")
    max_upload_bytes: int = Field(
        default=10_000_000, ge=1, description="the largest file that may be uploaded, in bytes"
    )
    keep_conversations_days: int | None = Field(
        default=None, ge=1, description="how long conversations are kept, in days; permanently when left out"
    )
    keep_model_replies_days: int | None = Field(
        default=30, ge=1, description="how long models' raw replies are kept, in days"
    )
    keep_tool_results_days: int | None = Field(
        default=90, ge=1, description="how long tools' full results are kept to be looked up later, in days"
    )
    keep_uploads_days: int | None = Field(
        default=90, ge=1, description="how long customers' files are kept, in days"
    )
    voice: bool = Field(
        default=True, description="customers may speak and be spoken to, where the `voice` extra is installed"
    )
    preload_speech: bool = Field(
        default=False,
        description="load the speech models at the start; otherwise the first customer who speaks waits for them",
    )
    transcription_model: str = Field(
        default="offline",
        description="writes down what customers say: 'offline', or a provider's model by its name",
    )
    speech_model: str = Field(
        default="offline", description="says answers aloud: 'offline', or a provider's model by its name"
    )
    speech_voice: str | None = Field(
        default=None,
        description="which of a provider's voices speaks, by its own name; needed with its model",
    )
    whisper_dir: Path | None = Field(
        default=None,
        description="the folder of another Whisper model for ctranslate2; the installed one when left out",
    )
    transcription_workers: int = Field(
        default=1,
        ge=1,
        le=64,
        description="how many utterances are written down at the same time, each on a core",
    )
    phone_url: str | None = Field(
        default=None,
        description="where the telephone company reaches this server, such as 'https://talk.example.com'",
    )
    phone_auth_token: SecretStr | None = Field(
        default=None, description="with which Twilio signs its requests: the account's auth token"
    )
    phone_mode: Literal["relay", "media"] = Field(
        default="relay",
        description="who hears and speaks on the phone: 'relay', Twilio itself; 'media', the models set here",
    )
    phone_transfer_number: str | None = Field(
        default=None,
        description="the number of your people, to which callers are passed on, such as '+4681234567'; needs "
        "ASSISTANT_OPERATOR_TOKEN or ASSISTANT_HANDOFF_WEBHOOK_URL",
    )
    new_message: Literal["queue", "interrupt"] = Field(
        default="queue",
        description="what a message does that comes while another one is being answered: 'queue' lets it wait, "
        "'interrupt' stops the answer",
    )
    operator_token: SecretStr | None = Field(
        default=None,
        description="with which your people take conversations over; 32 characters or more",
    )
    console: bool = Field(default=True, description="serve the console for staff at `/console`")
    assign_automatically: bool = Field(
        default=False,
        description="give each conversation that waits for a person to the available person with the fewest open "
        "ones, within 15 seconds",
    )
    console_idle_hours: float = Field(
        default=8, gt=0, le=720, description="hours without a request after which staff must sign in again"
    )
    console_session_days: float = Field(
        default=7, gt=0, le=90, description="days after which staff must sign in again in any case"
    )
    console_accent: str | None = Field(
        default=None,
        pattern=r"^#[0-9a-fA-F]{6}$",
        description="the colour of buttons and links in the console, such as '#7a2e5c'; it is made darker or "
        "lighter where text would be hard to read",
    )
    console_passwords: bool = Field(
        default=True,
        description="staff may sign in with a password; if not, only with ASSISTANT_OIDC_ISSUER or a one-time link",
    )
    oidc_issuer: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="the address of your identity provider, with which staff sign in to the console by OpenID "
        "Connect, such as 'https://id.example.com/realms/staff'; exactly as the provider writes it",
    )
    oidc_client_id: str | None = Field(
        default=None, description="the name under which the provider knows the console"
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None,
        description="the secret that the provider gave for it; left out for a client without one",
    )
    oidc_label: str | None = Field(
        default=None,
        max_length=60,
        description="what the sign-in page calls the provider, as in 'Sign in with Acme'; its host when left out",
    )
    oidc_scopes: str = Field(
        default="openid email profile",
        pattern=r"^[!-~]+( [!-~]+)*$",
        description="what the provider is asked for, with spaces between; some send groups only if asked for them",
    )
    oidc_login_claim: str = Field(
        default="email",
        min_length=1,
        description="the claim that is a person's login: 'email', or another one such as 'preferred_username'",
    )
    oidc_email_verified: bool = Field(
        default=True,
        description="the provider must say that a person's e-mail address is verified; switch it off only if it "
        "never says so, and no one can choose their address there",
    )
    oidc_domains: _Listed[str] = Field(
        default=[],
        description="the domains of e-mail addresses that may sign in, with commas between, such as 'example.com'; "
        "all when left out",
    )
    oidc_new_accounts: bool = Field(
        default=True,
        description="a person's account is made at the first sign-in; if not, an admin adds the person before",
    )
    oidc_roles_claim: str = Field(
        default="groups",
        min_length=1,
        description="the claim that says what a person is, as a name or with dots for a claim inside another, such "
        "as 'realm_access.roles'",
    )
    oidc_roles: Annotated[dict[str, StaffRoles], NoDecode, BeforeValidator(_roles_mapped)] = Field(
        default={},
        description="the roles that a value of ASSISTANT_OIDC_ROLES_CLAIM gives, as JSON, such as "
        '\'{"support": "agent", "support-leads": ["agent", "analyst"]}\'; they are set anew at each sign-in. '
        "When left out, admins give roles in the console",
    )
    keep_audit_days: int | None = Field(
        default=None,
        ge=1,
        description="days until the records of what staff did are deleted; never when left out",
    )
    handoff_webhook_url: str | None = Field(
        default=None, description="where requests for a person, and what customers tell them, are sent"
    )
    handoff_webhook_secret: SecretStr | None = Field(
        default=None,
        description="what the requests to ASSISTANT_HANDOFF_WEBHOOK_URL are signed with; 32 characters or more",
    )
    handoff_timeout_s: float = Field(
        default=60,
        gt=0,
        description="how long a person may take to accept, until a ticket is opened, in seconds",
    )
    webhook_urls: _Listed[str] = Field(
        default=[],
        description="where events of conversations are sent, such as 'https://crm.example.com/events', with commas "
        "between",
    )
    webhook_secret: SecretStr | None = Field(
        default=None,
        description="what the requests to ASSISTANT_WEBHOOK_URLS are signed with; 32 characters or more",
    )
    webhook_events: _Listed[
        Literal[
            "conversation.started",
            "conversation.ended",
            "turn.ended",
            "message.rated",
            "handoff.changed",
            "budget.reached",
        ]
    ] = Field(default=[], description="which events are sent, with commas between; all when left out")
    webhook_text: bool = Field(default=False, description="events contain what customers and assistant said")
    conversation_idle_min: int = Field(
        default=30,
        ge=1,
        le=720,
        description="minutes without a message after which a conversation has ended, for webhooks and reports",
    )
    now: datetime | None = Field(
        default=None, description="the time at which the clock starts; the real time when left out"
    )
    time_zone: str | None = Field(
        default=None, description="such as 'Europe/Stockholm'; the machine's when left out"
    )
    developer: bool = Field(
        default=False, description="clients may ask for tool names, arguments and results"
    )
    demo: bool = Field(default=True, description="visitors are the demo shop's customer")
    allowed_origins: _Listed[Origin] = Field(
        default=[], description="further web origins that may connect, with commas between"
    )
    hosts: _Listed[str] = Field(
        default=[],
        description="further host names that are answered, with commas between; of several tenants, each has its "
        "own, and NAME.localhost when left out",
    )
    trusted_proxies: _Listed[Network] = Field(
        default=[],
        description="the addresses and networks of your reverse proxies, with commas between, such as '127.0.0.1'; "
        "only they are believed what they say of a client's address, scheme and host name",
    )
    messages_per_minute: int = Field(
        default=30, ge=1, description="how many messages one customer or address may send in a minute"
    )
    site_secret: SecretStr | None = Field(
        default=None, description="what your site signs its customers' tokens with; 32 characters or more"
    )
    default_locale: str = Field(
        default="en", description="the language that is spoken where a customer's own is not known"
    )
    metrics_listen: str | None = Field(
        default=None,
        pattern=r"^(\[[0-9a-fA-F:]+\]|[^:\s]+):\d{1,5}$",
        description="the address and port at which `/metrics` is served for Prometheus, such as '127.0.0.1:9464'; "
        "an address that other machines reach needs ASSISTANT_METRICS_TOKEN. Without both, there are no metrics",
    )
    metrics_token: SecretStr | None = Field(
        default=None,
        description="the token that a request for `/metrics` must bring; with it, the server's own port answers "
        "such requests, too; 32 characters or more",
    )
    otlp_endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+(/\S*)?$",
        description="the OpenTelemetry collector that gets traces, such as 'http://localhost:4318'; needs the "
        "extra `otel`. OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_HEADERS, say the rest",
    )
    trace_share: float = Field(
        default=1.0, ge=0, le=1, description="the share of turns that are traced, from 0 to 1"
    )
    trace_contents: bool = Field(
        default=False,
        description="traces contain messages, arguments and results, with personal data masked as in the log",
    )
    log_format: Literal["console", "json"] = Field(
        default="console", description="how log lines are written: 'console' for people, 'json' for programs"
    )
    hot_reload: bool = Field(default=True, description="edits of prompts and tools are loaded while serving")


def spending_limits(settings: Settings) -> SpendingLimits | None:
    """Returns the budgets, or None if there are none."""
    given: dict[BudgetScope, SpendingLimit | None] = {
        "turn": settings.turn_budget,
        "conversation": settings.conversation_budget,
        "customer": settings.customer_day_budget,
        "tenant": settings.tenant_day_budget,
    }
    limits: dict[BudgetScope, SpendingLimit] = {
        scope: limit for scope, limit in given.items() if limit is not None
    }
    return SpendingLimits(by_scope=limits, soft_share=settings.budget_soft_percent / 100) if limits else None


class TenantSettings(Settings):
    """The settings of one of several tenants. The values in the tenant's file replace the installation's."""

    folder: Path
