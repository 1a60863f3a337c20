"""Finds the installed runtimes of each language where a host has its programs, and says how to read any runtime.

A runtime's contents are read with the runtime itself: it runs a short program that prints names and versions, one per
line, the language first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import fudaba
import fudaba_games
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.submissions.manifest import OTHER

__all__ = ["LISTS", "OFFLINE", "PROGRAMS", "found", "named"]

_SYSTEM: Final = Path("/usr")
_ANSWER_TIMEOUT_SECONDS: Final = 20.0
OFFLINE: Final[Mapping[str, Mapping[str, str]]] = {
    "go": {"GOCACHE": "/tmp/go-cache", "GOPATH": "/tmp/go", "GOPROXY": "off", "GOTOOLCHAIN": "local",  # noqa: S108
           "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"},
    "rust": {"CARGO_HOME": "/tmp/cargo", "CARGO_NET_OFFLINE": "true"},  # noqa: S108
}  # fmt: skip
"""The variables with which tools build without a network, in a sandbox's own temporary folder."""
_PLACES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "node": ("node", ()),
    "go": ("go", ("go", "env", "GOROOT")),
    "rust": ("rustc", ("rustc", "--print", "sysroot")),
    "java": ("java", ()),
    "cpp": ("g++", ()),
}
"""The program of each language, and code that prints where it is installed, if its own path does not tell."""

# `importlib.metadata` gives the same, but its import alone takes longer than all of this.
_PYTHON: Final = r"""
import os, platform, re, sys

def read(path):
    for file in os.path.join(path, "METADATA"), os.path.join(path, "PKG-INFO"), path:
        try:
            with open(file, encoding="utf-8", errors="replace") as opened:
                return opened.read()
        except OSError:
            continue
    return ""

def heads():
    for place in sys.path:
        if place.endswith(".egg"):
            yield of_egg(place)
        try:
            names = os.listdir(place)
        except OSError:
            continue  # there is no such folder, or it is not for everybody
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                yield read(os.path.join(place, name))

def of_egg(path):
    if os.path.isdir(path):
        return read(os.path.join(path, "EGG-INFO"))
    import zipimport
    try:
        return zipimport.zipimporter(path).get_data(os.path.join("EGG-INFO", "PKG-INFO")).decode(errors="replace")
    except (OSError, ImportError):  # no archive, or one without metadata
        return ""

print("python", platform.python_version())
for head in heads():
    fields = dict(re.findall("^(Name|Version): *(.+)", head.replace("\r\n", "\n").partition("\n\n")[0], re.M))
    if len(fields) == 2:
        print(fields["Name"], fields["Version"])
"""
_NODE: Final = """
const {node, ...rest} = process.versions;
console.log("node", node);
for (const [name, version] of Object.entries(rest)) console.log(name, version);
"""
_GO: Final = "set -eu; v=$(go version); v=${v#go version go}; echo go ${v%% *}"
_RUST: Final = "set -eu; rustc --version; cargo --version || true"
_JAVA: Final = r"""
set -eu
home=$(readlink -f "$(command -v java)"); home=${home%/bin/java}
if [ -r "$home/release" ]; then
    . "$home/release"
    echo "java $JAVA_VERSION"
    if command -v javac >/dev/null; then echo "javac $JAVA_VERSION"; fi
    for module in ${MODULES-}; do echo "$module $JAVA_VERSION"; done
else
    java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/java \1/p'
fi
"""
_CPP: Final = r"""
set -eu
echo "g++ $(g++ -dumpfullversion)"
echo "libc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2)"
for tool in make cmake protoc; do
    if command -v $tool >/dev/null; then echo "$tool $($tool --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"; fi
done
set -- /usr/lib/*/pkgconfig/*.pc /usr/lib/pkgconfig/*.pc /usr/share/pkgconfig/*.pc /usr/local/lib/pkgconfig/*.pc
awk '
    FNR == 1 { name = FILENAME; sub(".*/", "", name); sub("[.]pc$", "", name); split("", set) }
    /^[A-Za-z_]+=/ { at = index($0, "="); set[substr($0, 1, at - 1)] = substr($0, at + 1) }
    /^Version:/ {
        version = $2
        if (match(version, /^[$][{][A-Za-z_]+[}]$/)) version = set[substr(version, 3, length(version) - 3)]
        if (version != "") print name, version
    }' "$@" 2>/dev/null || true
"""
_OTHER: Final = 'echo "libc $(getconf GNU_LIBC_VERSION | cut -d" " -f2)"'
LISTS: Final[Mapping[str, Sequence[str]]] = {
    "python": ("python3", "-c", _PYTHON),
    "node": ("node", "-e", _NODE),
    "go": ("sh", "-c", _GO),
    "rust": ("sh", "-c", _RUST),
    "java": ("sh", "-c", _JAVA),
    "cpp": ("sh", "-c", _CPP),
    OTHER: ("sh", "-c", _OTHER),
}
"""The commands that print the contents of a language's runtime."""
PROGRAMS: Final[Mapping[str, str]] = {"python": "python3"} | {language: name for language, (name, _) in _PLACES.items()}
"""The program of each language."""


def found(languages: Container[str]) -> Iterator[Runtime]:
    """Finds possible runtimes of some languages on this host. Their versions and contents have not been read yet."""
    if "python" in languages:
        yield _own_python()
    for language, (name, place_of) in _PLACES.items():
        if language not in languages:
            continue
        program = shutil.which(name)
        place = _said(place_of).strip() if place_of and program else ""
        if program is None or (place_of and not place):
            continue
        root = Path(place) if place else Path(program).resolve().parent.parent
        folders = {} if root.is_relative_to(_SYSTEM) else {root: root}
        yield Runtime(
            "",
            language,
            shown=folders | _settings(language),
            path=[str(root / "bin")],
            variables=OFFLINE.get(language, {}),
        )
    if OTHER in languages:
        yield Runtime(OTHER, OTHER)


def _own_python() -> Runtime:
    packages = {Path(package.__path__[0]).parent for package in (fudaba, fudaba_games)}
    shown = own_python()
    shown |= {
        path: path for path in packages if not any(path.is_relative_to(shown_path) for shown_path in (*shown, _SYSTEM))
    }
    return Runtime("", "python", shown=shown, path=[str(Path(sys.prefix) / "bin")])


def named(language: str, version: str) -> str:
    """Returns the name of a runtime: its language and the part of its version on which programs depend."""
    parts = version.split(".")
    return f"{language}-{parts[0] if language in {'node', 'java', 'cpp'} else '.'.join(parts[:2])}"


def _settings(language: str) -> dict[Path, Path]:
    """Finds the settings of Debian's Java and Maven outside of their own folders, which they need to start."""
    if language != "java":
        return {}
    etc = Path("/etc")
    return {path: path for path in (*etc.glob("java-*-openjdk"), *etc.glob("maven"))}


def _said(command: Sequence[str]) -> str:
    """Runs a program and returns its output; empty if it fails."""
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=_ANSWER_TIMEOUT_SECONDS,
            env=os.environ | {"LANG": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout
