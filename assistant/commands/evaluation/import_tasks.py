"""``assistant evaluate import``: writes the tasks of a benchmark as a suite for ``assistant evaluate --suite``."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import typer
import yaml

from assistant.commands.project.new import fill_templates, write_new_files
from assistant.errors import DeclarationError
from assistant.evaluation.tau2 import Imported, import_domain
from assistant.prompts.folder import read_folder
from assistant.replay.live_trials import counted
from assistant.shipped import shipped


def import_tau2(domain: str, folder: Path, split: str) -> None:
    """Write a suite with the tasks of a domain of tau2.

    Raises:
        DeclarationError: tau2 is not installed, has no such domain, or the folder is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise DeclarationError(f"{folder} is not empty; name a new folder with --out")
    found = import_domain(domain, split)
    source = f"tau2's domain {domain}, split {split}; written by 'assistant evaluate import'"
    templates = fill_templates("tau2", {"domain": domain, "source": source, "policy": found.policy.strip()})
    addition = templates.pop(Path("policy"))
    files = {folder / path: text for path, text in templates.items()}
    files |= {folder / "prompts" / path: text for path, text in _instructions(addition)}
    files[folder / "tasks" / f"{domain}.yaml"] = _tasks_file(found, source)
    write_new_files(files)
    typer.echo(f"{folder}: {counted(len(found.tasks), 'task')} of tau2's domain {domain}.")
    if found.left_out:
        typer.echo(f"Left out, because they need what is missing here: {', '.join(found.left_out)}.")
    typer.echo(f"Next: assistant evaluate --suite {folder} --model solutions; it asks no provider.")


def _instructions(addition: str) -> Iterator[tuple[str, str]]:
    """Our instructions, followed by the domain's policy."""
    ours = read_folder(shipped("prompts"))
    for name in ("models/decider.j2", "models/narrator.j2"):
        head, late, tail = ours[name].partition("{% block late %}")
        yield name, f"{head}{addition}\n{late}{tail}"


class _Dumper(yaml.SafeDumper):
    """Writes a text of several lines in block form."""


def _as_block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)  # pyright: ignore[reportUnknownMemberType]


_Dumper.add_representer(str, _as_block)


def _tasks_file(found: Imported, source: str) -> str:
    content: Mapping[str, object] = {"tasks": [dict(task) for task in found.tasks]}
    dumped = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"# The tasks of {source}.\n{dumped}"
