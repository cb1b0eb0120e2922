"""Events are what can happen in and between forward and backward passes: a dataclass for each kind.

Read next: graph/events/event.py
"""

from graphlab.graph.events.event import (
    EVENTS,
    Equation,
    Event,
    Factor,
    Level,
    Product,
    Span,
    Spans,
    State,
    Windows,
)
from graphlab.graph.events.node_steps import (
    Accumulated,
    DependencyMet,
    GradRetained,
    HookCalled,
    HookRan,
    LeafWritten,
    NodeEntered,
    Readied,
    Reduced,
    RuleApplied,
    SavedFreed,
    SavedUnpacked,
)
from graphlab.graph.events.passes import (
    Computed,
    Failed,
    Finished,
    ForwardBegan,
    ForwardFinished,
    GradReturned,
    PassBegan,
    SavedKept,
    Seeded,
)
from graphlab.graph.events.updates import (
    Change,
    ChangedInPlace,
    GradCleared,
    GradReplaced,
    OptimizerStepped,
)

__all__ = [
    "Accumulated", "Change", "ChangedInPlace", "Computed", "DependencyMet", "EVENTS",
    "Equation", "Event", "Factor", "Failed", "Finished", "ForwardBegan", "ForwardFinished",
    "GradCleared", "GradReplaced", "GradRetained", "GradReturned", "HookCalled", "HookRan",
    "LeafWritten", "Level", "NodeEntered", "OptimizerStepped", "PassBegan", "Product",
    "Readied", "Reduced", "RuleApplied", "SavedFreed", "SavedKept", "SavedUnpacked", "Seeded",
    "Span", "Spans", "State", "Windows",
]  # fmt: skip
