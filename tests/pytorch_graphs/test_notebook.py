"""The engineer's notebook finds its three planted faults when it is run again.

Read next: notebooks/pytorch/three_faults.ipynb
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.torch

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "pytorch" / "three_faults.ipynb"
SAID = (
    "loss: nan",
    "SqrtBackward0 in model computed nan from finite numbers, line 11: spread = variance.sqrt()",
    "SqrtBackward0 runs with the gradient [nan, nan, nan, nan].",
    "The median absolute value in the gradient of 0.weight is 10^-1",
    "no gradient reaches: right.weight right.bias",
    "ScaledBackward",
    "Jacobian mismatch",
)


def texts(notebook: nbformat.NotebookNode) -> str:
    """Everything that the cells print and show as text."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    return "\n".join(
        out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs
    )


def test_it_finds_its_faults_and_its_saved_outputs_say_so(torch):
    saved = nbformat.read(NOTEBOOK, as_version=4)
    fresh = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(fresh, timeout=300, kernel_name="python3").execute(cwd=str(NOTEBOOK.parent))
    for said in SAID:
        assert said in texts(fresh)
        assert said in texts(saved)
    assert NOTEBOOK.stat().st_size < 300_000
