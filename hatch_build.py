"""The build hook: a wheel or sdist never leaves without the built JavaScript.

A checkout has only the TypeScript sources. When the JupyterLab extension, which holds the player,
is missing and npm is there, it is built; when npm is not there, one line says what to do. An sdist
carries the built files, so that installing from it needs no node. With GRAPHLAB_SMALLEST, which
`dev.py build` sets, Zopfli compresses the wheel anew: what changed, or all in a quarter of a
minute.

Read next: dev.py, which builds the same files for development.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SHARE = "share/jupyter/labextensions/graphlab-jupyter"
BUILT = ("graphlab/labextension/package.json",)


class ProjectHook(MetadataHookInterface):
    """What the metadata say of the project: its description, and in a release its addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `readme`, and `urls` where GitHub's workflow tells where the repository is.

        The description is the README without what needs a clone: its commands, and links to files.
        """
        shown = Path(self.root, "README.md").read_text("utf-8").partition("\n## ")[0]
        link = r"\[([^]]*)\]\([^)]*\)"
        for left_out, kept in (
            (r"<img [^>]*>\n\n", ""),
            (rf"\s*\({link}(, {link})*\)", ""),
            (link, r"\1"),
        ):
            shown = re.sub(left_out, kept, shown)
        metadata["readme"] = {"content-type": "text/markdown", "text": shown + "\n"}
        server, repository = (os.environ.get(f"GITHUB_{n}") for n in ("SERVER_URL", "REPOSITORY"))
        if server and repository:
            source = f"{server}/{repository}"
            metadata["urls"] = {
                "Source": source,
                "Documentation": f"{source}#readme",
                "Issues": f"{source}/issues",
                "Changelog": f"{source}/blob/main/CHANGELOG.md",
            }


class JavaScriptBuildHook(BuildHookInterface):
    """Build what is missing, and place the JupyterLab extension in the wheel's shared data."""

    def dependencies(self) -> list[str]:
        """jupyter-builder makes the extension; it is asked for only when there is one to make."""
        return ["jupyter-builder>=1.3"] if self.missing() and shutil.which("npm") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before every build; `version` is "standard" or "editable"."""
        if version == "editable":
            # dev.py builds the JavaScript itself and copies the extension into the environment.
            return
        if self.missing():
            self.build_javascript()
        if self.target_name == "wheel":
            build_data["shared_data"] |= self.extension()
            build_data["shared_data"]["js/install.json"] = f"{SHARE}/install.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Run after every build: `artifact_path` is what was built."""
        if self.target_name == "wheel" and os.environ.get("GRAPHLAB_SMALLEST"):
            compress(Path(artifact_path))

    def extension(self) -> dict[str, str]:
        """Name each file of the JupyterLab extension with its place in the shared data."""
        folder = Path(self.root, "graphlab/labextension")
        left_out = ("third-party-licenses.json", "*.orig")  # THIRD_PARTY_LICENSES.md names them
        found = (file for file in folder.rglob("*") if file.is_file())
        files = [file for file in found if not any(map(file.match, left_out))]
        return {str(file): f"{SHARE}/{file.relative_to(folder).as_posix()}" for file in files}

    def missing(self) -> list[str]:
        """Name the built files that are not there."""
        return [name for name in BUILT if not Path(self.root, name).is_file()]

    def build_javascript(self) -> None:
        """Call npm, or say in one line why it cannot be called."""
        npm = shutil.which("npm")
        if npm is None:
            self.app.abort(
                f"{self.missing()[0]} is not built and npm is not on PATH: install Node.js 20 or "
                "later (https://nodejs.org) and try again, or install GraphLab from a wheel."
            )
        js = Path(self.root, "js")
        for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            done = subprocess.run([npm, *arguments], cwd=js, check=False)
            if done.returncode:
                self.app.abort(f"`npm {' '.join(arguments)}` failed in {js}; see its output above.")
        if self.missing():
            self.app.abort(f"`npm run build` ended well but did not write {self.missing()[0]}.")


def compress(wheel: Path) -> None:
    """Deflate each file of a wheel again, as small as Zopfli can; what was, stays in .venv."""
    from zopfli.zlib import compress as smallest

    folder = Path(sys.prefix, "zopfli-40")  # the number of iterations; 100 save 300 bytes more
    folder.mkdir(exist_ok=True)
    smaller = wheel.with_suffix(".smaller")
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(smaller, "w") as again:
        for file in archive.infolist():
            whole = zipfile.ZipInfo(file.filename, file.date_time)
            whole.external_attr, whole.create_system = file.external_attr, file.create_system
            content = archive.read(file)
            kept = folder / hashlib.sha256(content).hexdigest()
            if not kept.is_file():
                half = kept.with_suffix(".half")  # a build that is stopped leaves no half of a file
                half.write_bytes(smallest(content, numiterations=40))
                half.replace(kept)
            packed = kept.read_bytes()[2:-4]  # without the frame of zlib
            again.writestr(whole, packed)
            # zipfile has stored this as it is: let it say that it is deflated, and what it holds
            whole.compress_type, whole.CRC, whole.file_size = 8, file.CRC, file.file_size
            again.fp.seek(whole.header_offset)
            again.fp.write(whole.FileHeader())
    smaller.replace(wheel)
