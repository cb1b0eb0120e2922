"""Which rules are proved, for the player: `python -m tests.symbolic.proved` writes the table.

It is read off docs/rules.md, the page on which every call that was put before SymPy has a line.

Read next: tests/symbolic/test_proved.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphlab.adapters.proofs import PATH

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
# proved in every call of their own: what is not proved is euclidean_dist, and a power of an inverse
NOT_OURS = {"view", "mm"}
RUNS_YOUR_CODE = {"custom"}  # whether its backward is right is another question each time


def verdicts() -> dict[str, list[tuple[str, str]]]:
    """For each operation of the page the verdicts on its calls, and why they are no proofs."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            op, _, verdict, _, why = (cell.strip() for cell in line.strip("|").split("|"))
            found.setdefault(op.strip("`"), []).append((verdict, why))
    return found


def proofs() -> dict[str, Any]:
    """The operations that are proved, and the others: [calls, of, why] in part, [why] in none."""
    proved, other = [], {}
    for op, calls in sorted(verdicts().items()):
        missing = [why for verdict, why in calls if verdict != "proved"]
        if op in RUNS_YOUR_CODE:
            continue
        if not missing or op in NOT_OURS:
            proved.append(op)
            continue
        count = len(calls) - len(missing)
        other[op] = [count, len(calls), missing[0]] if count else [missing[0]]
    return {"proved": " ".join(proved), "else": other}


def text() -> str:
    """The table as it stands in the committed file, a line for each that is not proved."""
    found = proofs()
    lines = [f"  {quoted(op)}: {quoted(entry)}" for op, entry in found["else"].items()]
    inner = ",\n".join(lines)
    return f'{{\n "proved": {quoted(found["proved"])},\n "else": {{\n{inner}\n }}\n}}\n'


def quoted(thing: Any) -> str:
    return json.dumps(thing, ensure_ascii=False)


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
