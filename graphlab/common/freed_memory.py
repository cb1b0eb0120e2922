"""The memory of freed arrays stays with the process, for the arrays that are made next.

Read next: common/dtypes.py
"""

import sys

import numpy as np

LARGEST = 1 << 25  # bytes: glibc learns from blocks up to this size


def keep() -> None:
    """Let glibc keep up to 64 MB of freed memory, before a pass over large arrays needs it.

    Each pass frees arrays and makes others of the same sizes. If their memory went back to the
    system in between, it would come again page by page, each page filled with zeros: two thirds of
    the time that a pass over arrays of 4 MB takes. glibc raises both of its limits when a large
    block is freed. No page of the block that is freed here was ever used.

    Source: mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD. Other systems are left as they are.
    """
    if sys.platform == "linux":
        np.empty(LARGEST - 8192, np.uint8)
