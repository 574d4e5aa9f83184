"""Harmful texts that a model might write for a customer, and the links in them."""

from collections.abc import Mapping
from types import MappingProxyType

ELSEWHERE = "https://elsewhere.example/"

PAYLOADS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "[a](javascript:alert(1))": (),
        "[a](JaVaScRiPt:alert(1))": (),
        "[a](java\tscript:alert(1))": (),
        "[a](\x01javascript:alert(1))": (),
        "[a](javascript&#58;alert(1))": (),
        "[a](javascript%3Aalert(1))": (),
        "[a](<javascript:alert(1)>)": (),
        "[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)": (),
        "[a](vbscript:msgbox(1))": (),
        "[a](blob:https://elsewhere.example/1)": (),
        "[a](file:///etc/passwd)": (),
        "[a](//elsewhere.example/)": (),
        "[a](/account/delete)": (),
        "[a](\\\\elsewhere.example\\share)": (),
        "[a](https:elsewhere.example)": (),
        "[a](https://bank.example@elsewhere.example/)": (),
        "[a](https://bank.example\u2028.elsewhere.example/)": (),
        "[a](https://elsewhere.example/\u202egpj.exe)": (),
        "[a]\n\n[a]: javascript:alert(1)": (),
        "<javascript:alert(1)>": (),
        "<https://elsewhere.example/>": (),
        "<img src=https://elsewhere.example/a.png onerror=alert(1)>": (),
        "<svg/onload=alert(1)><script>alert(1)</script>": (),
        '<a href="javascript:alert(1)" style="background:url(https://elsewhere.example/b)">': (
            f"{ELSEWHERE}b",
        ),
        '<img srcset="https://elsewhere.example/c 2x"><iframe src=https://elsewhere.example/></iframe>': (),
        "<style>*{background:url(https://elsewhere.example/d)}</style>": (f"{ELSEWHERE}d",),
        "<link rel=prefetch href=//elsewhere.example>": (),
        "![a](https://elsewhere.example/e.png)": (f"{ELSEWHERE}e.png",),
        "![a](javascript:alert(1))": (),
        "![](data:image/svg+xml,<svg onload=alert(1)>)": (),
        "[![a](https://elsewhere.example/f.png)](https://elsewhere.example/g)": (f"{ELSEWHERE}g",),
        "[![a](https://elsewhere.example/h.png)](javascript:alert(1))": (),
        '[a](https://elsewhere.example/" onmouseover="alert(1) "t")': (),
        "[**[a](javascript:alert(1))**](https://elsewhere.example/i)": (f"{ELSEWHERE}i",),
        "https://elsewhere.example/j\"onclick='alert(1)'": (f"{ELSEWHERE}j",),
        "```html\n<script>alert(1)</script>\n```": (),
        '```" onload=alert(1)\ncode\n```': (),
        "| a |\n|---|\n| <img src=x onerror=alert(1)> |\n": (),
        "- [ ] <input autofocus onfocus=alert(1)>": (),
        "\u202eevil\u202c [gro.knab](https://elsewhere.example/k)": (f"{ELSEWHERE}k",),
        "[a](" + "x" * 20_000 + ")": (),
        "> " * 500 + "a": (),
        "[" * 5_000 + "a" + "](https://elsewhere.example/l)" * 2: (f"{ELSEWHERE}l", f"{ELSEWHERE}l"),
        "**_" * 3_000 + "a": (),
        "<b" * 5_000: (),
    }
)
