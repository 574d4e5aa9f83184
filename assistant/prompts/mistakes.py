"""Everything that is wrong in a folder of prompts, not only what was found first."""

from collections.abc import Mapping

from assistant.errors import DeclarationError
from assistant.prompts.compiled import compile_prompts


def mistakes_in(sources: Mapping[str, str], folder: str, good: Mapping[str, str]) -> list[str]:
    """What is wrong with these texts, as ``file:line: what; cure``, in the order of the files.

    A file in which a mistake was found has the one from ``good``, texts without a mistake, in its place while
    the others are looked at; so one mistake may hide another of the same file.
    """
    found: list[str] = []
    texts = dict(sources)
    while True:
        try:
            compile_prompts(texts, folder)
        except DeclarationError as error:
            lines = str(error).splitlines()
            found += [line for line in lines if line not in found]
            wrong = {_file(line, folder) for line in lines}
            if not _put_right(texts, wrong, good):
                break
        else:
            break
    return sorted(found, key=_by_place)


def _put_right(texts: dict[str, str], wrong: set[str], good: Mapping[str, str]) -> bool:
    """Put good texts in the place of wrong ones; False when that changes nothing."""
    before = dict(texts)
    for name in wrong:
        texts.pop(name, None)
        if name in good:
            texts[name] = good[name]
    return texts != before


def _file(line: str, folder: str) -> str:
    return line.removeprefix(f"{folder}/").split(":", 1)[0]


def _by_place(line: str) -> tuple[str, int]:
    file, _, rest = line.partition(":")
    number = rest.partition(":")[0]
    return file, int(number) if number.isdigit() else 0
