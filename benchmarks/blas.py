"""Settings of BLAS that benchmarks share; import this before NumPy, because BLAS reads them once.

BLAS gets one thread. A choice of OpenBLAS's code for another processor, as some machines set it for
old versions (`OPENBLAS_CORETYPE`), is removed: NumPy is measured as it computes for its users.

Read next: benchmarks/core.py
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)


def core_name() -> str:
    """The kind of processor for which NumPy's OpenBLAS chose its code; "" with another BLAS."""
    import threadpoolctl

    libraries = threadpoolctl.threadpool_info()
    return next((x["architecture"] for x in libraries if x["internal_api"] == "openblas"), "")
