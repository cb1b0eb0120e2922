"""The shares of Γ(a) below and above x, under the names of `graphlab.special`.

Read next: ops/incomplete_gamma.py
"""

from graphlab.ops.incomplete_gamma import Igamma, Igammac
from graphlab.tensor.functions.from_ops import function_of

gammainc = function_of(Igamma)
gammaincc = function_of(Igammac)
