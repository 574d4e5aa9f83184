"""tau2-bench as a suite: its tasks are imported, and its tools are used during the trials.

``assistant evaluate import tau2`` writes a folder for ``assistant evaluate --suite``. The files in it use
this module, and this module uses the installed package ``tau2`` (github.com/sierra-research/tau2-bench). So
the tools and the database are tau2's, and the hash that a task expects is computed by tau2.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import Signature, signature
from typing import Any, Protocol, cast, get_type_hints

from assistant.errors import DeclarationError, ToolError
from assistant.evaluation.tasks import Task
from assistant.mcp.approval import Definition, drafted_hint
from assistant.tools.decorator import DeclaredTool, tool


class _Database(Protocol):
    def model_dump(self) -> dict[str, object]: ...


class _Toolkit(Protocol):
    db: _Database

    @property
    def tools(self) -> Mapping[str, Callable[..., object]]: ...
    def tool_type(self, tool_name: str) -> str: ...


class _Environment(Protocol):
    tools: _Toolkit
    user_tools: object | None

    def get_policy(self) -> str: ...
    def get_db_hash(self) -> str: ...
    def make_tool_call(self, tool_name: str, requestor: str, **arguments: object) -> object: ...


def _registry() -> Any:
    """Returns tau2's list of domains.

    Raises:
        DeclarationError: the package is missing, or it is another package with this name.
    """
    with suppress(ImportError):
        import_module("loguru").logger.disable("tau2")  # it logs each registration to the terminal
    try:
        return import_module("tau2.registry").registry
    except (ImportError, AttributeError) as error:
        raise DeclarationError(
            f"tau2-bench is not installed here ({error}); the guide to evaluation says how to install it. The "
            "package tau2 on PyPI is something else."
        ) from error


def _environment(domain: str) -> _Environment:
    return cast("_Environment", _registry().get_env_constructor(domain)())


class Domain:
    """One domain of tau2, such as "retail", with its tools and its database."""

    def __init__(self, domain: str) -> None:
        self._domain = domain
        self._now = _environment(domain)

    def reset(self) -> None:
        """Begin with the published database."""
        self._now = _environment(self._domain)

    def snapshot(self) -> Mapping[str, object]:
        """Returns the database. Its digest is the hash that tau2 computes."""
        return self._now.tools.db.model_dump()

    def tools(self) -> list[DeclaredTool[..., object]]:
        """Returns tau2's tools. Tools with side effects need the customer's yes, as tau2's policies demand."""
        return [self._declared(name, method) for name, method in self._now.tools.tools.items()]

    def _declared(self, name: str, method: Callable[..., object]) -> DeclaredTool[..., object]:
        def call(**arguments: object) -> object:
            try:
                return self._now.tools.tools[name](**arguments)
            except Exception as error:
                # tau2 gives the model any error of a tool, with this text.
                raise ToolError("that is not possible", for_model=f"Error: {error}") from error

        own, hint = signature(method), drafted_hint(Definition(name=name))
        call.__name__, call.__doc__ = name, method.__doc__
        call.__annotations__ = get_type_hints(method)
        call.__signature__ = Signature(own.parameters.values())  # type: ignore[attr-defined]
        if self._now.tools.tool_type(name) != "write":
            return tool(waiting_hint=hint)(call)
        return tool(waiting_hint=hint, effect="write", confirm=True)(call)


@cache
def domain(name: str) -> Domain:
    """Returns the domain with this name; there is one for each process."""
    return Domain(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A domain's tasks in the form of a file, and its policy.

    ``left_out`` are tasks that need something that is missing here: another database, or a customer with
    tools.
    """

    tasks: tuple[Mapping[str, object], ...]
    policy: str
    left_out: tuple[str, ...]


def import_domain(name: str, split: str = "base") -> Imported:
    """Returns the tasks of one domain, "retail" or "airline". ``split`` is tau2's name for a subset of them.

    Raises:
        DeclarationError: tau2 is not installed, or this domain cannot be imported.
    """
    registry = _registry()
    if name not in registry.get_domains():
        raise DeclarationError(f"tau2 has no domain {name!r}; it has {', '.join(registry.get_domains())}")
    environment = _environment(name)
    if environment.user_tools is not None:
        raise DeclarationError(
            f"tau2's {name}: its customers have tools of their own, which is not supported"
        )
    published = cast("Sequence[Any]", registry.get_tasks_loader(name)(split))
    now = _now(environment.get_policy())
    return Imported(
        tasks=tuple(_task(task, name, now) for task in published if _fits(task)),
        policy=environment.get_policy(),
        left_out=tuple(str(task.id) for task in published if not _fits(task)),
    )


def _fits(task: Any) -> bool:
    """Whether a task begins with the published database, and is judged only by database and facts."""
    criteria = task.evaluation_criteria
    return (
        getattr(task, "initial_state", None) is None
        and criteria is not None
        and not getattr(criteria, "env_assertions", None)
        and all(getattr(action, "requestor", "assistant") == "assistant" for action in criteria.actions or ())
    )


def _task(task: Any, name: str, now: str) -> dict[str, object]:
    criteria = task.evaluation_criteria
    actions = criteria.actions or ()
    about = [str(getattr(task.description, "purpose", None) or "")]
    about += [f"For readers, not judged: {text}" for text in criteria.nl_assertions or ()]
    written: dict[str, object] = {
        "id": _id(f"{name}-{task.id}"),
        "about": "\n".join(filter(None, about)),
        "now": now,
        "customer": f"tau2-{_id(str(task.id))}",
        "level": "anonymous",
        "simulated": {
            "prompt": _tidied(f"{_guidelines()}\n\n<scenario>\n{task.user_scenario}\n</scenario>"),
            "end_marks": ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"],
        },
        "state_hash": _expected(name, actions),
        "facts": list(criteria.communicate_info or ()),
        "solution": [f"{one.name} {json.dumps(one.arguments, ensure_ascii=False)}" for one in actions],
    }
    Task.model_validate(written)
    return {field: value for field, value in written.items() if value not in ("", [])}


def _tidied(text: str) -> str:
    """Returns the text without tabs, and without spaces at the ends of lines, so that YAML can write it as a
    block.
    """
    return "\n".join(line.rstrip() for line in text.expandtabs(2).splitlines())


def _id(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _expected(name: str, actions: Sequence[Any]) -> str:
    """Returns the hash of the database after the published actions, as tau2's own evaluator computes it."""
    environment = _environment(name)
    for action in actions:
        try:
            environment.make_tool_call(action.name, requestor="assistant", **action.arguments)
        except Exception:  # noqa: S112 - as in tau2: some published actions fail
            continue
    return environment.get_db_hash()


def _now(policy: str) -> str:
    """Returns the current time according to the policy; else the airline domain's."""
    found = re.search(r"current time is (\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)", policy)
    return f"{found[1]}T{found[2]}" if found else "2024-05-15T15:00"


def _guidelines() -> str:
    """Returns tau2's instructions for the model that plays a customer."""
    return str(import_module("tau2.user.user_simulator").get_global_user_sim_guidelines()).strip()
