"""The handoff backends inside this process: the built-in inbox, and several backends as one."""

import asyncio
from collections.abc import Coroutine, Sequence

from assistant.conversation.customer import ConversationKey
from assistant.ports import HandoffAnswer, HandoffBackend, HandoffRequest, NoAgentAvailable, Queued


class BuiltinInbox:
    """Accepts every request, because operators see it in their list."""

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:  # noqa: ARG002 - as the port has it
        """Does nothing else: the request is already in the operators' list."""
        return Queued()

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Does nothing: operators receive each message when it becomes durable."""

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Does nothing: the ticket stays in the operators' list until an operator ends it."""

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Does nothing: operators receive this change, too."""

    async def erase(self, tenant: str, customer: str) -> None:
        """Does nothing: the operators' list reads open conversations, which are erased."""

    async def stop(self) -> None:
        """Does nothing."""


class CompositeBackend:
    """Sends a handoff request to every backend. The first to accept queues it.

    No one is available when each backend has said so or has failed.
    """

    def __init__(self, *backends: HandoffBackend) -> None:
        self._backends = backends
        self._asking: dict[tuple[ConversationKey, str], set[asyncio.Task[HandoffAnswer]]] = {}

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:
        """Ask each backend. A backend that has not answered is asked again until the ticket or the end of the
        handoff.
        """
        asking = {asyncio.create_task(_asked(backend, asked)) for backend in self._backends}
        self._asking[asked.key, asked.handoff_id] = asking
        reasons: list[str] = []
        waiting = asking
        while waiting:
            answered, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for answer in (task.result() for task in answered if not task.cancelled()):
                if isinstance(answer, Queued):
                    return answer
                reasons.append(answer.why)
        return NoAgentAvailable(why="; ".join(reasons))

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Notify every backend."""
        await _each([backend.pass_on(key, handoff_id) for backend in self._backends])

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Notify every backend."""
        self._give_up(asked.key, asked.handoff_id)
        await _each([backend.ticket(asked, number) for backend in self._backends])

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Notify every backend."""
        self._give_up(key, handoff_id)
        await _each([backend.close(key, handoff_id) for backend in self._backends])

    async def erase(self, tenant: str, customer: str) -> None:
        """Delete the customer's data in every backend."""
        theirs = [of for of in self._asking if (of[0].tenant, of[0].customer) == (tenant, customer)]
        for key, handoff_id in theirs:
            self._give_up(key, handoff_id)
        await _each([backend.erase(tenant, customer) for backend in self._backends])

    async def stop(self) -> None:
        """Stop every backend."""
        for key, handoff_id in list(self._asking):
            self._give_up(key, handoff_id)
        await _each([backend.stop() for backend in self._backends])

    def _give_up(self, key: ConversationKey, handoff_id: str) -> None:
        for task in self._asking.pop((key, handoff_id), ()):
            task.cancel()


async def _asked(backend: HandoffBackend, asked: HandoffRequest) -> HandoffAnswer:
    try:
        return await backend.request(asked)
    except Exception as error:
        # If one backend fails, the others are still called.
        return NoAgentAvailable(why=repr(error))


async def _each(told: Sequence[Coroutine[None, None, None]]) -> None:
    await asyncio.gather(*told)
