"""Passes long calls to Temporal: the adapter for :class:`assistant.tools.long_calls.LongRunner`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from datetime import timedelta
from functools import cache
from typing import Any

import structlog
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.errordetails.v1 import NamespaceNotFoundFailure
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest, DescribeNamespaceRequest
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import WorkflowIDReusePolicy
from temporalio.envconfig import ClientConfigProfile, ClientConnectConfig
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RPCError, RPCStatusCode

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import RunnerName
from assistant.errors import DeclarationError
from assistant.tools.long_calls import LongCallOrder, LongRunnerAway
from assistant.tools.temporal.workflow import TOOLS_QUEUE, WORKFLOW

log = structlog.get_logger(__name__)

_ANSWERS = timedelta(seconds=5)
"""If Temporal does not answer within this time, it counts as away."""

_OURS = ("TEMPORAL_API_KEY", "TEMPORAL_TLS", "TEMPORAL_GRPC_META")
"""The prefixes of Temporal's own variables that we read. Address and namespace are in our setting."""

_CURES = (
    ("UnknownIssuer", "TEMPORAL_TLS_SERVER_CA_CERT_PATH must name the certificate of the authority that signed"
     " the server's"),
    ("NotValidForName", "TEMPORAL_TLS_SERVER_NAME must be a name that is in the server's certificate"),
    ("InvalidContentType", "it does not speak TLS: take out TEMPORAL_TLS..., or set TEMPORAL_TLS=false"),
    ("InconsistentKeys", "TEMPORAL_TLS_CLIENT_KEY_PATH is not the key of TEMPORAL_TLS_CLIENT_CERT_PATH"),
    ("client cert and private key", "set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH"),
    ("after connection", "if it wants TLS, set TEMPORAL_TLS=true; if it wants a client's certificate, set"
     " TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH"),
    ("dns error", "check the host in ASSISTANT_TEMPORAL"),
    ("", "check that it runs, and the host and port in ASSISTANT_TEMPORAL"),
)  # fmt: skip
"""Parts of error texts of Temporal's client, each with what helps. The first one that is found is used."""

_KEY_CURE = "check TEMPORAL_API_KEY, and that it may use this namespace"


@cache
def _runtime() -> Runtime:
    """Returns a runtime that does not log each connection attempt; we log once that Temporal is away."""
    quiet = LoggingConfig(filter=TelemetryFilter(core_level="ERROR", other_level="ERROR"))
    return Runtime(telemetry=TelemetryConfig(logging=quiet))


def connection_options(environ: Mapping[str, str]) -> ClientConnectConfig:
    """Returns the options for TLS and the API key, from the variables that all programs of Temporal read,
    such as ``TEMPORAL_API_KEY``.

    An API key turns TLS on. Raises ``DeclarationError`` if a file cannot be read.
    """
    ours = {name: value for name, value in environ.items() if name.startswith(_OURS)}
    try:
        profile = ClientConfigProfile.load(disable_file=True, override_env_vars=ours)
        return profile.to_client_connect_config()
    except OSError as error:
        name = next((name for name, value in ours.items() if value == error.filename), "TEMPORAL_TLS")
        raise DeclarationError(
            f"{name}={error.filename!r}: {error.strerror}; name a file in PEM format"
        ) from error
    except (RuntimeError, ValueError) as error:
        raise DeclarationError(f"{', '.join(ours)}: {error}") from error


class TemporalRunner:
    """Runs long calls as workflows. The id of a workflow has the tenant and the call's idempotency key.

    Args:
        address: the address of Temporal's frontend, ``host:port``.
        namespace: the namespace of the workflows.
        options: TLS and API key.

    Attributes:
        away: the reason why the last request failed; None: it succeeded.
    """

    def __init__(self, address: str, namespace: str, options: ClientConnectConfig | None = None) -> None:
        self._address, self._namespace = address, namespace
        self._options: ClientConnectConfig = options or {}
        self._connected: Client | None = None
        self.away: str | None = None

    @property
    def name(self) -> RunnerName:
        """The runner's name in the log."""
        return "temporal"

    @property
    def place(self) -> str:
        """The address and the namespace of the server, for messages."""
        return f"{self._address}, namespace {self._namespace!r}"

    async def client(self) -> Client:
        """Returns the connection, which is opened when it is first needed. Raises ``LongRunnerAway``."""
        if self._connected is None:
            options = self._options
            try:
                self._connected = await asyncio.wait_for(
                    Client.connect(
                        self._address,
                        namespace=self._namespace,
                        api_key=options.get("api_key"),
                        tls=options.get("tls", False),
                        rpc_metadata=options.get("rpc_metadata", {}),
                        runtime=_runtime(),
                    ),
                    _ANSWERS.total_seconds(),
                )
            except TimeoutError as error:
                raise self._not_there("no answer", "") from error
            except (RuntimeError, ValueError) as error:
                raise self._not_there(
                    str(error).removeprefix("Failed client connect: "), str(error)
                ) from error
        return self._connected

    async def check(self) -> None:
        """Check that Temporal answers and has the namespace. Raises ``LongRunnerAway``, which says what to
        do, if not.

        It also sets ``away``, and logs changes of it.
        """
        try:
            client = await self.client()
            async with self._answering():
                await client.workflow_service.describe_namespace(
                    DescribeNamespaceRequest(namespace=self._namespace), timeout=_ANSWERS
                )
        except LongRunnerAway as error:
            if self.away is None:
                log.warning("Temporal is away: long calls wait for it", why=str(error))
            self.away = str(error)
            raise
        if self.away is not None:
            log.info("Temporal is back")
        self.away = None

    async def is_open(self, tenant: str, idempotency_key: str) -> bool:
        """Whether the call's workflow has not ended. Raises ``LongRunnerAway``."""
        client = await self.client()
        async with self._answering():
            workflow = client.get_workflow_handle(_id(tenant, idempotency_key))
            described = await workflow.describe(rpc_timeout=_ANSWERS)
            return described.status is WorkflowExecutionStatus.RUNNING
        return False

    async def start(self, order: LongCallOrder) -> None:
        """Start the call's workflow, unless there already is one, even one that has ended."""
        client = await self.client()
        async with self._answering():
            # An earlier process may have started it, and its record of that was lost.
            with suppress(WorkflowAlreadyStartedError):
                await client.start_workflow(
                    WORKFLOW,
                    order_to_json(order),
                    id=_id(order.key.tenant, order.idempotency_key),
                    task_queue=TOOLS_QUEUE,
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                    rpc_timeout=_ANSWERS,
                )

    async def stop(self, tenant: str, idempotency_key: str) -> None:
        """Send the workflow its signal to stop."""
        client = await self.client()
        async with self._answering():
            workflow = client.get_workflow_handle(_id(tenant, idempotency_key))
            await workflow.signal("stop", rpc_timeout=_ANSWERS)

    async def erase(self, tenant: str, idempotency_keys: Sequence[str]) -> None:
        """End the workflows, and delete their histories, which contain the calls' arguments and outcomes."""
        client = await self.client()
        for key in idempotency_keys:
            workflow = WorkflowExecution(workflow_id=_id(tenant, key))
            async with self._answering():
                # Deleting also ends a running workflow. After a termination, deleting would take half a
                # minute.
                await client.workflow_service.delete_workflow_execution(
                    DeleteWorkflowExecutionRequest(namespace=client.namespace, workflow_execution=workflow),
                    timeout=_ANSWERS,
                )

    @asynccontextmanager
    async def _answering(self) -> AsyncGenerator[None]:
        """Raises ``LongRunnerAway`` if a request fails. A missing workflow is no error."""
        try:
            yield
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                details = error.grpc_status.details
                if any(one.Is(NamespaceNotFoundFailure.DESCRIPTOR) for one in details):
                    cure = f"temporal operator namespace create --namespace {self._namespace}"
                    raise LongRunnerAway(
                        f"Temporal at {self._address} has no namespace {self._namespace!r}: name another one in "
                        f"ASSISTANT_TEMPORAL, or create it: {cure}"
                    ) from error
                return
            refused = error.status in (RPCStatusCode.UNAUTHENTICATED, RPCStatusCode.PERMISSION_DENIED)
            raise LongRunnerAway(
                f"Temporal at {self._address}: {error.message}; {_KEY_CURE if refused else _cure(error.message)}"
            ) from error

    def _not_there(self, why: str, told: str) -> LongRunnerAway:
        return LongRunnerAway(f"Temporal at {self._address} cannot be used: {why}; {_cure(told)}")


def _cure(told: str) -> str:
    if "Unauthenticated" in told or "PermissionDenied" in told:
        return _KEY_CURE
    return next(cure for part, cure in _CURES if part in told)


def _id(tenant: str, idempotency_key: str) -> str:
    return f"{tenant}/{idempotency_key}"


def order_to_json(order: LongCallOrder) -> dict[str, Any]:
    """Returns an order as plain JSON, which never contains a credential."""
    return asdict(replace(order, customer=replace(order.customer, credential=None)))


def order_from_json(data: dict[str, Any]) -> LongCallOrder:
    """Returns the inverse of ``order_to_json``."""
    made: dict[str, Any] = {
        "key": ConversationKey(**data["key"]),
        "customer": Customer(**data["customer"]),
    }
    return LongCallOrder(**{**data, **made})
