"""How a Timeline and a Report are copied and pickled.

Both hold what cannot be pickled, such as functions and live tensors. It is left out: a Timeline is
pickled as its JSON, and a Report without the graph that was checked.

Read next: graph/readings.py
"""

from typing import Any, Self


class Unchanging:
    """What never changes: its copy is the object itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class PickledAsJson(Unchanging):
    """What is pickled as its JSON, without the live arrays and functions that it holds."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        written: Any = self
        return written.from_json, (written.to_json(),)
