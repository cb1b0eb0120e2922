"""einsum: sums of products, written with a letter for every dimension.

    einsum("ij,jk->ik", A, B)   Σⱼ Aᵢⱼ Bⱼₖ, the product of two matrices
    einsum("ii", A)             Σᵢ Aᵢᵢ, the trace
    einsum("i,j->ij", x, y)     xᵢ yⱼ, the outer product

Every operand is permuted to the same order of letters: those of the output first, then those that
are summed. Then the operands are contracted pairwise, from left to right. A summed letter that only
one of the two has is summed first; the rest is one batch of matrix products.

Source: PyTorch, aten/src/ATen/native/Linear.cpp, einsum and sumproduct_pair.

Read next: tensor/functions/solving.py
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from graphlab.autograd.decisions import sources_of
from graphlab.autograd.record import applied
from graphlab.common.public import public
from graphlab.ops import shapes as sh
from graphlab.tensor import functions as F
from graphlab.tensor.functions.pointwise import mul
from graphlab.tensor.functions.products import bmm
from graphlab.tensor.functions.reductions import sum
from graphlab.tensor.functions.shapes import reshape, view
from graphlab.tensor.tensor import Tensor, wrap

ELLIPSIS = "..."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_permute, _unsqueeze, _view = map(applied, (sh.Permute, sh.Unsqueeze, sh.View))


@public()
def einsum(*args: Any) -> Tensor:
    """Return the sum of products that the equation describes.

    args: the equation and the tensors; or each tensor followed by a list of numbers in place of
    letters, and at the end, if given, such a list for the output.
    Raises: ValueError and RuntimeError, in PyTorch's words, for an equation that does not fit.

    >>> einsum("ij,j->i", torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    equation, operands = args[0], args[1:]
    if isinstance(equation, Tensor):
        equation = ",".join(written(numbers) for numbers in args[1::2])
        operands = args[::2]
        if len(args) % 2:
            equation += "->" + written(args[-1])
            operands = args[:-1:2]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}"
        )
    return plan_of(equation, tuple([operand.ndim for operand in operands])).run(operands)


def written(numbers: Any) -> str:
    """Write a list of numbers as letters: [0, ..., 27] is "A...b"."""
    for n in numbers:
        if n is not Ellipsis and not 0 <= n < len(LETTERS):
            raise ValueError(
                "einsum(): subscript in subscript list is not within the valid range [0, 52)"
            )
    return "".join(ELLIPSIS if n is Ellipsis else LETTERS[n] for n in numbers)


def letters_of(text: str, start: int, where: str, already: str) -> list[str]:
    """Return the letters of one term; an ellipsis counts as one.

    start: its index in the equation.
    """
    found: list[str] = []
    i = 0
    while i < len(text):
        if text[i] == ".":
            closing = " (...)" if where == "output" else ""
            if ELLIPSIS in found:
                raise RuntimeError(f"einsum(): found '.' for {where} {already}")
            if text[i : i + 3] != ELLIPSIS:
                raise RuntimeError(
                    f"einsum(): found '.' for {where} that is not part of any ellipsis{closing}"
                )
            found.append(ELLIPSIS)
            i += 2
        elif text[i] != " ":
            if text[i] not in LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {start + i} in the equation "
                    "string, subscripts must be in [a-zA-Z]"
                )
            found.append(text[i])
        i += 1
    return found


class Plan:
    """The position of each dimension of each operand in a common order.

    dims: how many dimensions each operand has.

    places: letter -> its place in the common order. out: how many places the output has.
    covered: how many dimensions the longest ellipsis stands for, from place `ellipsis` on.
    """

    def __init__(self, equation: str, dims: tuple[int, ...]) -> None:
        left, arrow, right = equation.partition("->")
        terms, start = left.split(","), 0
        self.terms = []
        for i, term in enumerate(terms):
            if i == len(dims):
                raise RuntimeError(
                    "einsum(): fewer operands were provided than specified in the equation"
                )
            already = "for which an ellipsis was already found"
            self.terms.append(letters_of(term, start, f"operand {i}", already))
            start += len(term) + 1
        if len(terms) < len(dims):
            raise RuntimeError(
                "einsum(): more operands were provided than specified in the equation"
            )
        self.covered = 0
        for i, (term, ndim) in enumerate(zip(self.terms, dims, strict=True)):
            self.count(i, term, ndim)
        seen = [letter for term in self.terms for letter in term if letter != ELLIPSIS]
        if arrow:
            already = "but an ellipsis (...) was already found"
            output = letters_of(right, len(left) + 2, "output", already)
        else:
            output = [ELLIPSIS, *(letter for letter in sorted(seen) if seen.count(letter) == 1)]
        self.places: dict[str, int] = {}
        place = 0
        for letter in output:
            if letter != ELLIPSIS and letter in self.places:
                raise RuntimeError(
                    f"einsum(): output subscript {letter} appears more than once in the output"
                )
            if letter != ELLIPSIS and letter not in seen:
                raise RuntimeError(
                    f"einsum(): output subscript {letter} does not appear in the equation for any "
                    "input operand"
                )
            self.places[letter] = place
            place += self.covered if letter == ELLIPSIS else 1
        self.out = place
        if ELLIPSIS not in self.places:
            self.places[ELLIPSIS] = place
            place += self.covered
        for letter in sorted(set(seen)):
            if letter not in self.places:
                self.places[letter] = place
                place += 1
        self.total = place

    def count(self, i: int, term: list[str], ndim: int) -> None:
        """Store how many dimensions an ellipsis stands for. Raises: RuntimeError for a mismatch."""
        elided = ELLIPSIS in term
        n = len(term) - elided
        if n > ndim or (n < ndim and not elided):
            compared = "is more than" if elided else "does not match"
            ending = "" if elided else " and no ellipsis was given"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({n}) {compared} the number "
                f"of dimensions ({ndim}) for operand {i}{ending}"
            )
        if elided:
            self.covered = max(self.covered, ndim - n)

    def run(self, operands: tuple[Tensor, ...]) -> Tensor:
        """Align the operands, contract them from left to right, and drop the summed dimensions."""
        sizes: dict[Any, int] = {}
        shared = [0] * self.total  # operands that still have this dimension, not of size 1
        aligned = [self.align(i, operands, sizes, shared) for i in range(len(operands))]
        result = aligned[0]
        for other in aligned[1:]:
            result = self.contract(result, other, shared)
        if self.total == self.out:
            return result
        if len(aligned) > 1:
            return view(result, tuple(result.shape[: self.out]))
        return sum(result, tuple(range(self.out, self.total)))

    def align(
        self, i: int, operands: tuple[Tensor, ...], sizes: dict[Any, int], shared: list[int]
    ) -> Tensor:
        """Return operand i with its dimensions in the common order; missing ones get size 1."""
        operand, term = operands[i], self.terms[i]
        order = [-1] * self.total
        dim = 0
        for letter in term:
            if letter == ELLIPSIS:
                spread = operands[i].ndim - (len(term) - 1)
                for j in range(self.covered - spread, self.covered):
                    place = self.places[ELLIPSIS] + j
                    n, known = operand._data.shape[dim], sizes.get((ELLIPSIS, j), 1)
                    if n != 1:
                        if known not in (1, n):
                            raise RuntimeError(
                                f"einsum(): dimension {dim} covered by ellipsis in operand {i}has "
                                f"size {n} which does not broadcast with previously seen ellipsis "
                                f"with size {known} for the respective dimension"
                            )
                        sizes[ELLIPSIS, j] = n
                        shared[place] += 1
                    order[place] = dim
                    dim += 1
                continue
            place = self.places[letter]
            n = operand._data.shape[dim]
            if order[place] == -1:
                known = sizes.get(letter, 1)
                if n != 1:
                    if known not in (1, n):
                        raise RuntimeError(
                            f"einsum(): subscript {letter} has size {n} for operand {i} which does "
                            f"not broadcast with previously seen size {known}"
                        )
                    sizes[letter] = n
                    shared[place] += 1
                order[place] = dim
                dim += 1
                continue
            before = order[place]
            if operand.shape[before] != n:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand {i} but the sizes don't "
                    f"match, {n} != {operand.shape[before]}"
                )
            operand = F.movedim(F.diagonal(operand, 0, before, dim), -1, before)
        if len(operands) > 1 and is_constant(operand):
            sizes_here = [1 if d == -1 else operand._data.shape[d] for d in order]
            return arranged(operand, [d for d in order if d != -1], sizes_here)
        for place in range(self.total):
            if order[place] == -1:
                operand = _unsqueeze(operand, dim=dim)
                order[place] = dim
                dim += 1
        return _permute(operand, dims=tuple(order))

    def contract(self, a: Tensor, b: Tensor, shared: list[int]) -> Tensor:
        """Multiply two aligned tensors; sum over dimensions that no other operand has."""
        summed: list[int] = []
        alone: tuple[list[int], list[int]] = ([], [])
        own, theirs = a._data.shape, b._data.shape
        for place in range(self.out, self.total):
            in_a, in_b = own[place] != 1, theirs[place] != 1
            if in_a and in_b:
                shared[place] -= 1
                if shared[place] == 1:
                    summed.append(place)
                    shared[place] = 0
            elif shared[place] == 1 and (in_a or in_b):
                alone[in_b].append(place)
                shared[place] = 0
        if alone[0]:
            a = sum(a, alone[0], keepdim=True)
        if alone[1]:
            b = sum(b, alone[1], keepdim=True)
        return sum_of_products(a, b, summed)


plan_of = lru_cache(256)(Plan)  # a program has few equations


def sum_of_products(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """Sum a * b over the dimensions `summed`, kept with size 1, as a batch of products.

    Dimensions that both have are the batch; those of one alone are the rows, and the columns.
    """
    if not summed:
        return mul(a, b)
    both, rows, columns = [], [], []
    for d, (size_a, size_b) in enumerate(zip(a._data.shape, b._data.shape, strict=True)):
        if d not in summed:
            (columns if size_a == 1 else rows if size_b == 1 else both).append(d)

    if rows and columns and columns[-1] < rows[0]:  # so that the result needs no permutation
        a, b, rows, columns = b, a, columns, rows

    own, theirs = a._data.shape, b._data.shape
    n, m, k = (math.prod([own[d] for d in dims]) for dims in (both, rows, summed))
    p = math.prod([theirs[d] for d in columns])
    order = [*both, *rows, *summed, *columns]
    left = arranged(a, order, (n, m, k))
    right = arranged(b, [*both, *summed, *columns, *rows], (n, k, p))
    made = [1 if d in summed else (theirs if d in columns else own)[d] for d in order]
    places, result = [order.index(d) for d in range(len(order))], bmm(left, right)
    if is_constant(result):
        return wrap(result._data.reshape(made).transpose(places), False, None)
    return _permute(_view(result, size=tuple(made)), dims=tuple(places))


def arranged(x: Tensor, order: list[int], shape: Any) -> Tensor:
    """Return the dimensions in another order, and then in another shape."""
    if is_constant(x):  # the steps between need no tensors
        return wrap(x._data.transpose(order).reshape(shape), False, None)
    return reshape(_permute(x, dims=tuple(order)), shape)


def is_constant(x: Tensor) -> bool:
    """Return whether nothing is known about where the entries of a tensor come from."""
    return not (x._needs or sources_of(x)) and type(x._data) is np.ndarray
