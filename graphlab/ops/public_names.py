"""The public names of operations, derived from their classes, so that no class is loaded early.

`python -m graphlab.ops.public_names` writes the table anew; a test compares it with the classes.

Read next: tensor/functions/from_ops.py
"""

# derived: name -> (module of ops/, what it is: function, method, in_place)
PUBLIC: dict[str, tuple[str, str]] = {
    "abs": ("elementwise", "function method in_place out"),
    "acos": ("trigonometry", "function method in_place out"),
    "acosh": ("trigonometry", "function method in_place out"),
    "angle": ("choosing", "function method out"),
    "asin": ("trigonometry", "function method in_place out"),
    "asinh": ("trigonometry", "function method in_place out"),
    "atan": ("trigonometry", "function method in_place out"),
    "atan2": ("trigonometry", "function method in_place out"),
    "atanh": ("trigonometry", "function method in_place out"),
    "cos": ("elementwise", "function method in_place out"),
    "cosh": ("trigonometry", "function method in_place out"),
    "deg2rad": ("probability", "function method in_place out"),
    "digamma": ("probability", "function method in_place out"),
    "erf": ("exponentials", "function method in_place out"),
    "erfc": ("exponentials", "function method in_place out"),
    "erfinv": ("probability", "function method in_place out"),
    "exp": ("elementwise", "function method in_place out"),
    "exp2": ("exponentials", "function method in_place out"),
    "expm1": ("exponentials", "function method in_place out"),
    "frac": ("rounding", "function method in_place out"),
    "hypot": ("trigonometry", "function method in_place out"),
    "i0": ("special_functions", "function method in_place out"),
    "igamma": ("special_functions", "function method in_place out"),
    "igammac": ("special_functions", "function method in_place out"),
    "ldexp": ("probability", "function method in_place out"),
    "lgamma": ("probability", "function method in_place out"),
    "log": ("elementwise", "function method in_place out"),
    "log10": ("exponentials", "function method in_place out"),
    "log1p": ("exponentials", "function method in_place out"),
    "log2": ("exponentials", "function method in_place out"),
    "logaddexp": ("exponentials", "function method out"),
    "logaddexp2": ("probability", "function method out"),
    "minimum": ("elementwise", "function method out"),
    "mul": ("elementwise", "function method in_place out"),
    "neg": ("elementwise", "function method in_place out"),
    "rad2deg": ("probability", "function method in_place out"),
    "reciprocal": ("powers", "function method in_place out"),
    "relu": ("elementwise", "function method in_place"),
    "rsqrt": ("powers", "function method in_place out"),
    "sigmoid": ("elementwise", "function method in_place out"),
    "sin": ("elementwise", "function method in_place out"),
    "sinc": ("probability", "function method in_place out"),
    "sinh": ("trigonometry", "function method in_place out"),
    "sqrt": ("powers", "function method in_place out"),
    "tan": ("trigonometry", "function method in_place out"),
    "tanh": ("elementwise", "function method in_place out"),
}


def derive() -> dict[str, tuple[str, str]]:
    """Return the table that follows from the classes, after loading all of them."""
    from graphlab.ops import load_all, registry

    load_all()
    found = {}
    for name, op in sorted(registry.items()):
        kinds = [kind for kind in ("function", "method", "in_place", "out") if getattr(op, kind)]
        if kinds and op.__module__.startswith("graphlab.ops."):
            found[name] = (op.__module__.removeprefix("graphlab.ops."), " ".join(kinds))
    return found


def write() -> None:
    """Replace the table in this file."""
    from pathlib import Path

    path = Path(__file__)
    text = path.read_text("utf-8")
    head, rest = text.split("] = {\n", 1)
    _, tail = rest.split("}\n", 1)
    rows = "".join(
        f'    "{name}": ("{module}", "{kinds}"),\n' for name, (module, kinds) in derive().items()
    )
    path.write_text(f"{head}] = {{\n{rows}}}\n{tail}", "utf-8")


if __name__ == "__main__":
    write()
