"""Compiles the texts of a prompts folder, and finds all mistakes in them.

``PROMPTS`` is the only list that connects templates with their typed inputs. Each template is checked
against its input: it must use each value, and only known names.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from jinja2 import Template, TemplateSyntaxError, meta, nodes

from assistant.errors import DeclarationError, PromptError
from assistant.prompts.acknowledgement import AcknowledgementWords, acknowledgement_words
from assistant.prompts.filters import Filters
from assistant.prompts.instructions import (
    Decider,
    DialogueSummary,
    Earlier,
    FromDocuments,
    GoOn,
    Groundless,
    LoadTool,
    Narrator,
    PersonTool,
    PolicyNotes,
    PromiseAgain,
    ResultSummary,
    SearchTool,
    ShortAnswer,
    SimulatedCustomerPart,
    StopTool,
    TextRouteRules,
    Unproved,
    UnreadableCalls,
)
from assistant.prompts.locale import DEFAULT_LOCALE, file_named, language, localized_file
from assistant.prompts.prompt import Prompt, Utterance, sample_prompts
from assistant.prompts.sandbox import Sandbox, Sources, render_template
from assistant.prompts.sentences import Sentences, fill
from assistant.prompts.utterances import (
    Apology,
    Aside,
    BegunAgain,
    Confirmation,
    ConfirmationLate,
    ConfirmationLeft,
    ConfirmationPerson,
    DefaultClause,
    HandoffTold,
    LongCallTold,
    Narrated,
    NotPossible,
    OfflineAsk,
    OfflineForeign,
    OfflineHelp,
    OfflineNote,
    OfflineProve,
    OfflineRemembered,
    OfflineSmalltalk,
    OfflineUnsure,
    OneMoment,
    OutcomeTold,
    PausedTold,
    PhoneTold,
    ReadBack,
    Rejected,
    StillWaiting,
    SupervisedTold,
)
from assistant.prompts.voice import Voice, read_voice
from assistant.prompts.words import Words, read_words

_KEPT_FOLDERS: Final = 8
_KEPT_TREES: Final = 512

PROMPTS: tuple[type[Prompt], ...] = (
    Decider,
    Narrator,
    PolicyNotes,
    Earlier,
    SimulatedCustomerPart,
    PromiseAgain,
    ShortAnswer,
    UnreadableCalls,
    TextRouteRules,
    DialogueSummary,
    ResultSummary,
    Groundless,
    GoOn,
    Unproved,
    DefaultClause,
    ReadBack,
    Confirmation,
    ConfirmationLate,
    ConfirmationLeft,
    ConfirmationPerson,
    OutcomeTold,
    Narrated,
    OneMoment,
    StillWaiting,
    Apology,
    NotPossible,
    PersonTool,
    HandoffTold,
    PausedTold,
    SupervisedTold,
    StopTool,
    LongCallTold,
    Aside,
    BegunAgain,
    PhoneTold,
    Rejected,
    SearchTool,
    LoadTool,
    FromDocuments,
    OfflineHelp,
    OfflineAsk,
    OfflineProve,
    OfflineRemembered,
    OfflineUnsure,
    OfflineSmalltalk,
    OfflineForeign,
    OfflineNote,
)


Trees: TypeAlias = dict[str, nodes.Template]
"""Parsed templates, by file name."""

_PARSED: Final[dict[str, tuple[str, nodes.Template]]] = {}
"""The newest text of each file with its tree. Most files do not change if one is edited."""


def parse(sandbox: Sandbox, name: str, source: str, where: str) -> nodes.Template:
    """Parse and compile one template of the sandbox. ``where`` is the file, for error messages.

    Raises ``DeclarationError`` with file and line if it cannot be parsed.
    """
    try:
        known = _PARSED.get(name)
        tree = known[1] if known is not None and known[0] == source else sandbox.parse(source, name)
        sandbox.get_template(name)
    except TemplateSyntaxError as error:
        cure = _cure(error.message or "", sandbox)
        raise DeclarationError(f"{where}:{error.lineno}: {error.message}; {cure}") from error
    except Exception as error:
        # A template may come from anyone. If it is nested too deeply, errors other than Jinja's occur.
        raise DeclarationError(f"{where}:1: cannot be compiled: {error}; make it simpler") from error
    _PARSED[name] = source, tree
    return tree


def names_used(sandbox: Sandbox, name: str, trees: Trees) -> dict[str, tuple[str, int]]:
    """Returns the names that a template and its includes use, each with the file and line of the first use.

    Includes must be literal names. :func:`check_includes` reports those that are not in ``trees``.
    """
    used: dict[str, tuple[str, int]] = {}
    for file in _with_includes(name, trees, seen=set()):
        for found, line in _undeclared(trees[file]).items():
            if found not in sandbox.globals:
                used.setdefault(found, (file, line))
    return used


@lru_cache(maxsize=_KEPT_TREES)
def _undeclared(tree: nodes.Template) -> Mapping[str, int]:
    """Returns the names that a template needs as values, each with the line of the first use."""
    undeclared = meta.find_undeclared_variables(tree)
    used: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        if node.name in undeclared and node.ctx == "load":
            used.setdefault(node.name, node.lineno)
    return used


def check_names(used: dict[str, tuple[str, int]], template: str, given: Collection[str], folder: str) -> None:
    """Raise ``DeclarationError`` for unknown names, or else for values that are never used, one line
    each.

    Only one of the two is reported, because an unknown name is often a misspelt value.
    """
    known = ", ".join(sorted({*given, "voice"}))
    mistakes = [
        f"{folder}/{file}:{line}: unknown variable {name!r}; this template is given: {known}"
        for name, (file, line) in used.items()
        if name not in given
    ]
    mistakes = mistakes or [
        f"{folder}/{template}:1: {name!r} is given and never used; say it with {{{{ {name} }}}}"
        f" or let it decide something with {{% if {name} %}}"
        for name in given
        if name not in used
    ]
    if mistakes:
        raise DeclarationError("\n".join(mistakes))


def is_partial(name: str) -> bool:
    """Whether a file exists only to be included: its name begins with "_"."""
    return name.rpartition("/")[2].startswith("_")


def check_includes(trees: Trees, folder: str) -> None:
    """Raise ``DeclarationError`` for includes without a file, or with a computed name, one line each."""
    kinds = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    mistakes: list[str] = []
    for file, tree in trees.items():
        for node in tree.find_all(kinds):
            wanted = node.template.value if isinstance(node.template, nodes.Const) else None
            if wanted not in trees:
                partials = ", ".join(filter(is_partial, trees)) or "none yet"
                what = f"there is no file {wanted!r}" if wanted else "the file's name must be spelled out"
                mistakes.append(f"{folder}/{file}:{node.lineno}: {what}; files to include: {partials}")
    if mistakes:
        raise DeclarationError("\n".join(mistakes))


def _with_includes(name: str, trees: Trees, seen: set[str]) -> Iterator[str]:
    if name in seen:
        return
    seen.add(name)
    yield name
    for included in meta.find_referenced_templates(trees[name]):
        if included is not None:
            yield from _with_includes(included, trees, seen)


def _cure(message: str, sandbox: Sandbox) -> str:
    if message.startswith("No filter"):
        return f"the filters are: {', '.join(sorted(name for name in sandbox.filters if name[0] != '_'))}"
    if "end of template" in message or "Jinja was looking for" in message:
        return "close every {% if %}, {% for %} and {% macro %} with its {% end... %}"
    return "compare with the other templates; {{ value }} says a value, {% ... %} decides"


SHARED = "shared"
"""The folder of templates for languages whose sentences are in their locale's TOML file."""

ACKNOWLEDGEMENT_TEMPLATE = "customers/en/acknowledgement.j2"
"""The only template that is no prompt: it has macros with which the code builds a sentence."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """The files after reading and parsing: ``sources`` and ``trees`` by path, ``words`` by locale."""

    name: str
    sources: Mapping[str, str]
    voice: Voice
    words: Mapping[str, Words]
    trees: Trees
    tried: set[str] = field(default_factory=set[str], compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalePrompts:
    """The prompts of one locale. ``templates`` are named like their English files; some may be missing."""

    locale: str
    voice: Voice
    words: Words
    filters: Filters
    sandbox: Sandbox
    acknowledgement: AcknowledgementWords | None
    templates: Mapping[str, Template]


def compile_prompts(sources: Mapping[str, str], folder: str) -> Mapping[str, LocalePrompts]:
    """Compile each file and test each template, by locale, English first and complete.

    The result is cached, for edits that are undone and for conversations with earlier prompts. Raises
    ``DeclarationError`` for the first mistake.
    """
    return _compiled(frozenset(sources.items()), folder)


@lru_cache(maxsize=_KEPT_FOLDERS)
def _compiled(files: frozenset[tuple[str, str]], folder: str) -> Mapping[str, LocalePrompts]:
    sources = dict(sorted(files))
    voice = read_voice(_file(sources, "voice.toml", folder), f"{folder}/voice.toml")
    _file(sources, f"locales/{DEFAULT_LOCALE}.toml", folder)
    words = {
        name.removeprefix("locales/").removesuffix(".toml"): read_words(text, f"{folder}/{name}")
        for name, text in sources.items()
        if name.startswith("locales/")
    }
    english = words[DEFAULT_LOCALE]
    plain = _sandbox(sources, folder, Filters(english.formats, voice.currency), voice, english)
    trees = {
        name: parse(plain, name, text, f"{folder}/{name}")
        for name, text in sources.items()
        if name.endswith(".j2")
    }
    check_includes(trees, folder)
    read = _Folder(folder, sources, voice, words, trees)
    for name in (ACKNOWLEDGEMENT_TEMPLATE, *(prompt.template for prompt in PROMPTS)):
        _file(sources, name, folder)
    locales = [DEFAULT_LOCALE, *(locale for locale in words if locale != DEFAULT_LOCALE)]
    spoken = {locale: _spoken(read, locale) for locale in locales}
    _check_unused_templates(read)
    return MappingProxyType(spoken)


def _spoken(read: _Folder, locale: str) -> LocalePrompts:
    words = read.words[locale]
    voice = _voice(read.voice, words.sentences, locale)
    filters = Filters(words.formats, voice.currency)
    sandbox = _sandbox(read.sources, read.name, filters, voice, words)
    return LocalePrompts(
        locale=locale,
        voice=voice,
        words=words,
        filters=filters,
        sandbox=sandbox,
        acknowledgement=_acknowledgement(read, sandbox, locale),
        templates=MappingProxyType(
            {
                prompt.template: _template(read, sandbox, prompt, file)
                for prompt in _said_in(locale)
                if (file := _file_in(read, prompt.template, locale)) is not None
            }
        ),
    )


def _file_in(read: _Folder, english: str, locale: str) -> str | None:
    """Returns the template of a locale: the locale's own file, or the shared file if the locale's sentences
    are in its TOML file. Returns None if there is neither.
    """
    own, shared = localized_file(english, locale), localized_file(english, SHARED)
    if own in read.trees:
        return own
    return shared if read.words[locale].sentences is not None and shared in read.trees else None


def _voice(voice: Voice, sentences: Sentences | None, locale: str) -> Voice:
    """Returns the company's voice in a locale; without texts of its own, the language's greeting and
    disclosure.
    """
    said = voice.in_locale(locale)
    if sentences is None or said is not voice or language(locale) == language(voice.locale):
        return said
    greeting = fill(sentences.greeting.greeting, name=voice.name, company=voice.company)
    return replace(voice, greeting=greeting, disclosure=sentences.greeting.disclosure, starters=())


def _said_in(locale: str) -> Iterator[type[Prompt]]:
    """Yields the prompts that may have a file of this locale. Texts for models are always in English."""
    yield from (prompt for prompt in PROMPTS if locale == DEFAULT_LOCALE or issubclass(prompt, Utterance))


def _template(read: _Folder, sandbox: Sandbox, prompt: type[Prompt], name: str) -> Template:
    given = [field.name for field in fields(prompt)]
    check_names(names_used(sandbox, name, read.trees), name, given, read.name)
    template = sandbox.get_template(name)
    if f"/{SHARED}/" in name and name in read.tried:
        # The sentences are checked when they are read, so samples of one language are enough to find
        # mistakes.
        return template
    read.tried.add(name)
    for sample in sample_prompts(prompt):
        try:
            render_template(template, {name: getattr(sample, name) for name in given})
        except PromptError as error:
            raise DeclarationError(f"{error}; found with {sample!r}") from error
    return template


def _acknowledgement(read: _Folder, sandbox: Sandbox, locale: str) -> AcknowledgementWords | None:
    name = _file_in(read, ACKNOWLEDGEMENT_TEMPLATE, locale)
    if name is None:
        return None
    check_names(names_used(sandbox, name, read.trees), name, (), read.name)
    return acknowledgement_words(sandbox.get_template(name).module, locale, f"{read.name}/{name}")


def _check_unused_templates(read: _Folder) -> None:
    """Raise ``DeclarationError`` for a template that would never be rendered."""
    expected = {
        localized_file(prompt.template, locale) for locale in read.words for prompt in _said_in(locale)
    }
    expected |= {localized_file(ACKNOWLEDGEMENT_TEMPLATE, locale) for locale in (*read.words, SHARED)}
    expected |= {localized_file(prompt.template, SHARED) for prompt in _said_in(SHARED)}
    for name in read.trees:
        if not is_partial(name) and name not in expected:
            raise DeclarationError(f"{read.name}/{name}:1: {_what_is_strange(name)}")


def _what_is_strange(name: str) -> str:
    """Returns the reason why a template is never rendered: an unknown locale, a wrong folder, or an unknown
    prompt.
    """
    utterances = [one.template for one in PROMPTS if issubclass(one, Utterance)] + [ACKNOWLEDGEMENT_TEMPLATE]
    locale = name.rpartition("/")[0].rpartition("/")[2]
    if name.replace(f"/{locale}/", f"/{DEFAULT_LOCALE}/") in utterances:
        return f"there is no locales/{locale}.toml; a locale begins with that file"
    templates = sorted(one.template for one in PROMPTS)
    meant = file_named(name.rpartition("/")[2], [*templates, ACKNOWLEDGEMENT_TEMPLATE])
    if meant in utterances:
        return f"no prompt is in this place; move it to {meant}, or to the folder of its locale"
    if meant:
        return f"models are told everything in English; write what is to change into {meant}"
    known = ", ".join(templates)
    return f"no prompt is called this; begin the name with '_' if others include it; the prompts are: {known}"


def _sandbox(
    sources: Mapping[str, str], folder: str, filters: Filters, voice: Voice, words: Words
) -> Sandbox:
    known = {
        "voice": voice,
        "sentences": words.sentences,
        "answered_in_words": words.consent.grammar != "none",
    }
    return Sandbox(Sources(sources, folder), filters.by_name(), known)


def _file(sources: Mapping[str, str], name: str, folder: str) -> str:
    if name not in sources:
        raise DeclarationError(
            f"{folder}/{name}:1: the file is missing; copy it from the prompts that come with the package"
        )
    return sources[name]


def find_mistakes(sources: Mapping[str, str], folder: str, good: Mapping[str, str]) -> list[str]:
    """Returns the mistakes in these texts, as ``file:line: problem; what to do``, in the order of the files.

    A file with a mistake is replaced by the one from ``good`` while the others are checked, so one mistake
    can hide another in the same file.
    """
    found: list[str] = []
    texts = dict(sources)
    while True:
        try:
            compile_prompts(texts, folder)
        except DeclarationError as error:
            lines = str(error).splitlines()
            found += [line for line in lines if line not in found]
            wrong = {_file_of(line, folder) for line in lines}
            if not _put_right(texts, wrong, good):
                break
        else:
            break
    return sorted(found, key=_by_place)


def _put_right(texts: dict[str, str], wrong: set[str], good: Mapping[str, str]) -> bool:
    """Replace wrong texts by good ones. Returns False if no text was replaced."""
    before = dict(texts)
    for name in wrong:
        texts.pop(name, None)
        if name in good:
            texts[name] = good[name]
    return texts != before


def _file_of(line: str, folder: str) -> str:
    return line.removeprefix(f"{folder}/").split(":", 1)[0]


def _by_place(line: str) -> tuple[str, int]:
    file, _, rest = line.partition(":")
    number = rest.partition(":")[0]
    return file, int(number) if number.isdigit() else 0
