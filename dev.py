#!/usr/bin/env python3
"""One file sets GraphLab up and runs it; it needs Python >= 3.11 and nothing else from Python.

    python3 dev.py lab      open the first lesson in JupyterLab
    python3 dev.py test     run every check and test
    python3 dev.py site     build the static site, with JupyterLab and Python in the browser
    python3 dev.py bench    time the core beside PyTorch and similar libraries
    python3 dev.py build    make the wheel and the sdist in dist/
    python3 dev.py clean    remove all that was made here

Set-up runs once: its input files are hashed into a stamp, and a later run that finds the same hash
skips it. Everything is installed in the clone (.venv, js/node_modules); nothing needs root.

Read next: CONTRIBUTING.md.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever has an older Python should read a sentence
    sys.exit("GraphLab needs Python 3.11 or later; this is %d.%d." % sys.version_info[:2])  # noqa: UP031

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
JS = ROOT / "js"
VENV = ROOT / ".venv"
WINDOWS = os.name == "nt"
SCRIPTS = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = SCRIPTS / ("python.exe" if WINDOWS else "python")
SITE = ROOT / "site" / "build.py"
LESSON = "notebooks/01_a_formula_is_a_graph.ipynb"
TORCH = "torch==2.13.0"
PYODIDE = "open-webui==0.12.4"  # a wheel of PyPI that carries the files of Pyodide 314.0.3
NODE = 20  # the oldest major version of Node.js that builds js/

EXTENSION = ROOT / "graphlab" / "labextension"
BUILT = [
    EXTENSION / "package.json",
]
NOT_BUILT_FROM = {"node_modules", "lib", "dist", "coverage", "test"}  # folders of js/

CHECKS = ["lint", "types", "layers", "python", "js", "site", "browser"]
CORES = max(2, min(4, os.cpu_count() or 1))
NICE = ["nice", "-n", "5"] if shutil.which("nice") else []

PRINTING = threading.Lock()
STOPPED = threading.Event()


# --- words and phases ------------------------------------------------------------------------


def say(text: str = "") -> None:
    """Print one whole line, also when several phases run at once."""
    with PRINTING:
        print(text, flush=True)


def fail(sentence: str) -> NoReturn:
    """Stop with one line that says what to do."""
    raise SystemExit(f"dev.py: {sentence}")


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Print what was done and how many seconds it took."""
    began = time.perf_counter()
    yield
    say(f"  {name:<42} {time.perf_counter() - began:6.1f} s")


def environment(**more: str) -> dict[str, str]:
    """Give the environment for every program started here: .venv first, nothing foreign in it."""
    foreign = {"PYTHONHOME", "PYTHONPATH", "PIP_USER"}
    foreign.add("PYTHONDONTWRITEBYTECODE")  # every kernel and worker would compile GraphLab anew
    env = {k: v for k, v in os.environ.items() if k not in foreign}
    env["PATH"] = f"{SCRIPTS}{os.pathsep}{env.get('PATH', os.defpath)}"
    env["VIRTUAL_ENV"] = str(VENV)
    env["PYTHONUTF8"] = "1"
    env["PYTHONNOUSERSITE"] = "1"
    env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"
    env["NO_UPDATE_NOTIFIER"] = "1"
    env["npm_config_loglevel"] = "error"
    return env | more


def run(command: list[str | Path], what_failed: str, cwd: Path = ROOT) -> None:
    """Run a set-up program quietly; when it fails, show all that it said and stop."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        lines = done.stdout.decode(errors="replace").rstrip().splitlines()
        say("\n".join(lines if len(lines) < 60 else [*lines[:25], "...", *lines[-25:]]))
        fail(what_failed)


# --- stamps ----------------------------------------------------------------------------------


def digest(paths: Iterable[Path]) -> str:
    """Hash the names and contents of `paths`."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def javascript_sources() -> list[Path]:
    """List every file of js/ from which something is built."""
    sources = []
    for folder, inner, files in os.walk(JS):
        inner[:] = sorted(set(inner) - NOT_BUILT_FROM)
        sources += [Path(folder, file) for file in files]
    return sources


def read_stamp(path: Path) -> dict:
    """Read a stamp; one that is absent or damaged is the same as none."""
    try:
        stamp = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(path: Path, **facts: object) -> None:
    """Write a stamp, after the work that it stands for."""
    path.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")


# --- Python ----------------------------------------------------------------------------------


def venv_is_sound() -> bool:
    """Say whether .venv was made here, by this version of Python, and can still be used."""
    probe = "import json, pip, sys; print(json.dumps([sys.prefix, *sys.version_info[:2]]))"
    try:
        done = subprocess.run([str(PYTHON), "-c", probe], capture_output=True, env=environment())
        prefix, *version = json.loads(done.stdout)
    except (OSError, ValueError):
        return False
    # A moved .venv still starts, but its programs name the place where it was made.
    made_in = read_stamp(VENV / "made-in.json").get("place")
    same_place = Path(prefix).resolve() == VENV.resolve() and made_in == str(VENV)
    return same_place and version == list(sys.version_info[:2])


def make_venv() -> None:
    """Make .venv anew with the Python that runs this file."""
    try:
        import ensurepip  # noqa: F401 - Debian and Ubuntu ship Python without it
    except ImportError:
        version = "%d.%d" % sys.version_info[:2]  # noqa: UP031
        fail(f"this Python cannot make environments: sudo apt-get install python{version}-venv")
    if VENV.exists():
        shutil.rmtree(VENV, ignore_errors=True)
    if VENV.exists():
        fail("cannot remove the old .venv: close the programs that use it (or `deactivate`).")
    base = getattr(sys, "_base_executable", None) or sys.executable
    run([base, "-m", "venv", VENV], "could not make .venv; see above.")
    write_stamp(VENV / "made-in.json", place=str(VENV))


def install_python(extras: set[str], with_torch: bool) -> None:
    """Install GraphLab, editable, with `extras` into .venv: one call of pip, or none."""
    if not venv_is_sound():
        with phase("made .venv"):
            make_venv()
    path = VENV / "installed.json"
    stamp = read_stamp(path)
    inputs = digest([ROOT / "pyproject.toml", ROOT / "hatch_build.py"])
    if stamp.get("inputs") != inputs:
        stamp = {}
    have = set(stamp.get("extras", []))
    torch = stamp.get("torch") == TORCH
    if stamp and extras <= have and (torch or not with_torch):
        return
    wanted = [f"-e{ROOT}[{','.join(sorted(extras | have))}]"]
    if with_torch:
        wanted.append(TORCH)
    with phase(f"installed {', '.join(sorted(extras))}{' and torch' * with_torch}"):
        pip = [PYTHON, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]
        run([*pip, "install", *wanted], "pip could not install GraphLab; see above.")
    facts = {"extras": sorted(extras | have), "torch": TORCH if with_torch or torch else None}
    write_stamp(path, inputs=inputs, **facts)


# --- JavaScript ------------------------------------------------------------------------------


def require_npm() -> str:
    """Find npm and a Node.js that is new enough."""
    advice = f"install Node.js {NODE} or later (https://nodejs.org) and run the command again."
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        fail(f"{'npm' if node else 'Node.js'} is not on PATH: {advice}")
    told = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    major = re.match(r"v(\d+)", told)
    if not major or int(major[1]) < NODE:
        fail(f"Node.js {told or '(of unknown version)'} is too old: {advice}")
    return npm


def install_javascript() -> None:
    """Fetch what js/ is built with; `npm ci` runs only when the lock file changed."""
    inputs = digest([JS / "package.json", JS / "package-lock.json"])
    path = JS / "node_modules" / ".graphlab-installed.json"
    if read_stamp(path).get("inputs") == inputs:
        return
    npm = require_npm()
    with phase("fetched the JavaScript tools"):
        run([npm, "ci", "--no-audit", "--no-fund"], "`npm ci` failed; see above.", cwd=JS)
    write_stamp(path, inputs=inputs)


def build_javascript() -> None:
    """Build the widget, the player and the JupyterLab extension when a source changed."""
    inputs = digest(javascript_sources())
    path = JS / "node_modules" / ".graphlab-built.json"
    if read_stamp(path).get("inputs") == inputs and all(file.is_file() for file in BUILT):
        return
    npm = require_npm()
    with phase("built the widget and the extension"):
        run([npm, "run", "build"], "`npm run build` failed; see above.", cwd=JS)
    for file in BUILT:
        if not file.is_file():
            fail(f"`npm run build` succeeded but did not write {file.relative_to(ROOT)}.")
    write_stamp(path, inputs=inputs)


def place_extension() -> None:
    """Let the JupyterLab of .venv see the extension: a copy, because Windows may forbid links."""
    place = VENV / "share" / "jupyter" / "labextensions" / "graphlab-jupyter"
    inputs = digest(path for path in EXTENSION.rglob("*") if path.is_file())
    stamp = VENV / "extension.json"
    if read_stamp(stamp).get("inputs") != inputs or not (place / "package.json").is_file():
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(EXTENSION, place)
        shutil.copy(JS / "install.json", place)
        write_stamp(stamp, inputs=inputs)
    # JupyterLab asks about its news on first start, and fetches them: not in a lesson.
    settings = VENV / "etc" / "jupyter" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    silent = {"@jupyterlab/apputils-extension:announcements": True}
    settings.write_text(json.dumps({"disabledExtensions": silent}) + "\n", "utf-8")


def set_up(extras: set[str], with_torch: bool = False) -> None:
    """Bring Python and JavaScript up to date, side by side."""
    began = time.perf_counter()
    say("Setting up")
    require_npm()  # before pip's long work, not after it
    with concurrent.futures.ThreadPoolExecutor() as pool:
        parts = [pool.submit(install_python, extras, with_torch), pool.submit(install_javascript)]
    for part in parts:
        part.result()
    build_javascript()
    place_extension()
    say(f"  {'ready':<42} {time.perf_counter() - began:6.1f} s")


# --- the checks ------------------------------------------------------------------------------


def get_browser() -> str:
    """Find a browser, or install one, or stop with one line: never skip the tests silently."""
    from tests.browser import chromium

    found = chromium.find() or chromium.find_playwrights(PYTHON)
    if not found:
        with phase("installed a browser"):
            say(chromium.install(PYTHON, environment()))
        found = chromium.find() or chromium.find_playwrights(PYTHON)
    return found or fail(chromium.ADVICE)


def get_collaboration() -> str:
    """Fetch what shares notebooks. In .venv, every JupyterLab would share: a folder of its own."""
    folder, wanted = VENV / "collaboration", ROOT / "tests" / "browser" / "collaboration.txt"
    inputs = digest([wanted])
    if read_stamp(folder / "fetched.json").get("inputs") != inputs:
        with phase("fetched jupyter-collaboration"):
            shutil.rmtree(folder, ignore_errors=True)
            pip = [PYTHON, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]
            fetch = ["install", "--no-deps", "--target", folder, "-r", wanted]
            run([*pip, *fetch], "pip could not fetch jupyter-collaboration; see above.")
        write_stamp(folder / "fetched.json", inputs=inputs)
    return str(folder)


def get_pyodide() -> Path | None:
    """Give the place of Pyodide's files that GRAPHLAB_PYODIDE names; `download` fetches it once."""
    named = os.environ.get("GRAPHLAB_PYODIDE", "")
    if named != "download":
        return Path(named).resolve() if named else None
    folder = ROOT / "dist" / "pyodide"
    if not [*folder.glob("*.whl")]:
        with phase("fetched Pyodide"):
            pip = [PYTHON, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]
            fetch = ["download", "--no-deps", "--dest", folder, PYODIDE]
            run([*pip, *fetch], f"pip could not fetch {PYODIDE}; see above.")
    return next(folder.glob("*.whl"))


def has_torch() -> bool:
    """Say whether PyTorch is in .venv, whoever put it there: tests compare with it then."""
    probe = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('torch'))"
    return subprocess.run([str(PYTHON), "-c", probe], env=environment()).returncode == 0


class Check:
    """One phase of `test`: programs that run one after another, their output kept together."""

    def __init__(
        self, name: str, *commands: list[str | Path], cwd: Path = ROOT, advice: str = ""
    ) -> None:
        """`commands` run in `cwd`, all of them, even when an earlier one fails; then `advice`."""
        self.name, self.commands, self.cwd, self.advice = name, commands, cwd, advice
        self.ok, self.seconds, self.summary = False, 0.0, ""
        self.precedence = NICE if name != "browser" else []

    def run(self, env: dict[str, str], may_be_empty: bool = False) -> None:
        """Run, then print everything at once. Pytest's 5 (no tests) is fine if asked for."""
        began = time.perf_counter()
        said, codes = [], []
        for command in self.commands:
            done = subprocess.run(
                [*self.precedence, *map(str, command)],
                cwd=self.cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            said.append(done.stdout.decode(errors="replace").strip())
            codes.append(0 if may_be_empty and done.returncode == 5 else done.returncode)
        self.seconds = time.perf_counter() - began
        self.ok = not any(codes)
        lines = [line for text in said for line in text.splitlines()]
        if "pytest" in self.commands[-1]:
            self.summary = lines[-1].strip("= ") if lines else ""
        elif self.ok:
            lines = lines[-8:]  # a tool that is content has no more to tell
        else:
            self.summary = self.advice
        say(f"\n--- {self.name} {'-' * (90 - len(self.name))}\n" + "\n".join(lines))


# What `python` runs side by side, longest first; `rest` is what stands in no other part.
PARTS = {
    "checker": ["tests/symbolic"],
    "rest": [],
    "proofs": [
        "tests/symbolic/test_rules_are_proved.py",
        "tests/symbolic/test_the_checker_disagrees.py",
    ],
    "pictures": ["tests/adapters", "tests/graph", "tests/render"],
    "core": ["tests/core"],
}


def python_checks(pytest: list[str | Path], more: list[str]) -> Iterator[Check]:
    """Give the parts of `python`; arguments for pytest are given to one run of everything."""
    chosen = [*pytest, "-m", "not browser and not site"]
    if more:
        # Whole files: what a file sets up once is set up in one process.
        yield Check("python", [*chosen, "-n", str(CORES), "--dist", "loadfile", *more])
        return
    every = {place for places in PARTS.values() for place in places}
    for name, places in PARTS.items():
        others = [p for p in sorted(every - {*places}) if not places or p.startswith((*places,))]
        yield Check(f"python: {name}", [*chosen, *places, *(f"--ignore={p}" for p in others)])


def all_checks(more: list[str]) -> list[Check]:
    """List every phase of `test`, the longest first; `more` is for pytest."""
    npm = shutil.which("npm") or "npm"
    pytest: list[str | Path] = [PYTHON, "-m", "pytest", "--quiet"]
    if sys.stdout.isatty():
        pytest.append("--color=yes")
    site: list[str | Path] = [PYTHON, SITE]
    if place := get_pyodide():
        site += ["--lite", f"--pyodide={place}"]
    return [
        Check("browser", [*pytest, "-m", "browser", "tests/browser", *more]),
        Check("site", site, [*pytest, "-m", "site", "tests/site", "tests/lite", *more]),
        *python_checks(pytest, more),
        Check("types", [PYTHON, "-m", "pyright", "--pythonpath", PYTHON]),
        Check("js", [npm, "run", "check"], [npm, "test"], cwd=JS),
        Check("layers", [SCRIPTS / "lint-imports"]),
        Check(
            "lint",
            *([PYTHON, "-m", "ruff", *words] for words in (["check"], ["format", "--check"])),
            advice=f"{(SCRIPTS / 'ruff').relative_to(ROOT)} format writes files as they should be",
        ),
    ]


def run_checks(named: list[Check], env: dict[str, str], may_be_empty: bool) -> None:
    """Run checks side by side, one for each core.

    The browser waits more than it works, so it runs beside them, and with precedence: it is timed.
    """

    def run_one(check: Check) -> None:
        if not STOPPED.is_set():
            check.run(env, may_be_empty)

    with concurrent.futures.ThreadPoolExecutor(1) as beside:
        running = [beside.submit(run_one, check) for check in named if check.name == "browser"]
        with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            running += [pool.submit(run_one, check) for check in named if check.name != "browser"]
    for done in running:
        done.result()


def report(done: list[Check], began: float) -> int:
    """Print the table of phases; 0 when all are well, else 1."""
    say(f"\n{'phase':<18}{'result':<10}{'seconds':>8}")
    for check in done:
        result = "ok" if check.ok else "FAILED"
        say(f"{check.name:<18}{result:<10}{check.seconds:8.1f}   {check.summary}".rstrip())
    failed = [check.name for check in done if not check.ok]
    verdict = f"FAILED: {', '.join(failed)}" if failed else "all ok"
    say(f"{'total':<18}{'':<10}{time.perf_counter() - began:8.1f}   {verdict}")
    return 1 if failed else 0


# --- the commands ----------------------------------------------------------------------------


def command_test(options: argparse.Namespace, more: list[str]) -> int:
    """Run every check, all of them even if one fails, and report."""
    began = time.perf_counter()
    lite = {"lite"} if os.environ.get("GRAPHLAB_PYODIDE") else set()
    set_up({"lab", "test", "bench", "site"} | lite, options.with_torch)
    only = options.only or CHECKS
    wanted = [check for check in all_checks(more) if check.name.split(":")[0] in only]
    env = environment(GRAPHLAB_WITH_TORCH="1" if options.with_torch else "")
    # One run of each lesson is enough, unless `more` chooses among the tests.
    env["GRAPHLAB_LESSONS_IN_BROWSER"] = "1" if "browser" in only and not more else ""
    if {"browser", "site"} & {check.name for check in wanted}:
        env["GRAPHLAB_BROWSER"] = get_browser()
        say(f"  browser: {env['GRAPHLAB_BROWSER']}")
        env["GRAPHLAB_COLLABORATION"] = get_collaboration()
    if has_torch():
        say("  PyTorch is in .venv: results are compared with it, live")
    else:
        say("  without --with-torch: compared with facts recorded from PyTorch 2.13.0 (tests/data)")
    say(f"Running {', '.join(check.name for check in wanted)}")
    run_checks(wanted, env, bool(more))
    return report(wanted, began)


def command_lab(options: argparse.Namespace, more: list[str]) -> int:
    """Open the first lesson in JupyterLab."""
    set_up({"lab", "export"})
    if not (ROOT / LESSON).is_file():
        fail(f"{LESSON} is missing from this clone.")
    command = [str(PYTHON), "-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/lab/tree/{LESSON}"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command += ["--LabApp.news_url=None", "--LabApp.extension_manager=readonly"]
    if options.no_browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    command += more
    say(f"Opening {LESSON} (Ctrl+C, twice, ends JupyterLab)")
    os.chdir(ROOT)
    if not WINDOWS:
        os.execve(command[0], command, environment())
    server = subprocess.Popen(command, env=environment())
    while True:
        try:
            return server.wait()
        except KeyboardInterrupt:  # JupyterLab hears it too, and asks
            continue


def command_bench(options: argparse.Namespace, more: list[str]) -> int:
    """Time the core beside other libraries."""
    set_up({"lab", "test", "bench"}, options.with_torch)
    command = [str(PYTHON), "benchmarks/core.py", *more]
    return subprocess.run(command, cwd=ROOT, env=environment()).returncode


def command_site(options: argparse.Namespace, more: list[str]) -> int:
    """Build the static site, and say how to look at it."""
    if options.pyodide and not options.pyodide.exists():
        fail(f"{options.pyodide} does not exist: name a folder or an archive of Pyodide.")
    command = [PYTHON, SITE, *more]
    if not options.pages:
        command.append("--lite")
    if options.pyodide:
        command.append(f"--pyodide={options.pyodide.resolve()}")
    set_up({"lab", "site"} if options.pages else {"lab", "site", "lite"})
    with phase("built the site"):
        failed = subprocess.run(command, cwd=ROOT, env=environment()).returncode
    if failed:
        fail("the site was not built; see above. A warning is an error.")
    folder = SITE.parent / "_build" / "html"
    say(f"  open    {folder / 'index.html'}")
    say(f"  serve   {PYTHON.relative_to(ROOT)} -m http.server -d {folder.relative_to(ROOT)}")
    return 0


def command_build(options: argparse.Namespace, more: list[str]) -> int:
    """Make the wheel and the sdist."""
    set_up({"lab", "test"})
    os.environ["GRAPHLAB_SMALLEST"] = "1"
    for path in (ROOT / "dist").glob("graphlab-*"):  # not what was fetched for the site
        path.unlink()
    with phase("built the wheel and the sdist"):
        run([PYTHON, "-m", "hatchling", "build", *more], "the build failed; see above.")
    for path in sorted((ROOT / "dist").glob("graphlab-*")):
        say(f"  {path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} kB")
    return 0


def command_clean(options: argparse.Namespace, more: list[str]) -> int:
    """Remove what was made here; nothing that is committed."""
    made = [VENV, JS / "node_modules", JS / "lib", EXTENSION, ROOT / "dist"]
    made += [SITE.parent / "_build", ROOT / "test-artifacts", ROOT / ".pytest_cache"]
    made += [ROOT / ".ruff_cache", ROOT / ".import_linter_cache", ROOT / ".hypothesis"]
    for path in made:
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)
            say(f"  removed {path.relative_to(ROOT)}")
    return 0


def main(arguments: list[str]) -> int:
    """Read the command line; what stands after `--` goes to the program that is started."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    arguments, more = arguments[:split], arguments[split + 1 :]
    parser = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    lab = commands.add_parser("lab", help="open the first lesson (after --: for jupyter lab)")
    lab.add_argument("--no-browser", action="store_true", help="print the address instead")
    test = commands.add_parser("test", help="run every check and test (after --: for pytest)")
    test.add_argument("--only", action="append", choices=CHECKS, help="this phase alone")
    bench = commands.add_parser("bench", help="time the core (after --: for benchmarks/core.py)")
    for one in (test, bench):
        one.add_argument("--with-torch", action="store_true", help=f"install {TORCH}, compare")
    site = commands.add_parser("site", help="build the static site in site/_build/html")
    site.add_argument("--pyodide", type=Path, help="Pyodide's files: a folder or an archive")
    site.add_argument("--pages", action="store_true", help="without JupyterLab in the browser")
    commands.add_parser("build", help="make the wheel and the sdist in dist/")
    commands.add_parser("clean", help="remove all that was made here")
    options = parser.parse_args(arguments)
    try:
        return globals()[f"command_{options.command}"](options, more)
    except KeyboardInterrupt:
        STOPPED.set()
        say("\nstopped")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
