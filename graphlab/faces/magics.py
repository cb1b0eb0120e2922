"""The magics of `%load_ext graphlab`: `%%trace`, `%%check`, `%%draw` and `%%record`.

The cell runs as usual; then the value of its last expression is traced, checked or drawn. Tensors
are named after the notebook's variables. For a single line: `%trace e`, `%draw a * b`.

Read next: adapters/native/graph_copy.py
"""

import ast
from keyword import iskeyword
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.utils.process import arg_split  # pyright: ignore[reportPrivateImportUsage]

from graphlab.adapters.native.variable_names import ranked
from graphlab.adapters.pytorch.accessors import is_tensor as is_pytorchs
from graphlab.common.errors import users_traceback
from graphlab.common.notebook import shortened
from graphlab.faces import api, named_calls
from graphlab.tensor.tensor import Tensor

LONGEST_QUOTE = 40  # characters of a line or a value that an error repeats
VIEWS = ("both", "computation", "backward")


def variable(text: str) -> str:
    """Return the name of a variable. Raises: UsageError if it is none."""
    if not text.isidentifier() or iskeyword(text):
        raise UsageError(f"-o takes the name of a variable, got {quoted(text)}")
    return text


output = argument(
    "-o", "--output", metavar="NAME", type=variable, help="a variable that also gets the result"
)
gradient = argument(
    "-g", "--gradient", metavar="TENSOR", help="the gradient that enters; default 1"
)


@magics_class
class GraphLabMagics(Magics):
    """The magics of GraphLab, for cells and for single lines."""

    @magic_arguments()
    @gradient
    @output
    @no_var_expand
    @line_cell_magic
    def trace(self, line: str, cell: str | None = None) -> Any:
        """Run the cell, then rehearse the backward pass of its last expression step by step.

        Every `.grad`, the saved tensors and the graph stay as they are.
        """
        options, tensor = self._tensor("trace", line, cell)
        entering = self._look_up(options.gradient)
        return self._shown(
            options, lambda: named_calls.timeline_of(tensor, entering, self._names(tensor))
        )

    @magic_arguments()
    @argument("-w", "--wrt", metavar="TENSORS", help="the tensors to check: w or w,b; default all")
    @argument("--at", metavar="VALUES", help="values to check at: x=0.5,w=0")
    @argument("--assume", metavar="WORDS", help="assumptions: x=positive,n=integer")
    @argument(
        "--budget",
        type=float,
        metavar="WORK",
        help="how much work the check may do, roughly in seconds; counted, not timed",
    )
    @gradient
    @output
    @no_var_expand
    @line_cell_magic
    def check(self, line: str, cell: str | None = None) -> Any:
        """Run the cell, then check every gradient of its last expression against calculus."""
        options, tensor = self._tensor("check", line, cell)
        entering, wrt = self._look_up(options.gradient), self._look_up(options.wrt)
        wrt = list(wrt) if isinstance(wrt, tuple) else wrt
        more = {"at": self._look_up(options.at and f"dict({options.at})"), "budget": options.budget}
        more["assume"] = pairs(options.assume)
        more["held"] = named_calls.tensors_of(self._user())
        names = self._names(tensor)
        return self._shown(
            options, lambda: named_calls.report_of(tensor, wrt, entering, names, **more)
        )

    @magic_arguments()
    @argument("-v", "--view", choices=VIEWS, default="both", help="which view of the graph")
    @argument("-d", "--depth", type=int, help="level of the scopes that are cards, from 1")
    @argument("-s", "--scope", help="draw only the inside of one scope, such as net.layer1")
    @output
    @no_var_expand
    @line_cell_magic
    def draw(self, line: str, cell: str | None = None) -> Any:
        """Run the cell, then draw the graph of its last expression."""
        options, tensor = self._tensor("draw", line, cell)
        more = (options.view, options.depth, options.scope)
        return self._shown(
            options, lambda: named_calls.drawing_of(tensor, self._names(tensor), *more)
        )

    @magic_arguments()
    @output
    @no_var_expand
    @line_cell_magic
    def record(self, line: str, cell: str | None = None) -> Any:
        """Run the cell and record what happens in it: passes, steps, cleared gradients.

        If the cell fails, what was recorded until then is shown before the error.
        """
        from IPython.display import display

        options, code, shift = self._options("record", line, cell)
        recording, user = api.record(), self._user()
        # Entered in the notebook's scope, so that tensors are named after its variables.
        timeline = eval("begin()", user, {"begin": recording.__enter__})
        try:
            value = self._run(self._parsed(code, shift))
        except BaseException:
            recording.__exit__()
            if len(timeline):
                display(timeline)
            raise
        recording.__exit__()
        if value is not None:
            display(value)
        return self._shown(options, lambda: timeline)

    # -- the cell --------------------------------------------------------------------------------

    def _options(self, magic: str, line: str, cell: str | None) -> tuple[Any, str, int]:
        """Return the options, the code to run, and the number of lines above it."""
        function = getattr(self, magic)
        if cell is not None:
            return parse_argstring(function, line), cell, 1
        # as parse_argstring(partial=True), which IPython 9.0 and older do not have
        options, rest = function.parser.parse_known_args(arg_split(line, strict=False))
        return options, " ".join(rest), 0

    def _tensor(self, magic: str, line: str, cell: str | None) -> tuple[Any, Tensor]:
        """Run the code, and return the options and the value of the last expression, a tensor.

        Raises: UsageError if the last line is not an expression (before anything runs) or its value
        is not a tensor.
        """
        options, code, shift = self._options(magic, line, cell)
        called, where = ("%%" + magic, "cell") if cell is not None else ("%" + magic, "line")
        tree = self._parsed(code, shift)
        require_expression(called, where, tree)
        value = self._run(tree)
        if not (isinstance(value, Tensor) or is_pytorchs(value)):
            raise UsageError(no_tensor(called, where, last_line(tree, code), value))
        return options, value

    def _parsed(self, code: str, shift: int) -> ast.Module:
        """Return the code as IPython parses it, with the line numbers of the cell."""
        shell = self._shell()
        shift += len(code) - len(code.lstrip("\n")) if code.strip() else 0
        source = "\n" * shift + shell.transform_cell(code)
        number = shell.displayhook.prompt_count  # of the running cell
        self._file = shell.compile.cache(source, number)
        try:
            return shell.transform_ast(shell.compile.ast_parse(source, self._file))
        except SyntaxError as error:
            raise self._no_python(error) from None

    def _run(self, tree: ast.Module) -> Any:
        """Run the code and return the value of its last expression, or None."""
        compiler, user, file = self._shell().compile, self._user(), self._file
        last = tree.body[-1] if tree.body else None
        before = tree.body[:-1] if isinstance(last, ast.Expr) else tree.body
        end = ast.Expression(last.value) if isinstance(last, ast.Expr) else "None"
        try:
            first = compiler(ast.Module(before, tree.type_ignores), file, "exec")
            value = compiler(end, file, "eval")
        except SyntaxError as error:  # such as `return` outside a function
            raise self._no_python(error) from None
        try:
            exec(first, user)
            return eval(value, user)
        except Exception as error:
            raise self._as_in_a_cell(error, users_traceback(error)) from None

    # -- the result ------------------------------------------------------------------------------

    def _shown(self, options: Any, make: Any) -> Any:
        """Return the result of `make()`; errors are shown as in any cell."""
        try:
            result = make()
        except (TypeError, ValueError, RuntimeError) as error:
            raise self._as_in_a_cell(error, None) from None
        if options.output:
            self._user()[options.output] = result
        return result

    def _as_in_a_cell(self, error: Exception, users: Any) -> Exception:
        """Return the error; it now shows the traceback `users`, without the magic's frames."""
        formatter = self._shell().InteractiveTB
        lines = formatter.structured_traceback(type(error), error, users, tb_offset=0)
        if hasattr(error, "__dict__"):
            error.__dict__.setdefault("_render_traceback_", lambda: lines)
        return error

    def _no_python(self, error: SyntaxError) -> Exception:
        """Return the error as one that shows itself, without the magic's frames."""
        lines = self._shell().SyntaxTB.structured_traceback(type(error), error, [])
        shown = {"_render_traceback_": lambda _: lines}
        # no SyntaxError, which IPython shows itself, but of its name
        return type("SyntaxError", (Exception,), shown)(str(error))

    # -- the notebook ----------------------------------------------------------------------------

    def _shell(self) -> Any:
        return self.shell

    def _user(self) -> dict[str, Any]:
        return self._shell().user_ns

    def _names(self, tensor: Any) -> Any:
        return named_calls.names_among(tensor, *ranked(self._user()))

    def _look_up(self, expression: str | None) -> Any:
        """Evaluate an option that is an expression, such as w or net.weight."""
        if expression is None:
            return None
        try:
            return eval(expression, self._user())
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise UsageError(f"cannot read {quoted(expression)} ({said})") from None


def pairs(text: str | None) -> dict[str, str] | None:
    """Return {"x": "positive", "n": "integer"} for "x=positive,n=integer". Raises: UsageError."""
    if text is None:
        return None
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name and word for name, _, word in parts):
        raise UsageError(
            f"--assume takes name=word, as in x=positive,n=integer; got {quoted(text)}"
        )
    return {name.strip(): word.strip() for name, _, word in parts}


def require_expression(called: str, where: str, tree: ast.Module) -> None:
    """Raises: UsageError if the last line of the code has no value."""
    if not tree.body:
        raise UsageError(f"{called} shows the last expression of a {where}, but this one is empty")
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        return
    target = last.targets[0] if isinstance(last, ast.Assign) else getattr(last, "target", None)
    name = target.id if isinstance(target, ast.Name) and not hasattr(last, "body") else "e"
    first = ast.unparse(last).splitlines()[0]
    raise UsageError(
        f"{called} shows the last expression of a {where}, but {quoted(first)} is a statement, "
        f"which has no value: end the {where} with a tensor, such as {name}, on a line of its own"
    )


def last_line(tree: ast.Module, code: str) -> str:
    """Return the text of the last expression; of a magic, as the user wrote it."""
    text = ast.unparse(tree.body[-1])
    return code.strip().splitlines()[-1] if text.startswith("get_ipython()") else text


def no_tensor(called: str, where: str, expression: str, value: Any) -> str:
    """Return the message for a last expression whose value is not a tensor."""
    said = f"{called} expects a tensor as the last expression of a {where}, but "
    said += quoted(expression)
    if value is None:
        return (
            f"{said} is None: end the {where} with a tensor, such as a loss, or record what it "
            "does with %%record"
        )
    return f"{said} is of type {type(value).__name__}: {quoted(repr(value))}"


def quoted(text: str) -> str:
    """Return a line or a value in backquotes for an error message, shortened."""
    return f"`{shortened(' '.join(text.split()), LONGEST_QUOTE)}`"
