"""The public names of operations, derived from their classes, so that no class is loaded early.

`python -m graphlab.ops.public_names` writes the table anew; a test compares it with the classes.

Read next: tensor/functions/from_ops.py
"""

# derived: name -> (module of ops/, what it is: function, method, in_place)
PUBLIC: dict[str, tuple[str, str]] = {
    "abs": ("elementwise", "function method in_place"),
    "acos": ("trigonometry", "function method in_place"),
    "acosh": ("trigonometry", "function method in_place"),
    "asin": ("trigonometry", "function method in_place"),
    "asinh": ("trigonometry", "function method in_place"),
    "atan": ("trigonometry", "function method in_place"),
    "atan2": ("trigonometry", "function method in_place"),
    "atanh": ("trigonometry", "function method in_place"),
    "cos": ("elementwise", "function method in_place"),
    "cosh": ("trigonometry", "function method in_place"),
    "deg2rad": ("probability", "function method in_place"),
    "digamma": ("probability", "function method in_place"),
    "erf": ("exponentials", "function method in_place"),
    "erfc": ("exponentials", "function method in_place"),
    "erfinv": ("probability", "function method in_place"),
    "exp": ("elementwise", "function method in_place"),
    "exp2": ("exponentials", "function method in_place"),
    "expm1": ("exponentials", "function method in_place"),
    "frac": ("rounding", "function method in_place"),
    "hypot": ("trigonometry", "function method in_place"),
    "ldexp": ("probability", "function method in_place"),
    "lgamma": ("probability", "function method in_place"),
    "log": ("elementwise", "function method in_place"),
    "log10": ("exponentials", "function method in_place"),
    "log1p": ("elementwise", "function method in_place"),
    "log2": ("exponentials", "function method in_place"),
    "logaddexp": ("exponentials", "function method"),
    "logaddexp2": ("probability", "function method"),
    "minimum": ("elementwise", "function method"),
    "mul": ("elementwise", "function method in_place out"),
    "neg": ("elementwise", "function method in_place"),
    "rad2deg": ("probability", "function method in_place"),
    "reciprocal": ("powers", "function method in_place"),
    "relu": ("elementwise", "function method in_place"),
    "rsqrt": ("powers", "function method in_place"),
    "sigmoid": ("elementwise", "function method in_place"),
    "sin": ("elementwise", "function method in_place"),
    "sinc": ("probability", "function method in_place"),
    "sinh": ("trigonometry", "function method in_place"),
    "sqrt": ("powers", "function method in_place"),
    "tan": ("trigonometry", "function method in_place"),
    "tanh": ("elementwise", "function method in_place"),
}


def derive() -> dict[str, tuple[str, str]]:
    """The table as the classes say it, all of them loaded."""
    from graphlab.ops import load_all, registry

    load_all()
    found = {}
    for name, op in sorted(registry.items()):
        kinds = [kind for kind in ("function", "method", "in_place", "out") if getattr(op, kind)]
        if kinds and op.__module__.startswith("graphlab.ops."):
            found[name] = (op.__module__.removeprefix("graphlab.ops."), " ".join(kinds))
    return found


def write() -> None:
    """Write the table into this file."""
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
