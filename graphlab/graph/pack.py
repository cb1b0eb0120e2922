"""A trace made small: what is alike is written once. `unpack(pack(document)) == document`.

Two ideas, neither of which knows what a trace is. A *mould* is what all records of one form have in
common; of each record only what fills its holes is written. What occurs often and is long, a text
or a whole subtree, stands once in `shared`, and elsewhere is a negative number.

The form is described in docs/trace.md; js/src/unpack.ts reads it too.

Read next: graph/subtrees.py, graph/moulds.py, then graph/unpack.py
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphlab.graph.moulds import Form, cast, literal, numbers_in, of_pairs
from graphlab.graph.subtrees import Subtrees

ENOUGH = 8  # records of one form for a mould that also takes the numbers in texts apart
MOST_LEAVES = 160  # of a record that is cast; a larger one is looked into
LONG_LIST = 3  # a longer list of plain things is one leaf: queues have any length
LONG = 100  # characters of JSON from which a subtree that occurs twice is shared
LONG_TEXT = 4  # characters of a text
PLAIN = frozenset((int, float, bool, type(None)))
TELLING = ("kind", "m", "c", "slot")  # what stands under these keys is part of a record's form
ID = re.compile(r"\d")  # a key with a number in it is an id, and another one in each record


def pack(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in its small form: every key coded, and with them `shared` and `moulds`.

    document: dicts, lists, tuples, texts, numbers, True, False and None.

    >>> from graphlab.graph.unpack import unpack
    >>> events = [{"kind": "Readied", "node": f"n{k}", "say": f"n{k} joins"} for k in range(3)]
    >>> packed = pack({"events": events})
    >>> packed["moulds"]
    [{'kind': 'Readied', 'node': -1, 'say': {'$': [-1, ' joins']}}]
    >>> packed["events"]
    {'#': [[0, 'n0'], [0, 'n1'], [0, 'n2']]}
    >>> unpack(packed) == {"events": events}
    True
    """
    return _Packer(document).packed


_Formed = tuple[int, tuple[int, ...]]  # a form's number, and the numbers of the leaves
_Field = tuple[int, str | None, bool]


class _Unsure:
    """A place where a shared thing may stand, until it is known how often it does."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _Packer:
    """Works on the numbers of subtrees alone."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        tree = self.tree = Subtrees(document.values())
        self.things, self.parts = tree.things, tree.parts
        self.form_numbers: dict[Form, int] = {}
        self.forms: list[Form] = []
        # coarse and fine: number -> the form of the thing, and its leaves
        self.known: tuple[dict[int, _Formed], dict[int, _Formed]] = {}, {}
        self.fields: dict[tuple[int, ...], list[_Field]] = {}
        self.dot = self._as_form(".")
        self.moulds: list[Any] = []
        self.filled: dict[int, tuple[int, list[int]]] = {}  # record -> its mould, what fills it
        self.used: Counter[int] = Counter()
        self._make_moulds(tree.roots)
        drafts = [self._draft(number) for number in tree.roots]
        often = [pair for pair in self.used.items() if pair[1] > 1]
        often.sort(key=lambda pair: (-pair[1], pair[0]))  # the shortest references to the commonest
        self.place = {number: k for k, (number, _) in enumerate(often)}
        body = [self._settled(draft) for draft in drafts]
        shared = [self._shared_entry(number) for number in self.place]
        self.packed: dict[str, Any] = {
            **dict(zip(document, body, strict=True)),
            "shared": shared,
            "moulds": self.moulds,
        }

    def _is(self, number: int, *kinds: type) -> bool:
        return type(self.things[number]) in kinds

    def _is_shared(self, number: int) -> bool:
        repeated = self.tree.weights[number] >= LONG and self.tree.count[number] > 1
        return repeated and self._is(number, dict, list, tuple)

    # -- records, their forms and moulds ---------------------------------------------------------

    def _make_moulds(self, roots: Iterable[int]) -> None:
        records: list[int] = []
        for root in roots:
            self._collect(root, records)
        for number in range(len(self.things)):
            small = self.tree.leaves[number] <= MOST_LEAVES
            if small and self._is(number, dict) and self._is_shared(number):
                records.append(number)
        while records:
            rest = self._cast(self._cast(records, True, ENOUGH), False, 2)
            records = []
            for number in rest:  # nothing else is like it, but there may be records inside
                self._collect(number, records)

    def _collect(self, number: int, records: list[int]) -> None:
        """Find the records, outermost first: small dicts that stand in a list."""
        in_list = self._is(number, list, tuple)
        for part in self.parts[number]:
            if in_list and self._is(part, dict) and self.tree.leaves[part] <= MOST_LEAVES:
                records.append(part)
            elif self.parts[part]:
                self._collect(part, records)

    def _cast(self, records: Sequence[int], fine: bool, least: int) -> list[int]:
        """Make moulds of the forms that `least` records have; return the records of other forms."""
        groups: dict[int, list[int]] = {}
        for record in records:
            groups.setdefault(self._form(record, fine)[0], []).append(record)
        rest = []
        for form, group in groups.items():
            if len(group) < least:
                rest += group
                continue
            leaves = [self._form(record, fine)[1] for record in group]
            made = cast(form, self.forms, leaves, self.things)
            for record, own in zip(group, leaves, strict=True):
                self.filled[record] = (len(self.moulds), [own[k] for k in made.holes])
            self.moulds.append(made.mould)
        return rest

    def _form(self, number: int, fine: bool) -> _Formed:
        """The form of a thing, with a dot for every id and leaf, and what these leaves are.

        fine: texts are taken apart where there are numbers in them.
        """
        known = self.known[fine]
        found = known.get(number)
        if found is None:
            found = known[number] = self._new_form(number, fine)
        return found

    def _new_form(self, number: int, fine: bool) -> _Formed:
        things, parts = self.things, self.parts[number]
        thing = things[number]
        kind = type(thing)
        if kind is str:
            pieces = numbers_in(thing) if fine else []
            if pieces:
                numbers = tuple([self.tree.number(one) for one in pieces[1::2]])
                return self._as_form(("$", *pieces[::2])), numbers
        elif kind is dict:
            form: list[Any] = ["{"]
            leaves: list[int] = []
            fields = self._fields(self.tree.keys[number])
            for (key, name, telling), entry in zip(fields, parts, strict=True):
                if name is None:
                    leaves.append(key)
                told = things[entry] if telling else ""
                if type(things[entry]) in PLAIN:  # as most are
                    within = self.dot
                    leaves.append(entry)
                else:
                    within, more = self._inner_form(entry, fine)
                    leaves += more
                form += (name, told if type(told) is str else "", within)
            return self._as_form(tuple(form)), tuple(leaves)
        elif (kind is list or kind is tuple) and (
            len(parts) <= LONG_LIST or any([self.parts[part] for part in parts])
        ):
            entries = [self._inner_form(part, fine) for part in parts]
            form = ["[", *[within for within, _ in entries]]
            return self._as_form(tuple(form)), tuple([n for _, more in entries for n in more])
        return self.dot, (number,)

    def _inner_form(self, number: int, fine: bool) -> _Formed:
        if self._is_shared(number):
            return self.dot, (number,)
        return self._form(number, fine)

    def _fields(self, keys: tuple[int, ...]) -> list[_Field]:
        """Of each key its number, the key itself if it is no id, and whether its text is told."""
        found = self.fields.get(keys)
        if found is None:
            named = [(key, self.things[key]) for key in keys]
            found = self.fields[keys] = [
                (key, None if ID.search(name) else name, name in TELLING) for key, name in named
            ]
        return found

    def _as_form(self, form: Form) -> int:
        number = self.form_numbers.get(form)
        if number is None:
            number = self.form_numbers[form] = len(self.forms)
            self.forms.append(form)
        return number

    # -- writing -------------------------------------------------------------------------------

    def _draft(self, number: int) -> Any:
        """The thing coded, with records cast; what may be shared is counted and left open."""
        thing, parts = self.things[number], self.parts[number]
        long = self._is(number, str) and len(thing) >= LONG_TEXT
        if long or self._is_shared(number):
            self.used[number] += 1
            return _Unsure(number)
        if self._is(number, dict):
            return self._drafts(number)
        if not self._is(number, list, tuple):
            return literal(thing)
        if parts and all(self._is(part, dict) for part in parts):
            return {"#": [self._record(part) for part in parts]}
        return [self._draft(part) for part in parts]

    def _record(self, number: int) -> Any:
        if number in self.filled:
            mould, leaves = self.filled[number]
            return [mould, *map(self._draft, leaves)]
        return self._drafts(number)

    def _drafts(self, number: int) -> dict[str, Any]:
        pairs = zip(self.tree.keys[number], self.parts[number], strict=True)
        return of_pairs([(self.things[key], self._draft(entry)) for key, entry in pairs])

    def _settled(self, draft: Any) -> Any:
        if isinstance(draft, _Unsure):
            place = self.place.get(draft.number)
            return literal(self.things[draft.number]) if place is None else -1 - place
        if isinstance(draft, dict):
            return {key: self._settled(entry) for key, entry in draft.items()}
        return [self._settled(entry) for entry in draft] if isinstance(draft, list) else draft

    def _shared_entry(self, number: int) -> Any:
        """Nothing in here is shared again, so that no entry can hold itself."""
        if number not in self.filled:
            return literal(self.things[number])
        mould, leaves = self.filled[number]
        return {"#": [mould, *(literal(self.things[leaf]) for leaf in leaves)]}
