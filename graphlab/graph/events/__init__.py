"""What can happen in a backward pass and around it: one dataclass for each kind of event.

Read next: graph/events/base.py
"""

from graphlab.graph.events.base import (
    EVENTS,
    Equation,
    Event,
    Level,
    Span,
    Spans,
    State,
)
from graphlab.graph.events.between import (
    Change,
    ChangedInPlace,
    GradCleared,
    GradReplaced,
    OptimizerStepped,
)
from graphlab.graph.events.gathering import (
    Accumulated,
    DependencyMet,
    GradRetained,
    HookCalled,
    HookRan,
    LeafWritten,
    Readied,
)
from graphlab.graph.events.passes import (
    Failed,
    Finished,
    GradReturned,
    PassBegan,
    Seeded,
)
from graphlab.graph.events.walking import (
    NodeEntered,
    Reduced,
    RuleApplied,
    SavedFreed,
    SavedUnpacked,
)

__all__ = [
    "Accumulated",
    "Change",
    "ChangedInPlace",
    "DependencyMet",
    "EVENTS",
    "Equation",
    "Event",
    "Failed",
    "Finished",
    "GradCleared",
    "GradReplaced",
    "GradRetained",
    "GradReturned",
    "HookCalled",
    "HookRan",
    "LeafWritten",
    "Level",
    "NodeEntered",
    "OptimizerStepped",
    "PassBegan",
    "Readied",
    "Reduced",
    "RuleApplied",
    "SavedFreed",
    "SavedUnpacked",
    "Seeded",
    "Span",
    "Spans",
    "State",
]
