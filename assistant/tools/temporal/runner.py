"""Passes long calls on to Temporal: the adapter of :class:`assistant.tools.long_calls.LongRunner`."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import RunnerName
from assistant.tools.long_calls import LongCallOrder, LongRunnerAway
from assistant.tools.temporal.workflow import TOOLS_QUEUE, WORKFLOW

_ANSWERS = timedelta(seconds=5)
"""Temporal is away if it does not answer for so long."""


class TemporalRunner:
    """Long calls as workflows. A call's workflow has the tenant and the call's idempotency key as its id.

    Args:
        address: of Temporal's frontend, ``host:port``.
        namespace: in which the workflows are.
    """

    def __init__(self, address: str, namespace: str) -> None:
        self._address, self._namespace = address, namespace
        self._connected: Client | None = None

    @property
    def name(self) -> RunnerName:
        """Its name in the log."""
        return "temporal"

    async def client(self) -> Client:
        """The connection, which is opened when it is first needed. Raises ``LongRunnerAway``."""
        if self._connected is None:
            try:
                self._connected = await Client.connect(self._address, namespace=self._namespace)
            except RuntimeError as error:
                raise LongRunnerAway(f"Temporal at {self._address} does not answer: {error}") from error
        return self._connected

    async def start(self, order: LongCallOrder) -> None:
        """Start the call's workflow, unless there is one, which may have ended."""
        client = await self.client()
        async with self._answering():
            # It may have been started by an earlier process, whose record of it was lost.
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
        """Send the workflow its signal."""
        client = await self.client()
        async with self._answering():
            workflow = client.get_workflow_handle(_id(tenant, idempotency_key))
            await workflow.signal("stop", rpc_timeout=_ANSWERS)

    async def erase(self, tenant: str, idempotency_keys: Sequence[str]) -> None:
        """End the workflows, and delete their histories, which have the calls' arguments and outcomes."""
        client = await self.client()
        for key in idempotency_keys:
            workflow = WorkflowExecution(workflow_id=_id(tenant, key))
            async with self._answering():
                # It ends what runs; what was terminated before takes half a minute to be deleted.
                await client.workflow_service.delete_workflow_execution(
                    DeleteWorkflowExecutionRequest(namespace=client.namespace, workflow_execution=workflow),
                    timeout=_ANSWERS,
                )

    @asynccontextmanager
    async def _answering(self) -> AsyncGenerator[None]:
        """Raises ``LongRunnerAway`` when Temporal does not do it; a workflow that has ended is fine."""
        try:
            yield
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise LongRunnerAway(f"Temporal at {self._address}: {error.message}") from error


def _id(tenant: str, idempotency_key: str) -> str:
    return f"{tenant}/{idempotency_key}"


def order_to_json(order: LongCallOrder) -> dict[str, Any]:
    """An order as plain JSON. A credential is never in it."""
    return asdict(replace(order, customer=replace(order.customer, credential=None)))


def order_from_json(data: dict[str, Any]) -> LongCallOrder:
    """The inverse of ``order_to_json``."""
    key, call, customer = data["key"], data["call"], data["customer"]
    made: dict[str, Any] = {
        "key": ConversationKey(**key),
        "call": Call(**call),
        "customer": Customer(**customer),
    }
    return LongCallOrder(**{**data, **made})
