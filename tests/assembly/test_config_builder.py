"""What configuration versions share, and what each has for itself."""

from dataclasses import replace

import pytest

from assistant.assembly.config_builder import ConfigBuilder
from assistant.testing.virtual_time import VirtualClock
from tests.assembly.conftest import AppFolder


async def test_hosted_models_are_shared_and_embedded_ones_belong_to_a_version(
    app_folder: AppFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    settings = app_folder.settings.model_copy(update={"model": "openai/one", "narrator_model": "offline"})
    builder = ConfigBuilder(settings, VirtualClock())
    first = builder.build_first()
    app_folder.speaks("dry")

    second = builder.build_next(builder.folders.contents(), first)

    assert first.version.deps.models["narrator"].model is not second.version.deps.models["narrator"].model
    assert [one.version.deps.confirm_every_write for one in (first, second)] == [True, True]
    await builder.close()


async def test_equal_files_give_an_equal_bundle_id_and_other_files_another(app_folder: AppFolder) -> None:
    contents = (await app_folder.starts()).builder.folders.contents()
    moved = replace(contents, tools=dict(sorted(contents.tools.items(), reverse=True)))

    assert moved.bundle("p") == contents.bundle("p")
    assert contents.bundle("q") != contents.bundle("p")
    assert replace(contents, tools={**contents.tools, "_crm.py": "0"}).bundle("p") != contents.bundle("p")
