"""The declaration of a tool, which all code uses except the code that runs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from assistant.conversation.customer import Customer, Level
from assistant.conversation.values import Effect, JsonObject

Acknowledge: TypeAlias = Literal["auto", "always", "never"]

SortedBy: TypeAlias = Literal["oldest_first", "newest_first"]
"""The order of a result's list by time, which decides the meaning of "the last one"."""

Approver: TypeAlias = Literal["staff"]

ToolRole: TypeAlias = Literal["tool", "identifies", "hands_over", "searches", "loads", "stops"]
"""The function of a tool for the assistant. ``identifies`` identifies the customer, ``hands_over`` requests a
human agent, ``searches`` finds passages of documents, ``loads`` returns a document in full, ``stops`` stops a
long call.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A waiting hint in its two forms.

    ``doing`` is the label ("looking up your appointments"), ``will`` is part of the acknowledgement ("look up
    your appointments"). The templates of a language may use them in other ways: German asks "Soll ich ...?"
    with ``doing`` ("Ihre Termine heraussuchen").
    """

    doing: str
    will: str


NO_HINT = Hint(doing="", will="")
"""The empty hint, for a tool without hints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool's declaration, as models, prompts and clients see it.

    ``parameters`` is a JSON schema of type object, without the injected arguments. ``hints`` maps a locale
    ("en") to the two forms; a tool without a hint has none. ``confirm`` is True if the customer must agree
    before it runs. ``narration`` is a Jinja template with ``value`` and ``arguments``, used if no model
    narrates; ``narrations`` has templates for other locales. ``requires`` is the customer's required level of
    identification; without it, the call is denied. ``credential`` is True if it acts with the customer's own
    credential; without one, the call is denied. ``idempotent`` is True if two runs with the same key have the
    effect of one. ``retries`` says how many times a lookup or an idempotent tool is tried again after a
    failure. ``cache_ttl_s`` says for how many seconds a result is reused for the same call in the same
    conversation. ``max_concurrency`` says how many of its calls may run at the same time in this process, or
    is None for any number. ``checked`` is True if it can tell afterwards whether a side effect took place.
    ``approve`` says who must approve a call before it runs, after the customer's yes; None: no one.
    ``approve_when`` is the condition for that; "": each call needs it.
    ``trusted`` is True if its results contain only texts and numbers of the company. ``long`` is True if a
    call may take days, and its turn does not wait for it. ``foreign`` is True if its description was written
    outside of the company. ``instructions`` are for the model that narrates its results. ``sorted_by`` is the
    order of its list; None: it is not sorted by time, or there is no list. ``where`` is ``file:line`` of the
    declaration.
    """

    name: str
    description: str
    parameters: JsonObject
    hints: Mapping[str, Hint] = field(default_factory=dict[str, Hint])
    effect: Effect = "read"
    timeout_s: float = 10.0
    confirm: bool = False
    acknowledge: Acknowledge = "auto"
    narration: str | None = None
    narrations: Mapping[str, str] = field(default_factory=dict[str, str])
    examples: tuple[str, ...] = ()
    requires: Level = "anonymous"
    credential: bool = False
    idempotent: bool = False
    retries: int = 0
    cache_ttl_s: float = 0.0
    max_concurrency: int | None = None
    checked: bool = False
    approve: Approver | None = None
    approve_when: str = ""
    trusted: bool = False
    foreign: bool = False
    long: bool = False
    instructions: str = ""
    sorted_by: SortedBy | None = None
    role: ToolRole = "tool"
    where: str = ""

    @property
    def needs_customer(self) -> bool:
        """Whether it is denied to a customer who is not identified."""
        return self.requires != "anonymous"

    def runs_for(self, customer: Customer) -> bool:
        """Whether this customer's level is sufficient, and the required credential exists."""
        has_credential = not self.credential or customer.credential is not None
        return customer.is_at_least(self.requires) and has_credential

    def hint(self, locale: str) -> Hint | None:
        """Returns the hint in this language, or else in English; None if there is neither. It is for a list, not
        for a sentence, which must be in one language.

        >>> spec = ToolSpec(name="t", description="", parameters={}, hints={"en": Hint(doing="a", will="b")})
        >>> spec.hint("en-US") == spec.hint("de") == Hint(doing="a", will="b")
        True
        """
        return self.own_hint(locale) or self.hints.get("en")

    def own_hint(self, locale: str) -> Hint | None:
        """Returns the hint in exactly this language, for use inside of a sentence, or None if there is none."""
        return _in(self.hints, locale)

    def narration_in(self, locale: str) -> tuple[str, str] | None:
        """Returns the narration in this language, or else in English, and its locale, or None if there is
        none.

        >>> words = {"narration": "Done.", "narrations": {"de": "Erledigt."}}
        >>> spec = ToolSpec(name="t", description="", parameters={}, **words)
        >>> spec.narration_in("de-AT"), spec.narration_in("fr")
        (('de-AT', 'Erledigt.'), ('en', 'Done.'))
        """
        if (own := _in(self.narrations, locale)) is not None:
            return locale, own
        return ("en", self.narration) if self.narration else None


_Text = TypeVar("_Text")


def _in(by_locale: Mapping[str, _Text], locale: str) -> _Text | None:
    return by_locale.get(locale) or by_locale.get(locale.replace("_", "-").partition("-")[0])
