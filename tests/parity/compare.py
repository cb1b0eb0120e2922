"""Compare GraphLab with the recorded facts, case by case: what holds, and how the rest differs.

    python -m tests.parity.compare            counts, and every difference
    python -m tests.parity.compare --drop     take what holds by now out of not_yet.txt

`not_yet.txt` has a line `id -- reason` for every case that does not hold yet.

Read next: tests/parity/describe.py
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import graphlab
from tests.parity.describe import fact, same_text, shown, shown_with, snippet
from tests.parity.record import load

LIST = Path(__file__).resolve().parent / "not_yet.txt"


def cases() -> dict[str, tuple[str, Any]]:
    """Every recorded case by its id: ("facts", code), ("errors", id), ..."""
    found: dict[str, tuple[str, Any]] = {}
    for code in load("facts")["facts"]:
        found[f"fact: {code}"] = ("fact", code)
    for name in load("errors")["cases"]:
        found[f"error: {name}"] = ("error", name)
    reprs = load("reprs")
    for code in reprs["default"]:
        found[f"repr: {code}"] = ("repr", code)
    for name in reprs["options"]:
        found[f"print options: {name}"] = ("options", name)
    return {" ".join(key.split()): value for key, value in found.items()}


def not_yet() -> dict[str, str]:
    """The cases that do not hold yet, with the reason."""
    rows = [line for line in LIST.read_text("utf-8").splitlines() if line and line[0] != "#"]
    return dict(row.split(" -- ", 1) for row in rows)  # type: ignore[misc]


FILES: dict[str, Any] = {}


def recorded(name: str) -> Any:
    return FILES.setdefault(name, load(name))


def differences(kind: str, key: str) -> list[str]:
    """How GraphLab differs from PyTorch in one case; empty where it does not."""
    if kind == "fact":
        facts = recorded("facts")
        return compare_fact(facts["facts"][key], fact(graphlab, facts["setup"], key))
    if kind == "error":
        case = recorded("errors")["cases"][key]
        ours = snippet(graphlab, case["code"])
        return unlike({k: case.get(k) for k in ("prints", "raises", "warns")}, ours)
    reprs = recorded("reprs")
    if kind == "repr":
        return unlike(reprs["default"][key], shown(graphlab, key))
    case = reprs["options"][key]
    return unlike(
        {"reprs": case["reprs"]}, {"reprs": shown_with(graphlab, case["set"], case["code"])}
    )


def unlike(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    names = sorted({*theirs, *ours})
    return [
        f"{name}: expected {theirs.get(name)!r}, got {ours.get(name)!r}"
        for name in names
        if theirs.get(name) != ours.get(name)
    ]


def compare_fact(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    if "error" in ours or "error" in theirs:
        return unlike({"error": theirs.get("error")}, {"error": ours.get("error")})
    found = []
    if not same_text(theirs["repr"], ours["repr"]):
        found.append(f"repr: expected {theirs['repr']!r}, got {ours['repr']!r}")
    fields = ("dtype", "is_leaf", "requires_grad", "is_view", "_version", "output_nr")
    for i, (a, b) in enumerate(zip_longest_(theirs.get("tensors"), ours.get("tensors"))):
        for name, x, y in zip(fields, a or fields, b or fields, strict=True):
            if x != y:
                found.append(f"tensor {i}, {name}: expected {x!r}, got {y!r}")
    for a, b in zip_longest_(theirs.get("graph"), ours.get("graph")):
        found += compare_graph(a, b, "")
    a, b = theirs.get("grads"), ours.get("grads")
    if isinstance(a, dict) and isinstance(b, dict):
        for name in sorted({*a, *b}):
            if not same_text(a.get(name, "None"), b.get(name, "None")):
                found.append(f"gradient of {name}: expected {a.get(name)}, got {b.get(name)}")
    elif type(a) is not type(b):
        found.append(f"gradients: expected {a!r}, got {b!r}")
    return found


def zip_longest_(a: list[Any] | None, b: list[Any] | None) -> list[tuple[Any, Any]]:
    from itertools import zip_longest

    return list(zip_longest(a or [], b or []))


def compare_graph(a: Any, b: Any, path: str) -> list[str]:
    if not isinstance(a, list) or not isinstance(b, list):
        return [] if a == b else [f"{path or 'grad_fn'}: expected {named(a)}, got {named(b)}"]
    (name_a, saved_a, next_a), (name_b, saved_b, next_b) = a, b
    if name_a != name_b:
        return [f"{path or 'grad_fn'}: expected {name_a}, got {name_b}"]
    here = f"{path}{name_a}"
    found = []
    for name in sorted({*saved_a, *saved_b}):
        x, y = saved_a.get(name, "(nothing)"), saved_b.get(name, "(nothing)")
        if not same_text(x, y):
            found.append(f"{here}.{name}: expected {x}, got {y}")
    if len(next_a) != len(next_b):
        found.append(f"{here}: expected {len(next_a)} next functions, got {len(next_b)}")
        return found
    for i, ((x, m), (y, n)) in enumerate(zip(next_a, next_b, strict=True)):
        if m != n:
            found.append(f"{here}.next_functions[{i}]: expected output {m}, got {n}")
        found += compare_graph(x, y, f"{here}[{i}].")
    return found


def named(node: Any) -> Any:
    return node[0] if isinstance(node, list) else node


def main(arguments: list[str]) -> int:
    """Print the counts and the differences; with --drop, shorten the list."""
    counts: Counter[tuple[str, bool]] = Counter()
    listed, held = not_yet() if LIST.exists() else {}, []
    for name, (kind, key) in cases().items():
        found = differences(kind, key)
        counts[kind, not found] += 1
        if found:
            print(f"{name} -- {found[0]}".replace("\n", " "))
        else:
            held.append(name)
    for kind in dict.fromkeys(kind for kind, _ in counts):
        print(
            f"# {kind}: {counts[kind, True]} hold, {counts[kind, False]} do not yet",
            file=sys.stderr,
        )
    if "--drop" in arguments:
        kept = [
            line
            for line in LIST.read_text("utf-8").splitlines()
            if line.split(" -- ", 1)[0] not in held
        ]
        LIST.write_text("\n".join(kept) + "\n", "utf-8")
        print(f"# taken out: {len(set(held) & set(listed))}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
