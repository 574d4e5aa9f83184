"""The ``@tool`` decorator, and the tool that it makes from a function. Begin here."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import cleandoc, isasyncgenfunction, isfunction, isgeneratorfunction, unwrap
from types import FunctionType
from typing import Generic, Never, ParamSpec, TypeVar, cast

from assistant.conversation.customer import Customer, Level
from assistant.conversation.tool_spec import Acknowledge, Approver, SortedBy, ToolSpec
from assistant.conversation.values import Effect, JsonObject
from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from assistant.tools.concurrency import call_function
from assistant.tools.confirmation import call_confirm, checked_clause, clause_of, read_back_problems
from assistant.tools.declaration_errors import Mistake, declaration_error, source_location
from assistant.tools.hints import read_hints
from assistant.tools.options import (
    Confirm,
    Hints,
    Options,
    PerLocale,
    by_locale,
    default_timeout_s,
    execution_policy_problems,
    option_problems,
    with_options,
)
from assistant.tools.outcomes import identified_customer
from assistant.tools.reconcile import Check, call_check
from assistant.tools.schema import Docstring, Parameters, read_docstring, read_signature
from assistant.tools.tool import ToolContext, ToolResult, to_json

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredTool(Generic[P, R]):
    """A :class:`assistant.tools.tool.Tool` that can also be called as the plain function.

    ``mistakes`` are the mistakes in its declaration. A tool with mistakes never runs, and no registry accepts
    it. It exists so that the mistakes of all files can be reported together.
    """

    function: Callable[P, R]
    spec: ToolSpec
    parameters: Parameters
    confirm: Confirm
    confirmation: PerLocale | None = None
    checking: Check | None = None
    mistakes: tuple[Mistake, ...] = ()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself, without validation, injection and conversion to JSON."""
        return self.function(*args, **kwargs)

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Returns the arguments in their final form. Raises ``BadArguments``."""
        self._refuse_mistakes()
        return self.parameters.canonical(self.spec.name, arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Call the function with the values of its parameters. The exceptions of the function pass through."""
        self._refuse_mistakes()
        values = self.parameters.values(self.spec.name, arguments)
        injected = self.parameters.inject(*self._handed(customer, context))
        result = await call_function(self.function, {**values, **injected}, to_the_end=True)
        if self.spec.role == "identifies":
            return ToolResult(None, identified=identified_customer(result))
        return _as_json(result, context)

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        """Returns the result of the ``reconcile`` function, which must exist. May raise anything."""
        self._refuse_mistakes()
        assert self.checking is not None  # noqa: S101 - the spec says whether it has one
        values = self.parameters.values(self.spec.name, arguments)
        done = await call_check(self.checking, values, *self._handed(customer, context))
        return None if done is None else _as_json(done, context)

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """Returns the clause that says what would be done, in ``customer.locale``, or None if there is no
        text in that language.
        """
        self._refuse_mistakes()
        if isinstance(self.confirm, bool):
            return None
        if isinstance(self.confirm, str | Mapping):
            templates = by_locale(cast("PerLocale", self.confirm))
            return clause_of(templates, self.spec, arguments, customer.locale, book)
        values = self.parameters.values(self.spec.name, arguments)
        returned = await call_confirm(self.confirm, values, replace(customer, credential=None))
        if self.confirmation is None:
            return checked_clause(returned)
        templates = by_locale(self.confirmation)
        return clause_of(templates, self.spec, arguments, customer.locale, book, to_json(returned))

    def _handed(self, customer: Customer, context: ToolContext) -> tuple[Customer, ToolContext]:
        """Returns the customer without the credential, and the context. The context has the credential only
        if the tool asks for it.
        """
        if customer.credential is None:
            return customer, context
        held = customer.credential if self.spec.credential else None
        return replace(customer, credential=None), replace(context, held=held)

    def _refuse_mistakes(self) -> None:
        if self.mistakes:
            raise declaration_error(self.mistakes)


def _as_json(result: object, context: ToolContext) -> ToolResult:
    if isinstance(result, ToolResult):
        found = cast("ToolResult[object]", result)
        return ToolResult(to_json(found.value, context.log), found.media)
    return ToolResult(to_json(result, context.log))


DECLARED = "__tools__"
"""The attribute of a module with its tools in order, including those whose name was defined again later."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def tool(
    *misplaced: Never,
    waiting_hint: str | None = None,
    will: str | None = None,
    hints: Hints | None = None,
    effect: Effect = "read",
    timeout_s: float | None = None,
    long: bool = False,
    confirm: Confirm = False,
    confirmation: PerLocale | None = None,
    acknowledge: Acknowledge = "auto",
    narration: PerLocale | None = None,
    examples: Sequence[str] = (),
    retries: int = 0,
    idempotent: bool = False,
    reconcile: Check | None = None,
    max_concurrency: int | None = None,
    sorted_by: SortedBy | None = None,
    cache_ttl_s: float = 0.0,
    instructions: str = "",
    requires: Level | None = None,
    credential: bool = False,
    identifies: bool = False,
    trusted: bool = False,
    approve: Approver | None = None,
    when: str = "",
    **unknown: Never,
) -> Callable[[Callable[P, R]], DeclaredTool[P, R]]:
    """Turn a function into a tool. Its types and docstring become its description for models.

    Args:
        misplaced: not used: all options must be named.
        waiting_hint: the action, as a gerund phrase ("looking up your appointments"); "" for a tool without
            hints.
        will: the phrase after "I'll", if it cannot be derived from ``waiting_hint``.
        hints: the same in other locales, each in two forms: the label, and the phrase in the acknowledgement;
            {"de": ("Ihre Termine heraussuchen", "suche Ihre Termine heraus")}.
        effect: "write" for a tool that changes anything.
        timeout_s: the time limit in seconds. The default is 10, or a week for a tool with ``long=True``.
        long: a call may take minutes to days. The customer is told immediately that it has started, and by a
            separate message when it is done, even after restarts. The function must be ``async``.
            ``ToolContext.progress`` reports progress. If the customer stops the call, the function is
            cancelled: it may then return what it has done, or raise a ``ToolError`` that says so.
        confirm: True if the customer must agree first. A template with ``arguments``, or one for each locale,
            makes the clause of the question. A function (same parameters, without ``ToolContext``) returns
            the clause itself, in the language of ``customer.locale``, or data for ``confirmation``.
        confirmation: a template with ``value`` (the data that the function in ``confirm`` returned, as JSON)
            and ``arguments``, or one for each locale. It makes the clause of the question.
        acknowledge: whether a call is announced; "auto": it depends on the situation.
        narration: a Jinja template with ``value`` (the result as JSON) and ``arguments``, or one for each
            locale. It makes the answer if no model does.
        examples: messages of customers who need this tool.
        retries: how many times a call is repeated after an unexpected failure or
            ``ToolError(temporary=True)``, 0 to 5, within ``timeout_s``. For reads, and for writes that are
            ``idempotent``.
        idempotent: a write can be repeated: two runs with the same ``ToolContext.key`` have the effect of
            one.
        reconcile: for a write: a function that finds out whether it took place if its end was not seen, after
            a crash, an interruption or a timeout. It may take any of the tool's parameters, ``Customer`` and
            ``ToolContext`` (with the write's ``key``), and returns the result of the write, or None if it did
            not take place.
        sorted_by: "oldest_first" or "newest_first", for a list that is sorted by time. "the last one" always
            means the newest.
        max_concurrency: how many calls may run at the same time in this process. Others wait, within their
            ``timeout_s``.
        cache_ttl_s: for how many seconds the last result is reused for the same call, in one conversation and
            until something is changed in it.
        instructions: instructions for the model that narrates the result.
        requires: the required level of the customer: "anonymous", "verified" or "signed_in". Without it, a
            ``Customer`` parameter requires "verified".
        credential: the tool acts with the customer's own credential, which the site has passed on and
            ``ToolContext`` has. Customers who are not signed in, or whose credential has expired, are denied.
        identifies: the function identifies the customer by the arguments. It returns their ``Customer`` (only
            ``id`` and ``name`` are used), or None. Models and ``narration`` get ``verified`` and ``name``.
        trusted: results contain only the company's own texts and numbers, such as opening hours, prices and
            free times, and nothing that customers, suppliers or others wrote, such as notes, reviews, letters
            and names. After a result that is not trusted, a write that the customer did not explicitly
            request needs a confirmation.
        approve: "staff" if a colleague must approve a call in the console before it runs, after the customer's yes.
            The customer is told that, and is told the result when it comes.
        when: which calls that holds for, as a condition such as "arguments.amount > 100", with ``arguments``,
            ``claims`` and ``customer.level``; all calls when left out.
        unknown: not used: an option with any other name is a mistake.

    Mistakes are stored in the tool and stop the start. Without a function to attach them to, it raises
    immediately.
    """
    options = Options(
        waiting_hint=waiting_hint, will=will, hints={} if hints is None else hints, effect=effect,
        timeout_s=default_timeout_s(long=long) if timeout_s is None else timeout_s, long=long,
        confirm=confirm, confirmation=confirmation, acknowledge=acknowledge,
        narration=narration, examples=examples, retries=retries, idempotent=idempotent, reconcile=reconcile,
        max_concurrency=max_concurrency, cache_ttl_s=cache_ttl_s, sorted_by=sorted_by,
        instructions=instructions, requires=requires, credential=credential, identifies=identifies,
        trusted=trusted, approve=approve, when=when,
        unknown=tuple(unknown),
    )  # fmt: skip
    if misplaced:
        raise DeclarationError(
            "@tool takes named options only; write @tool(waiting_hint='looking up your ...')"
        )

    def declare(function: Callable[P, R]) -> DeclaredTool[P, R]:
        _must_be_a_function(function)
        declared = _declared(function, options)
        kept: list[DeclaredTool[..., object]] = unwrap(function).__globals__.setdefault(DECLARED, [])
        kept.append(cast("DeclaredTool[..., object]", declared))
        return declared

    return declare


def _must_be_a_function(function: object) -> None:
    if isinstance(function, DeclaredTool):
        name = cast("DeclaredTool[..., object]", function).spec.name
        raise DeclarationError(f"@tool is applied twice to {name!r}; remove one of them")
    if not isfunction(function) or not isfunction(unwrap(function)):
        raise DeclarationError(f"@tool is for functions, not for {function!r}; write def or async def")
    room = function.__qualname__.rpartition(".")[0]
    if room and not room.endswith("<locals>"):
        raise DeclarationError(
            f"@tool is for functions, not for methods such as {function.__qualname__!r}; move it out of the class"
        )


def _declared(function: Callable[P, R], options: Options) -> DeclaredTool[P, R]:
    plain = cast("FunctionType", unwrap(function))
    docstring = read_docstring(plain.__doc__)
    parameters, problems = read_signature(function, docstring)
    hints, hint_problems = read_hints(options)
    problems = [
        *_function_problems(plain, docstring),
        *problems,
        *hint_problems,
        *option_problems(options, parameters.names.values()),
        *_confirm_problems(options.confirm, parameters),
        *execution_policy_problems(options, parameters, plain),
    ]
    where = source_location(plain.__code__.co_filename, plain.__code__.co_firstlineno)
    spec = ToolSpec(
        name=plain.__name__, description=docstring.description, parameters=parameters.schema, hints=hints,
        requires="verified" if parameters.needs_customer else "anonymous", where=where,
    )  # fmt: skip
    return DeclaredTool(
        function=function,
        # Wrong options may have any type, so they are left out of the spec, which other code reads.
        spec=spec if problems else _with_terms(with_options(spec, options), options),
        parameters=parameters,
        confirm=options.confirm,
        confirmation=options.confirmation,
        checking=options.reconcile,
        mistakes=tuple(Mistake(where, problem, plain.__name__) for problem in problems),
    )


def _with_terms(spec: ToolSpec, options: Options) -> ToolSpec:
    # A customer who is to be identified cannot be required to be identified.
    implied: Level = "anonymous" if options.identifies else spec.requires
    if options.credential:
        implied = "signed_in"
    return replace(
        spec,
        retries=options.retries,
        idempotent=options.idempotent,
        checked=options.reconcile is not None,
        max_concurrency=options.max_concurrency,
        trusted=options.trusted,
        long=options.long,
        sorted_by=options.sorted_by,
        cache_ttl_s=float(options.cache_ttl_s),
        instructions=cleandoc(options.instructions),
        requires=options.requires or implied,
        credential=options.credential,
        role="identifies" if options.identifies else "tool",
    )


def _function_problems(function: FunctionType, docstring: Docstring) -> Iterator[str]:
    if not _NAME.fullmatch(function.__name__):
        yield "has a name that models cannot write; use up to 64 plain letters, digits and underscores"
    if not docstring.description:
        yield "has no docstring; say in it what the tool finds or does"
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        yield "yields; return the whole result instead"


def _confirm_problems(confirm: object, parameters: Parameters) -> Iterator[str]:
    if isinstance(confirm, bool | str | Mapping):
        return
    if not isfunction(confirm):
        yield f"confirm {confirm!r} should be True, False, a template or a function"
        return
    for problem in read_back_problems(confirm, parameters):
        yield f"confirm's function {confirm.__name__!r} {problem}"
