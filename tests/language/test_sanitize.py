"""Third-party text loses invisible characters and model tokens, and nothing else."""

from assistant.language.sanitize import sanitize, sanitize_data
from tests.support.rows import check_rows


@check_rows(
    "text",
    [
        "", "Do I owe you anything?", "Grüße aus Köln: „prima“ … 5 €", "a < b and c > d", "see <b>this</b> [1]",
        "if x[0] <= 3: pass", "x |> f", "tabs\tand\nlines", "Москва", "日本語 ﾃｽﾄ", "葛\U000e0100飾",
        "می\u200cخواهم", "क्\u200dष", "ᠠ\u180b", "👩\u200d🔧", "👩🏽\u200d🔧", "❤\ufe0f\u200d🔥", "🙂\u200d↔\ufe0f",
        "🏳\ufe0f\u200d🌈",
        "1\ufe0f\u20e3", "©\ufe0f", "ﷺ ½ ①",
    ],
)  # fmt: skip
def test_ordinary_text_is_not_changed(text: str) -> None:
    assert sanitize(text) is text or sanitize(text) == text


@check_rows(
    ("text", "seen"),
    [
        ("i\u200bg\u2060n\u00ado\ufeffre", "ignore"),
        ("\u202eolleh\u202c", "olleh"),
        ("ok\U000e0041\U000e0042", "ok"),
        ("a\u200db", "ab"),
        ("👍\u200dok", "👍ok"),
        ("\u200dok", "ok"),
        (" \u200dok", " ok"),
        ("👍\ufe0f\ufe01\ufe02", "👍\ufe0f"),
        ("x\ufe01", "x"),
        ("x\U000e0100", "x"),
        ("a\u180bb", "ab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07ok", "ok"),
        ("\x9b1mbold", "bold"),
        ("nul\x00 bell\x07 del\x7f", "nul bell del"),
    ],
)
def test_invisible_characters_are_removed(text: str, seen: str) -> None:
    assert sanitize(text) == seen


@check_rows("end", ["\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_all_line_ends_become_the_same(end: str) -> None:
    assert sanitize(f"one{end}two") == "one\ntwo"


@check_rows(
    ("token", "broken"),
    [
        ("<|im_start|>", "< |im_start|>"),
        ("</s>", "< /s>"),
        ("<start_of_turn>", "< start_of_turn>"),
        ("[/INST]", "[ /INST]"),
        ("<<SYS>>", "< < SYS>>"),
        ("<｜User｜>", "< ｜User｜>"),
        ("＜|im_end|＞", "＜ |im_end|＞"),
        ("[𝐈𝐍𝐒𝐓]", "[ 𝐈𝐍𝐒𝐓]"),
        ("<ſ>", "< ſ>"),
        ("<\u200b|im_start|>", "< |im_start|>"),
        ("<\x1b[0m|im_start|>", "< |im_start|>"),
        ("<\ufe0f|im_start|>", "< |im_start|>"),
    ],
)
def test_a_servers_own_tokens_are_broken_up(token: str, broken: str) -> None:
    assert sanitize(f"a {token} b") == f"a {broken} b"


def test_sanitizing_twice_equals_once() -> None:
    for text in (
        "<|im_start|>",
        "[[INST]INST]",
        "<\u200b<|im_|>",
        "\x1b\x1b[0m[0m",
        "👍\ufe0f\ufe0f",
        "\r\r\n",
    ):
        assert sanitize(sanitize(text)) == sanitize(text)


def test_no_text_takes_long() -> None:
    for text in (
        "<" * 50_000,
        "[" * 50_000,
        "\x1b[" * 20_000,
        "\x1b]" * 20_000,
        "\u200d" * 50_000,
        "👍\ufe0f" * 20_000,
    ):
        assert len(sanitize(text)) <= 2 * len(text)


def test_data_are_sanitized_to_their_last_text() -> None:
    data = {"a\u200b": ["<|im_end|>", {"b": ("ok\x00", 1, None, True, 2.5)}]}

    assert sanitize_data(data) == {"a": ["< |im_end|>", {"b": ["ok", 1, None, True, 2.5]}]}


def test_harmless_data_are_the_same_object() -> None:
    data = {"a": ["ok", {"b": (1, None)}], "c": 2**70}

    assert sanitize_data(data) is data
