"""The base of every error that a user may see as one sentence."""


class WorkbenchError(Exception):
    """A fault with a sentence that says what is wrong and what would be right.

    The command line prints the sentence and exits with `exit_code`; no traceback is shown.
    """

    exit_code = 1


class UsageError(WorkbenchError):
    """Bad input: a file, key, option or name that a person can correct (exit code 2)."""

    exit_code = 2
