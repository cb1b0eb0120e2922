"""Kernels that start at once: forked from a process that has imported what each of them imports.

A kernel of its own program takes a second of the processor before it runs a cell, and the tests
start forty. JupyterLab starts and signals this file as it does a kernel's program (the launcher);
the kernel itself is a child of the fork server. What a student imports, graphlab and ipywidgets, is
not imported here: it finds the kernel that it is imported into.

Read next: tests/browser/test_jupyterlab.py, where a kernel is started the usual way, too.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

USUAL = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
MOST = 1_000_000  # bytes of a request: the environment and the arguments


# --- the fork server -------------------------------------------------------------------------


def be_the_kernel(asked: dict, files: list[int]) -> None:
    """Turn this process, which was just forked, into the kernel that a launcher asks for."""
    from ipykernel import kernelapp

    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(3, 1000)  # the fork server's: a launcher hears that its kernel has ended
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    # It ends with the fork server, and the fork server ends it with its launcher.
    ends_with = f"--IPKernelApp.parent_handle={os.getppid()}"
    sys.argv = ["ipykernel_launcher", *asked["arguments"], ends_with]
    kernelapp.launch_new_instance()


def fork_kernels(file: int) -> None:
    """Fork a kernel for each launcher that connects to this socket, which listens already.

    It ends when its standard input does: with the tests, however they end.
    """
    del sys.path[0]  # the folder of this file: no kernel finds the tests beside it
    for name in ("ipykernel.debugger", "ipykernel.kernelapp", "numpy", "sympy"):
        importlib.import_module(name)

    with socket.socket(fileno=file) as door:
        gc.freeze()  # else each kernel copies what the collector looks at
        launchers: dict[int, tuple[socket.socket, int]] = {}  # by the kernel's file descriptor
        while True:
            ends = [one for one, _ in launchers.values()]
            heard = select.select([sys.stdin, door, *launchers, *ends], [], [])
            if sys.stdin in heard[0]:
                return
            for kernel, (launcher, pid) in list(launchers.items()):
                if kernel in heard[0]:
                    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                    with suppress(OSError):  # the launcher may be gone
                        launcher.sendall(json.dumps(code).encode())
                    launcher.close()
                    os.close(kernel)
                    del launchers[kernel]
                elif launcher in heard[0]:  # its end: it says nothing more
                    signal.pidfd_send_signal(kernel, signal.SIGKILL)
            if door in heard[0]:
                launcher = door.accept()[0]
                asked, files, _, _ = socket.recv_fds(launcher, MOST, 3)
                while not asked.endswith(b"\n") and (more := launcher.recv(MOST)):
                    asked += more
                pid = os.fork()
                if not pid:
                    door.close()
                    be_the_kernel(json.loads(asked), files)
                    os._exit(0)
                for file in files:
                    os.close(file)
                with suppress(OSError):
                    launcher.sendall(f"{pid}\n".encode())
                launchers[os.pidfd_open(pid)] = launcher, pid


# --- the launcher ----------------------------------------------------------------------------


def launch(place: str, arguments: list[str]) -> int:
    """Ask for a kernel, pass its signals on, and end as it ends."""
    asked = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as fork_server:
        fork_server.connect(place)
        socket.send_fds(fork_server, [f"{json.dumps(asked)}\n".encode()], [0, 1, 2])
        said = fork_server.makefile()
        pid = int(said.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(pid, number))
        code = int(said.read() or 1)  # nothing: the fork server was killed
    if code < 0:
        with suppress(OSError):  # nobody sets what SIGKILL does
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


# --- for the tests ---------------------------------------------------------------------------


@contextmanager
def quick_kernels(home: Path) -> Iterator[dict[str, str]]:
    """Keep a fork server; give the environment with which JupyterLab takes its kernels from there.

    The kernel "usual" is started as any other program is. Where processes cannot be forked and
    watched, as on macOS and Windows, all kernels are.
    """
    kinds, place = {"usual": USUAL}, str(home / "fork-server")
    fork_server = None
    if hasattr(os, "pidfd_open"):
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(place)
            door.listen()
            command = [sys.executable, __file__, str(door.fileno())]
            fork_server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[door.fileno()])
        kinds["python3"] = [sys.executable, "-S", __file__, place, *USUAL[3:]]
    for name, command in kinds.items():
        folder = home / "quick" / "kernels" / name
        folder.mkdir(parents=True)
        spec = {"argv": command, "display_name": f"Python 3, {name}", "language": "python"}
        spec["metadata"] = {"debugger": True}
        (folder / "kernel.json").write_text(json.dumps(spec), "utf-8")
    try:
        paths = [str(home / "quick"), os.environ.get("JUPYTER_PATH", "")]
        yield {"JUPYTER_PATH": os.pathsep.join(filter(None, paths))}
    finally:
        if fork_server:
            fork_server.communicate()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(launch(sys.argv[1], sys.argv[2:]))
    fork_kernels(int(sys.argv[1]))
