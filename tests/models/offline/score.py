"""Counts how many requests of a file the offline model decides exactly: ``python -m tests.models.offline.score``.

A request is decided exactly when the calls are the right ones with the right arguments, and when what is
asked for is an argument that the right call lacks. Digits are compared in numbers, not their spacing.
"""

import asyncio
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import decide_message, read_message
from assistant.models.offline.decision import Ask, Decision, Smalltalk, Help, Unsure
from assistant.models.offline.embed import embed
from assistant.models.offline.match import build_index
from assistant.models.offline.slots import slots_of

TODAY = date(2026, 11, 21)
HERE = Path(__file__).parent


def load(name):
    return [json.loads(line) for line in (HERE / name).read_text().splitlines() if line.strip()]


def norm(v):
    v = str(v)
    return re.sub(r"[\s-]", "", v)


def expected(row, specs):
    calls, asks = [], []
    for c in row["calls"]:
        spec = specs[c["tool"]]
        slots = {s.name: s for s in slots_of(spec)}
        args = {k: norm(v) for k, v in c["arguments"].items() if k in slots}
        missing = [s.name for s in slots.values() if s.required and s.name not in args]
        (asks if missing else calls).append(
            (c["tool"], tuple(sorted(args.items())) if not missing else tuple(missing))
        )
    return sorted(calls), asks


def got(decision):
    def default(spec, k):
        return spec.parameters["properties"][k].get("default")

    calls = sorted(
        (p.spec.name, tuple(sorted((k, norm(v)) for k, v in p.arguments.items() if v != default(p.spec, k))))
        for p in decision.calls
    )
    return calls, decision.reply


def exact(row, decision, specs):
    calls, asks = expected(row, specs)
    mine, reply = got(decision)
    if calls != mine:
        return False
    if asks:
        return isinstance(reply, Ask) and any(reply.spec.name == t and reply.slot.name in m for t, m in asks)
    return not isinstance(reply, Ask | Unsure) if not row["calls"] else reply is None


def wrong_write(row, decision, specs):
    allowed = {(c["tool"]): {norm(v) for v in c["arguments"].values()} for c in row["calls"]}
    return [
        p.spec.name
        for p in decision.calls
        if p.spec.effect == "write"
        and (
            p.spec.name not in allowed
            or not {
                norm(v)
                for k, v in p.arguments.items()
                if v != p.spec.parameters["properties"][k].get("default")
            }
            <= allowed[p.spec.name]
        )
    ]


def main():
    if "--demo" in sys.argv:
        from tests.models.offline.demo_specs import DEMO_SPECS

        specs = DEMO_SPECS
    else:
        from assistant.tooling.discover import discover

        specs = discover(Path("tools")).specs
    by = {s.name: s for s in specs}
    index = build_index(specs, embed)
    from functools import cache

    nearest = cache(lambda t: index.nearest(t, embed([t])[0]))
    verbose = "-v" in sys.argv
    if "harmless" in sys.argv:
        for text in (HERE / "harmless.txt").read_text().splitlines():
            m = read_message(text, TODAY, nearest)
            d = decide_message(m, TODAY)
            w = [p.spec.name for p in d.calls if p.spec.effect == "write"] + (
                [f"ask {d.reply.spec.name}"]
                if isinstance(d.reply, Ask) and d.reply.spec.effect == "write"
                else []
            )
            if w:
                print("HARM", w, text, [(p.text, p.stance) for p in m.pieces])
    for name in [a for a in sys.argv[1:] if a.endswith("jsonl")]:
        rows = load(name)
        tally = {}
        for row in rows:
            m = read_message(row["text"], TODAY, nearest)
            d = decide_message(m, TODAY)
            ok = exact(row, d, by)
            t = tally.setdefault(row["kind"], [0, 0])
            t[0] += ok
            t[1] += 1
            ww = wrong_write(row, d, by)
            if ww:
                print("WRONG WRITE", row["text"], ww)
            if not ok and verbose:
                print("-", row["text"])
                print("    want", expected(row, by))
                r = d.reply
                print(
                    "    got ",
                    got(d)[0],
                    type(r).__name__,
                    (r.spec.name, r.slot.name)
                    if isinstance(r, Ask)
                    else [s.spec.name for s in r.options]
                    if isinstance(r, Unsure)
                    else r,
                )
                for p in m.pieces:
                    print(
                        "       ",
                        repr(p.text),
                        p.stance,
                        [(x.spec.name if x.spec else None, round(x.score, 2)) for x in p.matches[:3]],
                    )
        print(name, sum(a for a, _ in tally.values()), "of", len(rows), tally)


if __name__ == "__main__":
    main()
