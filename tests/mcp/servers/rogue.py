"""An MCP server without a library, which does what its first argument says, often something forbidden."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

HOW, *REST = sys.argv[1:] or ["good"]
TOOL: dict[str, object] = {
    "name": "ping",
    "description": "Ping.",
    "inputSchema": {"type": "object", "properties": {}},
}
UNREADABLE = {
    "huge": b'"' + b"x" * (50_000_000 if HOW.startswith("huge") else 0) + b'"',
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "surrogate": b'"\\ud800"',
    "bytes": b'"\xff"',
}
UNREADABLE["huge-last"] = UNREADABLE["huge"]
CACHED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"} if HOW == "modern" else {}
CAPABILITIES = {"tools": {"listChanged": True}}


def say(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def greeting(asked: dict[str, Any]) -> dict[str, object]:
    if asked["method"] == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, **CACHED}
    version = asked["params"]["protocolVersion"]
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": {"name": "rogue", "version": "1"},
    }


def answer(asked: dict[str, Any]) -> None:
    match asked["method"]:
        case "initialize" if HOW == "silent":
            return
        case "initialize" if HOW == "modern":
            refusal = {
                "code": -32022,
                "message": "no",
                "data": {"supported": ["2026-07-28"], "requested": "x"},
            }
            say(id=asked["id"], error=refusal)
        case "initialize" if HOW == "senseless":
            say(id=asked["id"], result={"protocolVersion": 7})
        case "initialize" | "server/discover":
            say(id=asked["id"], result=greeting(asked))
        case "tools/list" if HOW == "endless":
            say(id=asked["id"], result={"tools": [TOOL], "nextCursor": "more"})
        case "tools/list" if HOW == "listless":
            say(id=asked["id"], error={"code": -32603, "message": "no list today"})
        case "tools/list" if HOW == "unfit":
            unfit = [{"name": "no_schema"}, {**TOOL, "name": "strange", "inputSchema": {"type": "array"}}]
            say(id=asked["id"], result={"tools": [*unfit, TOOL, {**TOOL, "name": 7}]})
        case "tools/list":
            say(id=asked["id"], result={"tools": [TOOL], **CACHED})
            if HOW == "deaf":
                time.sleep(1000)
        case "tools/call":
            call(asked)
        case _:
            pass


def call(asked: dict[str, Any]) -> None:
    if HOW == "garbage":
        print("Starting up...", "{", '{"jsonrpc": "2.0"}', "\x00\xff", "[" * 5000, sep="\n", flush=True)
        sys.stdout.buffer.write(b"\xff\xfe\n" + b"x" * 13_000_000 + b"\n")
    if HOW == "noisy":
        for number in range(5000):
            print(f"{number}: {os.environ['CRM_TOKEN']} {'y' * 1000}", file=sys.stderr)
    if HOW == "mid-call":
        print("the disk is full", file=sys.stderr, flush=True)
        os._exit(1)
    if HOW == "odd":
        say(id=asked["id"], result={"content": "no list of contents"})
        return
    if HOW in UNREADABLE:
        first, last = (f'"id": {asked["id"]}, ', "") if HOW != "huge-last" else ("", f', "id": {asked["id"]}')
        value = UNREADABLE[HOW]
        if asked["params"]["arguments"].get("note") != "again":
            start = f'{{"jsonrpc": "2.0", {first}"result": {{"content": [], "id": 77, "x": '
            sys.stdout.buffer.write(start.encode() + value + f"}}{last}}}\n".encode())
            sys.stdout.buffer.flush()
            return
    if HOW == "refuses":
        say(id=asked["id"], error={"code": -32602, "message": "no such tool"})
        return
    said = {"type": "text", "text": os.environ.get("SAYS", "pong")}
    say(id=asked["id"], result={"content": [said], **CACHED})


def main() -> None:
    if HOW == "exits":
        print("ModuleNotFoundError: no crm here", file=sys.stderr)
        sys.exit(1)
    if HOW == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if HOW in ("stubborn", "parent"):
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        with open(REST[0], "w", encoding="utf-8") as note:  # noqa: PTH123
            note.write(f"{os.getpid()} {sleeper.pid}")
    if HOW == "started":
        with open(REST[0], "a", encoding="utf-8") as note:  # noqa: PTH123
            note.write("started\n")
    for line in sys.stdin:
        answer(json.loads(line))
    while HOW == "stubborn":
        time.sleep(1000)


if __name__ == "__main__":
    main()
