"""Record the facts in tests/data anew, from the PyTorch that is installed.

    python -m tests.parity.record

The expressions and snippets stay; what PyTorch makes of them is written over. Recorded with torch
2.13.0; messages differ from version to version, so another version needs another look at the diff.

Read next: tests/parity/test_facts.py
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.parity.describe import fact, shown, shown_with, snippet

DATA = Path(__file__).resolve().parent.parent / "data"
VERSION = "2.13.0"


def load(name: str) -> dict[str, Any]:
    """One of the files of facts: facts, errors, reprs."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def save(name: str, data: dict[str, Any]) -> None:
    """One line for each case: a change shows as a line."""
    lines = []
    for key, value in data.items():
        if isinstance(value, dict):
            rows = (
                f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}"
                for k, v in value.items()
            )
            lines.append(f"{json.dumps(key)}: {{\n" + ",\n".join(rows) + "\n}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    (DATA / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def record(torch: ModuleType) -> None:
    """Ask PyTorch about every case."""
    version = torch.__version__.split("+")[0]
    facts = load("facts")
    facts["torch"] = version
    for code in facts["facts"]:
        facts["facts"][code] = fact(torch, facts["setup"], code)
    save("facts", facts)

    errors = load("errors")
    errors["torch"] = version
    for case in errors["cases"].values():
        kept = {"topic": case["topic"], "code": case["code"]}
        case.clear()
        case.update(kept, **snippet(torch, kept["code"]))
    save("errors", errors)

    reprs = load("reprs")
    reprs["torch"] = version
    for code in reprs["default"]:
        reprs["default"][code] = shown(torch, code)
    for case in reprs["options"].values():
        case["reprs"] = shown_with(torch, case["set"], case["code"])
    save("reprs", reprs)


def main() -> int:
    warnings.simplefilter("ignore")
    import torch

    if not torch.__version__.startswith(VERSION):
        print(f"note: torch {torch.__version__}, where {VERSION} was recorded; read the diff")
    torch.set_warn_always(True)  # else some warnings come once in a process, for one case only
    record(torch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
