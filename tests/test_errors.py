"""Every error that a user may see is a sentence with an exit code."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import workbench
from workbench.errors import UsageError, WorkbenchError


def test_a_fault_exits_with_1_and_bad_input_with_2() -> None:
    assert WorkbenchError("It failed.").exit_code == 1
    assert UsageError("It is wrong.").exit_code == 2
    assert issubclass(UsageError, WorkbenchError)


def error_classes() -> list[type[Exception]]:
    """All exception classes that our modules define, without those of the sandbox's inside."""
    found: list[type[Exception]] = []
    for info in pkgutil.walk_packages(workbench.__path__, "workbench."):
        if ".inside" in info.name or info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        found += [
            value
            for value in vars(module).values()
            if inspect.isclass(value)
            and issubclass(value, Exception)
            and value.__module__ == info.name
        ]
    return found


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__qualname__)
def test_every_error_class_says_what_it_means(kind: type[Exception]) -> None:
    assert kind.__doc__, f"{kind.__module__}.{kind.__qualname__} has no docstring"
    assert kind.__doc__ != Exception.__doc__
