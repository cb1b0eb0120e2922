"""The public names of operations, derived from their classes, so that no class is loaded early.

`python -m tests.core.public_names --update` writes the table; a test compares it with the classes.

Read next: tensor/functions/from_ops.py
"""

# derived: what they are -> module of ops/ -> names
TABLE: dict[str, dict[str, str]] = {
    "function method in_place out": {
        "elementwise": "abs cos exp log mul neg sigmoid sin tanh",
        "trigonometry": "acos acosh asin asinh atan atan2 atanh cosh hypot sinh tan",
        "probability": "deg2rad digamma erfinv ldexp lgamma rad2deg sinc",
        "exponentials": "erf erfc exp2 expm1 log10 log1p log2",
        "rounding": "frac",
        "special_functions": "i0 igamma igammac",
        "powers": "reciprocal rsqrt sqrt",
    },
    "function method out": {
        "choosing": "angle",
        "exponentials": "logaddexp",
        "probability": "logaddexp2",
        "elementwise": "minimum",
    },
    "function method in_place": {
        "elementwise": "relu",
    },
}

# name -> (module of ops/, what it is: function, method, in_place, out)
PUBLIC = {
    name: (module, kinds)
    for kinds, modules in TABLE.items()
    for module, names in modules.items()
    for name in names.split()
}
