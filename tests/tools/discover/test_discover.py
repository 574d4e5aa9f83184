"""A folder of files becomes tools, or one error with all its mistakes."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import DeclarationError
from assistant.tools.discovery import discover, rediscover
from assistant.tools.registry import Tools
from tests.tools.conftest import ANA, CONTEXT, Folder

TOOL = '''
from assistant import tool
{imports}

@tool(waiting_hint="counting your points")
def {name}() -> int:
    """Count points."""
    return {value}
'''


def source(name: str, imports: str = "", value: str = "1") -> str:
    return TOOL.format(name=name, imports=imports, value=value)


async def value_of(folder: Path, name: str) -> object:
    return (await discover(folder).get(name).run({}, customer=ANA, context=CONTEXT)).value


async def test_every_file_is_searched_unless_it_begins_with_an_underscore(folder: Folder) -> None:
    place = folder(points=source("points"), _old=source("old"), more=source("more"))
    (place / "notes.txt").write_text("not a tool")
    (place / "folder.py").mkdir()

    assert [spec.name for spec in discover(place).specs] == ["more", "points"]


async def test_a_tool_may_import_its_neighbours(folder: Folder) -> None:
    place = folder(
        _crm="POINTS = 7",
        points=source("points", "from tools import _crm", "_crm.POINTS"),
        # Another file's tool is that file's, however many import it.
        more=source("more", "from tools.points import points", "points() + 1"),
    )

    assert len(discover(place)) == 2
    assert await value_of(place, "points") == 7
    assert await value_of(place, "more") == 8


async def test_two_folders_stay_separate(tmp_path: Path, folder: Folder) -> None:
    first = folder(_crm="POINTS = 7", points=source("points", "from tools import _crm", "_crm.POINTS"))
    second = tmp_path / "second"
    second.mkdir()
    (second / "_crm.py").write_text("POINTS = 9")
    (second / "points.py").write_text(source("points", "from tools import _crm", "_crm.POINTS"))

    assert [await value_of(place, "points") for place in (first, second, first)] == [7, 9, 7]
    import tools

    assert list(tools.__path__) == [str(first.resolve())]


async def test_an_empty_folder_has_no_tools(folder: Folder) -> None:
    assert len(discover(folder())) == 0


def test_a_missing_folder_is_reported_with_the_setting(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"there is no such folder; set ASSISTANT_TOOLS_DIR"):
        discover(tmp_path / "nowhere")


def test_all_mistakes_are_reported_together(folder: Folder) -> None:
    place = folder(
        billing="from assistant import tool\n@tool(waiting_hint='Please wait.')\ndef refund():\n    'Refund.'\n",
        broken="def f(:\n",
        _helper="1 / 0\n",
        divides="\nfrom tools import _helper\n",
        missing="import nowhere_to_be_found\n",
        exits="import sys\n\nsys.exit(3)\n",
        interrupts="\nraise KeyboardInterrupt\n",
        cancels="import asyncio\nraise asyncio.CancelledError\n",
        decorates="from assistant import tool\n\n@tool(waiting_hint='')\nclass Refund: ...\n",
        points=source("points"),
        twice=source("points"),
    )
    (place / "my-tool.py").write_text("")

    with pytest.raises(DeclarationError) as refused:
        discover(place)

    at = f"{place.resolve()}/"
    assert [line.removeprefix(at) for line in str(refused.value).splitlines()] == [
        "_helper.py:1: stops with ZeroDivisionError: division by zero; nothing may fail at import",
        "billing.py:2: tool 'refund': waiting_hint 'Please wait.' should be a gerund phrase such as"
        " 'looking up your invoices'",
        "broken.py:1: cannot be read: invalid syntax",
        "cancels.py:2: stops with CancelledError: ; nothing may fail at import",
        "decorates.py:3: @tool is for functions, not for <class 'tools.decorates.Refund'>; write def or async def",
        "exits.py:3: stops with SystemExit: 3; nothing may fail at import",
        "interrupts.py:2: stops with KeyboardInterrupt: ; nothing may fail at import",
        "missing.py:1: cannot import: No module named 'nowhere_to_be_found'; install it, or correct the name",
        "my-tool.py:1: 'my-tool.py' cannot be imported; name it in letters and underscores",
        f"twice.py:5: tool 'points': is declared at {at}points.py:5 already; rename one of them",
    ]


def test_a_file_that_would_end_the_process_is_reported_with_its_line(folder: Folder) -> None:
    place = folder(leaves="import os\n\n\ndef leave():\n    os._exit(3)\n\n\nleave()\n")

    with pytest.raises(DeclarationError) as told:
        discover(place)

    assert "leaves.py:5: stops with RuntimeError: os._exit(3) would end the whole process" in str(told.value)


async def test_a_call_that_would_end_the_process_fails_alone(folder: Folder) -> None:
    place = folder(leaves=source("leave", imports="import os", value="os._exit(3)"))

    with pytest.raises(RuntimeError, match="would end the whole process; raise an exception instead"):
        await value_of(place, "leave")


async def test_a_process_that_a_tool_has_forked_may_end(folder: Folder) -> None:
    forked = "os.waitstatus_to_exitcode(os.waitpid(os.fork() or os._exit(7), 0)[1])"
    place = folder(forks=source("fork", imports="import os", value=forked))

    assert await value_of(place, "fork") == 7


def test_a_binary_file_is_reported_too(folder: Folder) -> None:
    place = folder()
    (place / "zero.py").write_bytes(b"a = '\0'")
    (place / "bytes.py").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(DeclarationError, match=r"bytes\.py:1: (.|\n)*zero\.py:1: .*null bytes"):
        discover(place)


async def test_a_corrected_file_is_read_again(folder: Folder) -> None:
    place = folder(points="import nowhere_to_be_found")
    with pytest.raises(DeclarationError):
        discover(place)

    folder(points=source("points"))

    assert await value_of(place, "points") == 1


async def run(tools: Tools, name: str) -> object:
    return (await tools.get(name).run({}, customer=ANA, context=CONTEXT)).value


async def test_an_edit_is_read_and_earlier_tools_continue_unchanged(folder: Folder) -> None:
    place = folder(_crm="POINTS = 7", points=source("points", "from tools import _crm", "_crm.POINTS"))
    before = discover(place)
    # In the same second and of the same size, as Python tells compiled files apart.
    folder(_crm="POINTS = 8")

    after = rediscover(place)
    assert [await run(tools, "points") for tools in (before, after)] == [7, 8]
    folder(_crm="POINTS = 9")
    assert [await run(tools, "points") for tools in (before, after, rediscover(place))] == [7, 8, 9]


def test_a_removed_file_leaves_nothing(folder: Folder) -> None:
    place = folder(points=source("points"), more=source("more", "from tools import points"))
    discover(place)
    (place / "points.py").unlink()

    with pytest.raises(DeclarationError, match=r"more\.py:3: cannot import: .*'points' from 'tools'"):
        rediscover(place)
    (place / "more.py").write_text(source("more"))

    assert [spec.name for spec in rediscover(place).specs] == ["more"]


async def test_a_folder_with_a_mistake_changes_nothing_when_it_is_read_again(folder: Folder) -> None:
    place = folder(_crm="POINTS = 7", points=source("points", "from tools import _crm", "_crm.POINTS"))
    before = discover(place)
    modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "tools"}
    folder(_crm="POINTS = 8", wrong="1 / 0")

    with pytest.raises(DeclarationError, match=r"wrong\.py:1: stops with ZeroDivisionError"):
        rediscover(place)

    assert {name: sys.modules[name] for name in modules} == modules
    assert "tools.wrong" not in sys.modules
    assert await run(before, "points") == 7


def test_a_folder_that_was_never_imported_is_read_as_well(tmp_path: Path, folder: Folder) -> None:
    discover(folder(points=source("points")))
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.py").write_text(source("more"))

    assert [spec.name for spec in rediscover(other).specs] == ["more"]
    with pytest.raises(DeclarationError, match="there is no such folder"):
        rediscover(tmp_path / "nowhere")


def test_the_shipped_tools_need_no_dictionary_to_start() -> None:
    loaded = subprocess.run(
        [
            sys.executable, "-c",
            "import sys; from pathlib import Path; from assistant.tools.discovery import discover;"
            "print(len(discover(Path('tools'))), 'lemminflect' in sys.modules, 'fastapi' in sys.modules)",
        ],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip

    assert loaded.stdout.split() == ["14", "False", "False"]


ODD = st.sampled_from(
    [
        *(
            "None",
            "0",
            "-1",
            "True",
            "''",
            "' '",
            "'x'",
            "'checking'",
            "[]",
            "[1]",
            "{}",
            "{1: 2}",
            "{'en': ''}",
        ),
        *(
            "{'sv': 'x'}",
            "print",
            "object()",
            "int",
            "lambda: 1",
            "lambda **k: 'do it'",
            "float('nan')",
            "...",
            "b''",
        ),
        *("'{{ value'", "'{{ arguments.x }}'", "'{% if %}'", "'write'", "'always'", "(x for x in [1])", "1j"),
    ]
)
OPTION = st.sampled_from(
    [
        "waiting_hint",
        "will",
        "effect",
        "timeout_s",
        "confirm",
        "acknowledge",
        "narration",
        "examples",
        "retries",
    ]
)
PARAMETER = st.sampled_from(
    [
        *(
            "a",
            "a: int",
            "a: int = 'x'",
            "a: 'Nope'",
            "a: object",
            "a: type",
            "a: list[int] = []",
            "*a",
            "**a",
        ),
        *(
            "a, /",
            "*, a: str",
            "a: 1",
            "a: Customer",
            "a: list[Customer]",
            "a: ToolContext",
            "a: int = print",
        ),
        *(
            "_a: int = 3",
            "model_config: str",
            "schema: dict[str, int] | None = None",
            "a: 'int",
            "a: print",
            "self",
        ),
        *(
            "a: Literal[object()]",
            "a: Annotated[int, 'x']",
            "a: complex",
            "a: Iterator[int]",
            "a: float = float('nan')",
        ),
    ]
)
DOCSTRING = st.one_of(
    st.text(max_size=40), st.just("Do.\n\nArgs:\n    a: x\n    _a: y\n    : z\n Returns: q")
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    options=st.dictionaries(OPTION, ODD, max_size=3),
    parameter=PARAMETER,
    docstring=DOCSTRING,
    kind=st.sampled_from(["def", "async def", "class"]),
    rest=st.one_of(st.just(""), st.text(max_size=20)),
)
def test_any_file_becomes_tools_or_a_reported_mistake(
    tmp_path_factory: pytest.TempPathFactory,
    folder: Folder,
    options: dict[str, str],
    parameter: str,
    docstring: str,
    kind: str,
    rest: str,
) -> None:
    place = tmp_path_factory.mktemp("tools")
    written = ", ".join(f"{name}={value}" for name, value in options.items())
    (place / "odd.py").write_text(
        "from collections.abc import Iterator\nfrom typing import Annotated, Literal\n"
        "from assistant import Customer, ToolContext, tool\n\n"
        f"@tool({written})\n{kind} odd({parameter}):\n    {docstring!r}\n{rest}\n",
        encoding="utf-8",
        errors="surrogatepass",
    )

    assert outcome(place) in ("no tools", "odd", "told")


def outcome(place: Path) -> str:
    try:
        return ", ".join(spec.name for spec in discover(place).specs) or "no tools"
    except DeclarationError as error:
        return "told" if str(error).startswith(str(place.resolve())) else str(error)
