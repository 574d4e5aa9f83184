"""From the texts of a prompts folder to what can be used, with every mistake found on the way."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from types import MappingProxyType

from jinja2 import Template

from assistant.errors import DeclarationError, PromptError
from assistant.prompts.acknowledgement import AcknowledgementWords, acknowledgement_words
from assistant.prompts.catalogue import PROMPTS
from assistant.prompts.check import Trees, check_includes, check_names, names_used, parse
from assistant.prompts.filters import Filters
from assistant.prompts.prompt import Prompt, Utterance
from assistant.prompts.sandbox import Sandbox, Sources, fill
from assistant.prompts.spoken import DEFAULT_LOCALE, Spoken, file_in
from assistant.prompts.trial import trials
from assistant.prompts.voice import Voice, read_voice
from assistant.prompts.words import Words, read_words

ACKNOWLEDGEMENT = "acknowledgement.j2"
"""The one template that is no prompt: macros, from which a sentence is put together."""

_KEPT_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class _Folder:
    """The files, read and parsed: ``sources`` and ``trees`` by path, ``words`` by locale."""

    name: str
    sources: Mapping[str, str]
    voice: Voice
    words: Mapping[str, Words]
    trees: Trees


def compile_prompts(sources: Mapping[str, str], folder: str) -> Mapping[str, Spoken]:
    """Compile every file and try every template, by locale, English first and complete.

    The same texts are compiled once: an edit that is taken back, or a conversation that goes on with the prompts it
    began with, finds them ready. Raises ``DeclarationError`` for the first mistake.
    """
    return _compiled(frozenset(sources.items()), folder)


@lru_cache(maxsize=_KEPT_FOLDERS)
def _compiled(files: frozenset[tuple[str, str]], folder: str) -> Mapping[str, Spoken]:
    sources = dict(sorted(files))
    voice = read_voice(_file(sources, "voice.toml", folder), f"{folder}/voice.toml")
    _file(sources, f"locales/{DEFAULT_LOCALE}.toml", folder)
    words = {
        name.removeprefix("locales/").removesuffix(".toml"): read_words(text, f"{folder}/{name}")
        for name, text in sources.items()
        if name.startswith("locales/")
    }
    plain = _sandbox(sources, folder, Filters(words[DEFAULT_LOCALE].formats, voice.currency), voice)
    trees = {
        name: parse(plain, name, text, f"{folder}/{name}")
        for name, text in sources.items()
        if name.endswith(".j2")
    }
    check_includes(trees, folder)
    read = _Folder(folder, sources, voice, words, trees)
    for name in (ACKNOWLEDGEMENT, *(prompt.template for prompt in PROMPTS)):
        _file(sources, name, folder)
    locales = [DEFAULT_LOCALE, *(locale for locale in words if locale != DEFAULT_LOCALE)]
    spoken = {locale: _spoken(read, locale) for locale in locales}
    _check_strangers(read)
    return MappingProxyType(spoken)


def _spoken(read: _Folder, locale: str) -> Spoken:
    voice, words = read.voice.in_locale(locale), read.words[locale]
    filters = Filters(words.formats, voice.currency)
    sandbox = _sandbox(read.sources, read.name, filters, voice)
    return Spoken(
        locale=locale,
        voice=voice,
        words=words,
        filters=filters,
        sandbox=sandbox,
        acknowledgement=_acknowledgement(read, sandbox, locale),
        templates=MappingProxyType(
            {
                prompt.template: _template(read, sandbox, prompt, file_in(prompt.template, locale))
                for prompt in _said_in(locale)
                if file_in(prompt.template, locale) in read.trees
            }
        ),
    )


def _said_in(locale: str) -> Iterator[type[Prompt]]:
    """The prompts that may have a file of this locale: models are told everything in English."""
    yield from (prompt for prompt in PROMPTS if locale == DEFAULT_LOCALE or issubclass(prompt, Utterance))


def _template(read: _Folder, sandbox: Sandbox, prompt: type[Prompt], name: str) -> Template:
    given = [field.name for field in fields(prompt)]
    check_names(names_used(sandbox, name, read.trees), name, given, read.name)
    template = sandbox.get_template(name)
    for sample in trials(prompt):
        try:
            fill(template, {name: getattr(sample, name) for name in given})
        except PromptError as error:
            raise DeclarationError(f"{error}; found with {sample!r}") from error
    return template


def _acknowledgement(read: _Folder, sandbox: Sandbox, locale: str) -> AcknowledgementWords | None:
    name = file_in(ACKNOWLEDGEMENT, locale)
    if name not in read.trees:
        return None
    check_names(names_used(sandbox, name, read.trees), name, (), read.name)
    return acknowledgement_words(sandbox.get_template(name).module, locale, f"{read.name}/{name}")


def _check_strangers(read: _Folder) -> None:
    """Refuse a template that nobody would ever render."""
    expected = {file_in(prompt.template, locale) for locale in read.words for prompt in _said_in(locale)}
    expected |= {file_in(ACKNOWLEDGEMENT, locale) for locale in read.words}
    for name in read.trees:
        if not name.startswith("_") and name not in expected:
            raise DeclarationError(f"{read.name}/{name}:1: {_what_is_strange(name)}")


def _what_is_strange(name: str) -> str:
    prompt, _, locale = name.removesuffix(".j2").partition(".")
    utterances = {one.template for one in PROMPTS if issubclass(one, Utterance)} | {ACKNOWLEDGEMENT}
    if locale and f"{prompt}.j2" in utterances:
        return f"there is no locales/{locale}.toml; a locale begins with that file"
    if locale and any(one.template == f"{prompt}.j2" for one in PROMPTS):
        return "models are told everything in English; write what is to change into the file without a locale"
    known = ", ".join(sorted(one.template for one in PROMPTS))
    return f"no prompt is called this; begin the name with '_' if others include it; the prompts are: {known}"


def _sandbox(sources: Mapping[str, str], folder: str, filters: Filters, voice: Voice) -> Sandbox:
    return Sandbox(Sources(sources, folder), filters.by_name(), {"voice": voice})


def _file(sources: Mapping[str, str], name: str, folder: str) -> str:
    if name not in sources:
        raise DeclarationError(
            f"{folder}/{name}:1: the file is missing; copy it from the prompts that come with the package"
        )
    return sources[name]
