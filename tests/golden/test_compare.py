"""Two records are compared: differences are printed so that people can read them."""

from pathlib import Path

from tests.golden.compare import differences
from tests.golden.record import Record, Request, record_of, write_record
from tests.golden.scenes import scenes


def of(system: str, *, text: str = "Hello.", body: bytes | None = None) -> Record:
    written = body or f'{{"model":"m","messages":[{{"role":"system","content":"{system}"}}]}}'.encode()
    return record_of([Request(0, "decider", "openai", written)], [(300, {"b": 1, "a": text})], [text])


def compared(folder: Path, before: Record, now: Record) -> str:
    for name, record in (("before", before), ("now", now)):
        write_record(folder / name, "chat/one", record)
    return "\n".join(differences(folder / "before", folder / "now"))


def test_the_same_record_has_no_differences(tmp_path: Path) -> None:
    assert compared(tmp_path, of("Be brief."), of("Be brief.")) == ""


def test_one_line_of_a_prompt_is_shown_as_a_line(tmp_path: Path) -> None:
    told = compared(tmp_path, of("Be brief.\\nBe kind."), of("Be brief.\\nBe very kind."))

    assert "--- before/chat/one/requests.txt" in told
    assert "-Be kind." in told
    assert "+Be very kind." in told
    assert told.endswith("1 of 3 files differ")


def test_a_text_differs_in_the_frames_and_in_what_was_said(tmp_path: Path) -> None:
    told = compared(tmp_path, of("Be brief."), of("Be brief.", text="Good day."))

    assert '-  "a": "Hello."' in told
    assert "+Good day." in told


def test_the_same_json_in_other_bytes_is_a_difference(tmp_path: Path) -> None:
    told = compared(tmp_path, of("", body=b'{"a":1}'), of("", body=b'{"a": 1}'))

    assert "the same JSON in other bytes" in told


def test_the_same_change_in_many_files_is_shown_once(tmp_path: Path) -> None:
    for name in ("chat/one", "chat/two"):
        write_record(tmp_path / "before", name, of("Be brief."))
        write_record(tmp_path / "now", name, of("Be kind."))

    told = differences(tmp_path / "before", tmp_path / "now")

    assert len([line for line in told if line.startswith("+") and "Be kind." in line]) == 1
    assert told[-2:] == ["chat/two/requests.txt differs, too", "2 of 6 files differ"]


def test_a_conversation_that_one_side_lacks_is_named(tmp_path: Path) -> None:
    write_record(tmp_path / "before", "chat/one", of("Be brief."))
    (tmp_path / "now").mkdir()

    assert "chat/one/texts.txt: only there" in differences(tmp_path / "before", tmp_path / "now")


def test_every_way_to_a_provider_and_every_kind_of_line_is_recorded() -> None:
    names = list(scenes())

    assert len([name for name in names if not name.startswith("cassette/")]) >= 50
    for part in ("/openai/", "/anthropic/", "/grok/", "/generic/", "/text-markdown-json/", "/text-xml-yaml/"):
        for scene in ("confirmation", "interruption", "resume"):
            assert f"chat{part}{scene}" in names
    assert any(name.startswith("voice/") for name in names)
    assert any(name.startswith("phone/media") for name in names)
