"""What a program prints and draws at random while one of its threads checks, explores or maps.

Read next: tests/test_threads.py
"""

from __future__ import annotations

import io
import pdb
import sys
import threading
import weakref
from contextlib import redirect_stdout

import pytest

import graphlab
from graphlab.autograd.grad_mode import unusual
from graphlab.common.output import captured
from tests.test_threads import beside, leaf

grad, vmap = graphlab.func.grad, graphlab.func.vmap


def function_with(work):
    """A Function that doubles its input; its backward calls `work`."""

    class Twice(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, *grads):
            work()
            return grads[0] * 2

    return Twice


def check(work):
    graphlab.check(function_with(work).apply(leaf()))


def explore(work):
    graphlab.explore(lambda a: (work(), a * a)[1], a=2.0)


def mapped(work):
    vmap(lambda x: (work(), x * 2)[1])(graphlab.ones(3))


CALLS = pytest.mark.parametrize("call", [check, explore, mapped], ids=lambda call: call.__name__)


def once(work):
    """A function that calls `work` the first time that it is called."""
    left = [work]
    return lambda: left.pop()() if left else None


@CALLS
def test_other_threads_print_while_one_keeps_what_its_functions_print(call, capsys):
    def work():
        print("mine")
        beside(lambda: print("theirs"))

    call(once(work))
    printed = capsys.readouterr().out
    assert "theirs\n" in printed
    assert ("mine" in printed) == (call is mapped)  # which prints it once, when all is done


@CALLS
def test_stdout_is_right_again_after_the_first_of_two_calls_ended_first(call, capsys):
    before, inside, ended = sys.stdout, threading.Event(), threading.Event()

    def second():
        call(once(lambda: (inside.set(), ended.wait())))

    other = threading.Thread(target=second)

    def first():
        other.start()
        inside.wait()

    call(once(first))
    ended.set()
    other.join()
    assert sys.stdout is before
    print("seen")
    assert capsys.readouterr().out == "seen\n"


@CALLS
def test_a_debugger_in_the_users_function_shows_its_prompt_and_what_it_prints(call, capsys):
    def work():
        print("hidden")
        debugger = pdb.Pdb(stdin=io.StringIO("p 6 * 7\ncontinue\n"), nosigint=True, readrc=False)
        debugger.use_rawinput = False
        debugger.set_trace()
        print("hidden")

    call(once(work))
    printed = capsys.readouterr().out
    assert printed.count("(Pdb) ") == 2
    assert "(Pdb) 42\n" in printed
    assert printed.count("hidden\n") == (2 if call is mapped else 0)


def test_a_program_that_runs_in_a_debugger_is_captured_until_it_stops(capsys):
    debugger = pdb.Pdb(stdin=io.StringIO("continue\n"), nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.run("call(lambda: print('mine'))", {"call": check})
    printed = capsys.readouterr().out
    assert "(Pdb) " in printed
    assert "mine" not in printed


def test_a_stream_that_somebody_else_redirected_meanwhile_is_left_to_them(capsys):
    before, theirs = sys.stdout, io.StringIO()
    redirected = redirect_stdout(theirs)
    with captured("stdout") as kept:
        print("kept")
        redirected.__enter__()
    print("redirected")
    redirected.__exit__(None, None, None)
    print("seen")
    assert sys.stdout is before
    found = kept.getvalue(), theirs.getvalue(), capsys.readouterr().out
    assert found == ("kept\n", "redirected\n", "seen\n")


def test_captures_within_captures_and_of_both_streams(capsys):
    with captured("stdout", "stderr") as outer:
        print("1")
        with captured("stdout") as inner:
            print("2")
            print("3", file=sys.stderr)
        sys.stdout.writelines(["4", "5"])
        assert sys.stdout.encoding
    assert (outer.getvalue(), inner.getvalue()) == ("1\n3\n45", "2\n")
    assert capsys.readouterr() == ("", "")


def test_the_stream_outlives_its_captures_because_print_holds_no_reference():
    with captured("stdout"):
        routed = weakref.ref(sys.stdout)
    assert routed() is not None


def test_a_program_without_streams_is_run(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with captured("stdout") as kept:
        print("nowhere")
    assert kept.getvalue() == ""
    assert sys.stdout is None


# -- random numbers in vmap -----------------------------------------------------------------------


def test_vmap_does_not_blame_a_function_for_what_another_thread_draws():
    drawn = []

    def f(x):
        drawn.append(beside(lambda: graphlab.rand(2)).tolist())
        return (x * 2).sum()

    def one_by_one(x):
        return f(x) if bool(x.sum() > -1) else x

    graphlab.manual_seed(0)
    for function in (f, one_by_one, grad(f)):
        vmap(function)(graphlab.ones(3, 2))
    drawn.append(graphlab.rand(2).tolist())
    graphlab.manual_seed(0)
    assert drawn == [graphlab.rand(2).tolist() for _ in drawn]  # none was drawn twice


def test_vmap_refuses_a_function_that_draws_itself():
    graphlab.manual_seed(0)
    expected = graphlab.rand(2)
    graphlab.manual_seed(0)
    for function in (graphlab.rand_like, lambda x: graphlab.nn.functional.dropout(x, 0.5)):
        with pytest.raises(RuntimeError, match="called random operation"):
            vmap(function)(graphlab.ones(3, 2))
    assert graphlab.equal(graphlab.rand(2), expected)


def test_a_vmap_that_ends_leaves_that_of_another_thread_as_it_is():
    seen = []

    def f(x):
        before = set(unusual)
        beside(lambda: vmap(graphlab.sin)(graphlab.ones(3)))
        seen.append((before, set(unusual)))
        return x * 2

    vmap(f)(graphlab.ones(3))
    assert seen[0][0] == seen[0][1] != set()
