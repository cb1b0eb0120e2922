"""Answer `user_expressions` of a request, as other kernels do: GraphLab's side panel asks so.

JupyterLite's kernel runs the code of a request and leaves its expressions out. They are in the
request, which the kernel keeps while it runs.

Read next: js/src/lab/kernel.ts, which asks.
"""

from __future__ import annotations

from typing import Any

from pyodide_kernel.kernel import PyodideKernel  # type: ignore[import-not-found]

run_code = PyodideKernel.run


async def run(kernel: Any, code: str) -> dict[str, Any]:
    """Run the code of a request, then its expressions."""
    results = await run_code(kernel, code)
    request = getattr(kernel, "_parent_header", None) or {}
    expressions = request.get("content", {}).get("user_expressions") or {}
    if expressions and results["status"] == "ok":
        results["user_expressions"] = kernel.interpreter.user_expressions(expressions)
    return results


def load_ipython_extension(shell: Any) -> None:
    """Let the kernel answer; IPython calls this when it starts."""
    PyodideKernel.run = run
