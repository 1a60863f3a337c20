"""Makes .venv from requirements.lock. Run by `_environment`; does nothing if everything is up to date.

    python3 -I scripts/_install.py            .venv
    python3 -I scripts/_install.py running    .venv with what Fudaba runs with, as deploy/requirements.lock says; the
                                              other packages are added once a script needs them
    python3 -I scripts/_install.py protoc     .venv/protoc, as _protoc.lock says: what writes the Python code
    python3 -I scripts/_install.py site       .venv/site, as _site.lock says: what builds the site

Each step leaves a stamp when it is done, so an interrupted installation resumes where it stopped. Only one process
installs at a time. It needs only Python and, while something is missing, the package index.

uv installs requirements.lock, of which it is a part, and the lock files of tools, with a tenth of the CPU that pip
takes. Pip installs uv, and the rest if uv cannot.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
PIP = [str(PYTHON), "-m", "pip", "--disable-pip-version-check"]
LOCK = ROOT / "requirements.lock"
RUNNING_LOCK = ROOT / "deploy" / "requirements.lock"
RUNNING = ".installed-running"
_BEGUN = re.compile(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)|Processing \S*/([\w.]+)-")
"""The beginnings of pip's lines about a package from the index, .venv or a folder."""
_OF_UV = {"index-url": "--default-index", "extra-index-url": "--index", "find-links": "--find-links"}
"""pip's settings for the location of packages, and uv's options for them. Each may have several values."""
_OF_PIP_ALONE = re.compile(
    r"(no-)?(cache-dir|color|input)|(default-)?timeout|config-file|disable-pip-version-check|progress-bar|quiet|retries|"
    r"root-user-action|verbose"
)
"""pip's settings that change neither the packages nor their source."""
MAKING = ".being-made"
"""The mark of an environment that this script has begun, even if it was interrupted."""
TOOLS = {"protoc": ">=3.11,<3.14", "site": ">=3.11"}
"""The tools with an environment of their own below .venv, and the versions of Python for which there are wheels of what
their lock files name.
"""


def main(arguments: list[str]) -> int:
    """Installs what is missing. Returns the exit status."""
    if arguments and arguments[0] in TOOLS:
        stamps = {ENVIRONMENT / arguments[0] / ".installed-from": _tool_lock(arguments[0]).read_text()}
        install = _install_tool
    else:
        stamps = {
            ENVIRONMENT / ".made": str(ROOT),  # a moved environment does not work
            **_packages(running=arguments == ["running"]),
            ENVIRONMENT / ".installed-project": _installed_parts(),
        }
        install = _install
    if not any(_old(stamp, content) for stamp, content in stamps.items()):
        return 0
    if elsewhere := leads_elsewhere(ENVIRONMENT, ROOT):
        _say(
            f"{ENVIRONMENT} is a link to {elsewhere}, which is not this checkout's environment, and would be cleared. "
            "Nothing was changed. Remove the link and run the script again; or let it lead to an empty folder."
        )
        return 2
    if is_anothers(ENVIRONMENT):
        _say(
            f"{ENVIRONMENT} is an environment that these scripts have not made, and would be cleared. "
            "Nothing was changed. Move or remove it, and run the script again."
        )
        return 2
    with _alone():
        try:
            install(stamps)
        except KeyboardInterrupt:
            _say("The installation was interrupted. Run the script again to go on.")
            return 130
        except subprocess.CalledProcessError as error:
            _say(
                f"The installation stopped: `{' '.join(map(str, error.cmd))}` ended with status {error.returncode}. "
                "Its reason is above. Run the script again to go on; remove .venv to start afresh."
            )
            return 1
    return 0


def leads_elsewhere(environment: Path, root: Path) -> Path | None:
    """Returns the target of the environment's folder, unless that is empty or was made for the checkout at `root`."""
    if not environment.is_symlink():
        return None
    made = environment / ".made"
    own = made.is_file() and made.read_text() == str(root)
    empty = environment.is_dir() and not any(environment.iterdir())
    return None if own or empty else Path(os.path.realpath(environment))  # which a circle of links has, too


def is_anothers(environment: Path) -> bool:
    """Returns whether the environment's folder has something in it that this script did not make in any checkout."""
    return (
        environment.is_dir()
        and any(environment.iterdir())
        and not any((environment / mark).is_file() for mark in (".made", MAKING))
    )


def _packages(*, running: bool) -> dict[Path, str]:
    """Returns the stamp of the packages: all of them, or those that Fudaba runs with unless all are installed
    anyway.
    """
    everything = {ENVIRONMENT / ".installed-from": LOCK.read_text()}
    if not running or not any(_old(stamp, content) for stamp, content in everything.items()):
        return everything
    return {ENVIRONMENT / RUNNING: RUNNING_LOCK.read_text() + _building()}


def _building() -> str:
    """Returns the part of requirements.lock with the packages that install the checkout itself into .venv."""
    return _entry("setuptools")


def _entry(package: str) -> str:
    """Returns the part of requirements.lock with a package; empty if there is none."""
    return "".join(re.findall(rf"^{package}==(?:.*\\\n)*.*\n", LOCK.read_text(), re.MULTILINE))


def _installed_parts() -> str:
    """Returns what an editable install depends on: the path of the checkout, and what pyproject says about the
    package.
    """
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tables = [pyproject["build-system"], pyproject["project"], pyproject["tool"]["setuptools"]]
    listed = [str(folder) for folder in _packages_folders()]
    return f"{ROOT}\n{json.dumps([*tables, listed], indent=1, sort_keys=True)}\n"


def _install(stamps: dict[Path, str]) -> None:
    made, packages, project = stamps
    if _old(made, stamps[made]) or not _works():
        _make(made)
        _done(made, stamps[made])
    if _old(packages, stamps[packages]):
        # It would be taken for true again with the lock file that it was made from, which is not this one.
        for stamp, content in (_packages(running=True) | _packages(running=False)).items():
            if _old(stamp, content):
                stamp.unlink(missing_ok=True)
        _install_packages(packages, stamps[packages])
        _done(packages, stamps[packages])
    if _old(project, stamps[project]):
        _say("Installing this checkout into .venv")
        _run("--quiet", "install", "--no-build-isolation", "--no-deps", "--no-index", "--editable", ROOT)
        _list_packages_folders()
        _done(project, stamps[project])


def _packages_folders() -> list[Path]:
    """Returns the folders of the checkout that contain its packages."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return [ROOT / folder for folder in pyproject["tool"]["setuptools"]["packages"]["find"]["where"]]


def _list_packages_folders() -> None:
    """Makes the Python of .venv look for the packages in their folders.

    The finder that setuptools would install loads so many modules that Python takes twice as long to start, and the
    tests start thousands.
    """
    (listed,) = ENVIRONMENT.glob("lib/python*/site-packages/__editable__.fudaba-*.pth")
    listed.write_text("".join(f"{folder}\n" for folder in _packages_folders()))


def _make(made: Path) -> None:
    """Makes the environment anew. `made` is the stamp for it."""
    if importlib.util.find_spec("ensurepip") is None:
        _say(
            f"{sys.executable} has no ensurepip, so no .venv can be made. Debian and Ubuntu: "
            f"apt install python3-venv (or python{sys.version_info[0]}.{sys.version_info[1]}-venv)."
        )
        sys.exit(2)
    _say(f"Making .venv with Python {sys.version.split()[0]} ({sys.executable})")
    ENVIRONMENT.mkdir(exist_ok=True)
    (ENVIRONMENT / MAKING).touch()
    for stamp in (made, *ENVIRONMENT.glob(".installed-*")):
        stamp.unlink(missing_ok=True)
    for entry in ENVIRONMENT.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != MAKING:
            entry.unlink()
    venv.create(ENVIRONMENT, with_pip=True, symlinks=True)


def _install_packages(stamp: Path, content: str) -> None:
    """Installs all packages of a lock file or none, and prints the progress."""
    locks = [LOCK]
    if stamp.name == RUNNING:
        building = ENVIRONMENT / ".building.lock"
        building.write_text(_building())
        locks = [RUNNING_LOCK, building]
    requirements = [part for lock in locks for part in ("--requirement", str(lock))]
    total, seen = len(re.findall(r"^[A-Za-z0-9][^\s=]*==", content, re.MULTILINE)), set[str]()
    _say(f"Installing the packages of {locks[0].relative_to(ROOT)} into .venv (once)")
    if locks == [LOCK] and _has_uv() and _uv_installs(PYTHON, LOCK):
        return
    # Python compiles what is imported.
    options = ["--no-compile", "--progress-bar", "off", "--require-hashes"]
    command = [*PIP, "install", *options, *requirements]
    with _Progress() as progress, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as pip:
        for line in pip.stdout or ():
            if line.startswith("Ignoring "):  # it is for other systems
                total -= 1
            elif begun := _BEGUN.match(line):
                name = begun[1] or begun[2]
                seen.add(name.lower())
                progress.tell(f"{len(seen)} of {total} packages: {name}", len(seen) / total)
            elif line.startswith("Installing collected packages"):
                progress.tell(f"{len(seen)} of {total} packages are here, and are put in place", 1)
    if pip.returncode:
        raise subprocess.CalledProcessError(pip.returncode, command)


def _has_uv() -> bool:
    """Returns whether .venv has the uv of requirements.lock, which pip installs."""
    wanted = _entry("uv")
    if not wanted:
        return False
    own = ENVIRONMENT / ".uv.lock"
    own.write_text(wanted)
    try:
        _run("--quiet", "install", "--no-compile", "--require-hashes", "--requirement", own)
    except subprocess.CalledProcessError:
        _say("There is no uv, for the reason above; pip installs them.")
        return False
    return True


def _uv_installs(python: Path, lock: Path) -> bool:
    """Returns whether uv has installed a lock file's packages for a Python. On a terminal it shows the progress."""
    found = _uv_options()
    if found is None:
        return False
    options, environment = found
    command = [str(ENVIRONMENT / "bin" / "uv"), "pip", "install", "--no-config", "--python", str(python), *options]
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    requirements = ["--require-hashes", "--requirement", str(lock)]
    try:
        subprocess.run(
            [*command, *quiet, *requirements], check=True, cwd=ROOT, env=os.environ | environment, stdout=sys.stderr
        )
    except OSError as error:
        _say(f"uv cannot run ({error}); pip installs them.")
        return False
    except subprocess.CalledProcessError:
        _say("uv has not installed them, for the reason above; pip does.")
        return False
    return True


def _uv_options() -> tuple[list[str], dict[str, str]] | None:
    """Returns options and variables that tell uv where pip finds packages; None if pip has a setting that uv does not
    know.
    """
    listed = subprocess.run([*PIP, "config", "list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    settings: dict[str, str] = {}
    for line in sorted(listed.splitlines(), key=lambda line: line.startswith(":env:")):  # variables go before files
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = str(ast.literal_eval(value))
    options, environment = ["--system-certs"], dict[str, str]()
    for name, value in settings.items():
        if name in _OF_UV:
            options += [part for place in value.split() for part in (_OF_UV[name], place)]
        elif name == "no-index":
            options += ["--no-index"] if value.lower() in {"1", "true", "yes", "on"} else []
        elif name == "cert":
            environment["SSL_CERT_FILE"] = value
        elif not _OF_PIP_ALONE.fullmatch(name):
            return None
    return options, environment


class _Progress:
    """A progress display: in place on a terminal, and elsewhere a line for every quarter."""

    def __init__(self) -> None:
        self._in_place = sys.stderr.isatty()
        self._quarters = 0

    def tell(self, text: str, done: float) -> None:
        if self._in_place:
            sys.stderr.write(f"\r\033[K{text[: shutil.get_terminal_size().columns - 1]}")
            sys.stderr.flush()
        elif (quarters := int(4 * done)) > self._quarters or done == 1:
            self._quarters = quarters
            _say(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._in_place:
            _say("")


def _tool_lock(tool: str) -> Path:
    return ROOT / "scripts" / f"_{tool}.lock"


def _install_tool(stamps: dict[Path, str]) -> None:
    ((installed, content),) = stamps.items()
    if not _old(installed, content):  # another process has installed it meanwhile
        return
    place = installed.parent
    lock = _tool_lock(place.name)
    _say(f"Installing the packages of scripts/{lock.name} into .venv/{place.name} (once)")
    # uv finds a Python that fits; where there is none, it fetches one.
    environment = {**os.environ, "UV_PYTHON_INSTALL_DIR": str(ENVIRONMENT / f"{place.name}-python")}
    uv = str(ENVIRONMENT / "bin" / "uv")
    making = [uv, "venv", "--quiet", "--no-project", "--clear", "--python", TOOLS[place.name], str(place)]
    subprocess.run(making, check=True, cwd=ROOT, env=environment, stdout=sys.stderr)
    python = place / "bin" / "python"
    if not _uv_installs(python, lock):
        locked = ("--require-hashes", "--requirement", lock)
        _run("--quiet", "--python", python, "install", "--no-compile", *locked)
    _done(installed, content)


def _works() -> bool:
    """Returns whether the Python of .venv still runs and is new enough."""
    if not PYTHON.is_file():
        return False
    test = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([PYTHON, "-I", "-c", test], capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    try:
        import fcntl  # noqa: PLC0415  not on Windows, where two at a time are the user's own care
    except ImportError:
        yield
        return
    with ROOT.joinpath("requirements.lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("Another script is installing into .venv; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(*arguments: str | Path) -> None:
    subprocess.run([*PIP, *arguments], check=True, cwd=ROOT, stdout=sys.stderr)


def _old(stamp: Path, content: str) -> bool:
    return not stamp.is_file() or stamp.read_text() != content


def _done(stamp: Path, content: str) -> None:
    fresh = stamp.with_name(f"{stamp.name}.new")
    fresh.write_text(content)
    fresh.replace(stamp)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
