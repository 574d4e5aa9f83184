"""The built-in tool that stops a long call of the conversation. It exists if a tool has long calls."""

from assistant.conversation.customer import Customer
from assistant.conversation.entries import STOP_TASK
from assistant.conversation.outcomes import CallProgress, LongCallStatus, was_stopped
from assistant.conversation.tool_spec import NO_HINT, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments, ToolError
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import StopTool
from assistant.prompts.utterances import LongCallMoment, LongCallTold
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult

_NARRATION = "{{ value.tell }}"


class StopTaskTool:
    """Its result has the task (``task``, ``tool``), its state (``state``) and its progress.

    ``state`` is ``stopped``, ``stopping`` (it has not ended yet), ``over`` (it had ended before) or ``none``.
    """

    def __init__(self, book: PromptBook, tools: Tools) -> None:
        self._book = book
        self._specs = {spec.name: spec for spec in tools.specs}
        words = {locale: book.words(locale).long_call for locale in book.locales}
        self.spec = ToolSpec(
            name=STOP_TASK,
            description=book.render(StopTool()),
            parameters={"type": "object", "properties": {"task": {"type": "string"}}, "required": []},
            hints={locale: each.hint for locale, each in words.items() if each.hint != NO_HINT},
            effect="write",
            idempotent=True,
            narration=_NARRATION,
            narrations={locale: _NARRATION for locale in words if locale != "en"},
            examples=tuple(example for each in words.values() for example in each.examples),
            role="stops",
            trusted=True,
            where="built in",
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Check the arguments: a task, or no arguments. Raises ``BadArguments``."""
        task = arguments.get("task") or ""
        problems = [f"{name}: not a parameter" for name in arguments if name != "task"]
        if not isinstance(task, str):
            problems.append(f"task: {task!r} is no text; copy it from the task's result, or leave it out")
        if problems:
            raise BadArguments(STOP_TASK, problems)
        return {"task": str(task).strip()}

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Stop the task. Raises ``ToolError`` if it is unclear which task is meant."""
        calls = context.long_calls
        if calls is None:
            raise ToolError("I can't stop that from here")
        running, asked = calls.listed(), str(arguments["task"])
        matching = [status for status, call in running if asked in ("", status.ref, call.tool)]
        if not running:
            return self._result("none", customer.locale)
        if len(matching) != 1:
            known = ", ".join(f"{status.ref} ({call.tool})" for status, call in running)
            raise ToolError(
                "there is more than one thing under way; which of them should stop",
                for_model=f"Say which task: one of {known}.",
            )
        before = matching[0]
        tool = next(call.tool for status, call in running if status == before)
        came = await calls.stop(before.ref)
        now = next((status for status, _ in calls.listed() if status.ref == before.ref), before)
        if isinstance(came, LongCallStatus):
            state: LongCallMoment = "stopping"
        else:
            state = "stopped" if was_stopped(came) else "over"
        return self._result(
            state,
            customer.locale,
            before.ref,
            tool,
            (came if isinstance(came, LongCallStatus) else now).progress,
        )

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:  # noqa: ARG002 - as tools have it
        """None: the question uses the hint."""
        return None

    def _result(
        self,
        state: LongCallMoment,
        locale: str,
        task: str = "",
        tool: str = "",
        progress: CallProgress | None = None,
    ) -> ToolResult:
        spec = self._specs.get(tool)
        hint = spec.hint(locale) if spec is not None else None
        told = LongCallTold.of(state, hint, progress)
        so_far: Json = str(progress) if progress is not None else None
        return ToolResult(
            {
                "state": state,
                "task": task,
                "tool": tool,
                "so_far": so_far,
                "tell": self._book.render(told, locale),
            }
        )


def with_stop_tool(tools: Tools, book: PromptBook) -> Tools:
    """Returns these tools, plus the tool that stops long calls if one of them has long calls.

    A stop tool that is already among them is left out, because it may use another book.

    Raises ``DeclarationError`` if another tool has the same name.
    """
    others = [tool for tool in tools if tool.spec.role != "stops"]
    if not any(tool.spec.long or tool.spec.approve for tool in others):
        return tools if len(others) == len(tools) else Tools(others, tools.changes)
    return Tools([*others, StopTaskTool(book, Tools(others))], tools.changes)
