"""The words of an acknowledgement: the macros in ``customers/en/acknowledgement.j2``, in one locale."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from jinja2 import TemplateError

from assistant.errors import DeclarationError, PromptError

Register: TypeAlias = Literal["request", "question", "complaint", "later", "effect"]
"""The situation that decides how to begin: the kind of the customer's message, a later round, or a side
effect."""

REGISTERS: tuple[Register, ...] = get_args(Register)

Macro: TypeAlias = Callable[..., str]

_SIGNATURES: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "lead": ("request", 1),
        "next": ("do this",),
        "last": ("do this",),
        "end": (),
        "more": (2,),
        "neutral": (),
    }
)
_MOST_VARIANTS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AcknowledgementWords:
    """One locale's lead-ins and connecting words.

    ``locale`` is the locale of these words, which may differ from the requested locale. ``leads`` has the
    lead-ins for each register, in the order that the editors prefer.
    """

    locale: str
    leads: Mapping[Register, tuple[str, ...]]
    neutral: str
    _macros: Mapping[str, Macro]

    def lead(self, register: Register, last_used: str | None = None) -> str:
        """Returns the register's first lead-in, or the one after ``last_used``, so that none is used twice in
        a row.
        """
        leads = self.leads[register]
        if last_used not in leads:
            return leads[0]
        return leads[(leads.index(last_used) + 1) % len(leads)]

    def lead_of(self, text: str) -> str | None:
        """Returns the lead-in with which an earlier acknowledgement begins, or None if the text was not built
        here.
        """
        known = (lead for leads in self.leads.values() for lead in leads if text.startswith(f"{lead} "))
        return max(known, key=len, default=None)

    def next(self, hint: str) -> str:
        """Returns one more hint in a list that may continue: ", check your billing"."""
        return self._said("next", hint)

    def last(self, hint: str) -> str:
        """Returns the last hint of a list, with the end of the sentence: " and check your billing."."""
        return self._said("last", hint)

    def end(self) -> str:
        """Returns the end of a sentence with a single hint: "."."""
        return self._said("end")

    def more(self, number: int) -> str:
        """Returns the end of a sentence that only gives the number of its last hints (two or more)."""
        return self._said("more", number)

    def _said(self, name: str, *given: object) -> str:
        try:
            return str(self._macros[name](*given))
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise PromptError(f"acknowledgement macro {name!r}: {error}") from error


def acknowledgement_words(module: object, locale: str, where: str) -> AcknowledgementWords:
    """Read the macros of a compiled template. ``where`` is the file, for error messages.

    Raises ``DeclarationError`` for a macro that is missing, fails, or returns nothing.
    """
    macros = {name: _tried(module, name, given, where) for name, given in _SIGNATURES.items()}
    leads: dict[Register, tuple[str, ...]] = {
        register: _variants(macros["lead"], register, where) for register in REGISTERS
    }
    return AcknowledgementWords(
        locale=locale,
        leads=MappingProxyType(leads),
        neutral=str(macros["neutral"]()).strip(),
        _macros=MappingProxyType(macros),
    )


def _tried(module: object, name: str, given: Sequence[object], where: str) -> Macro:
    macro: Macro | None = getattr(module, name, None)
    parameters = {"lead": "register, number", "next": "hint", "last": "hint", "more": "number"}.get(name, "")
    cure = f"write {{% macro {name}({parameters}) %}}...{{% endmacro %}}"
    if macro is None:
        raise DeclarationError(f"{where}:1: there is no macro {name!r}; {cure}")
    try:
        said = str(macro(*given))
    except Exception as error:
        # A template may come from anyone, and any exception that it raises is a mistake in the template.
        raise DeclarationError(f"{where}:1: macro {name!r} does not work: {error}; {cure}") from error
    if not said.strip():
        raise DeclarationError(f"{where}:1: macro {name!r} says nothing for {given}; {cure}")
    return macro


def _variants(lead: Macro, register: Register, where: str) -> tuple[str, ...]:
    """Returns a register's lead-ins: numbers 1, 2, ... until the macro returns the first one again."""
    found: list[str] = []
    for number in range(1, _MOST_VARIANTS + 1):
        said = str(lead(register, number)).strip()
        if not said or "\n" in said:
            raise DeclarationError(
                f"{where}:1: macro 'lead' must give one line for {register!r}; give it words"
            )
        if said in found:
            break
        found.append(said)
    if len(found) < 2:
        raise DeclarationError(
            f"{where}:1: {register!r} has one lead-in, which would be said twice running; give it a second"
        )
    return tuple(found)
