"""What is wrong is one sentence on stderr with exit code 2; data goes to stdout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from workbench.cli import COMMANDS, main
from workbench.commands.ctl_options import VERBS
from workbench.commands.edge import guarded
from workbench.session.store import Store


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bogus"], "invalid choice: 'bogus'"),
        (["run", "nowhere.yaml"], "nowhere.yaml"),
        (["run", "{task}", "--model", "foo:bar"], "openai:MODEL"),
        (["run", "{task}", "--model", "scripted:nowhere.yaml"], "nowhere.yaml"),
        (["run", "{task}", "--mod", "human"], "--mod"),
        (["run", "{task}", "--breakpoint", "what"], "what"),
        (["run", "{task}", "--row", "7"], "row 7"),
        (["run", "{task}", "--id", "../x"], "--id ../x"),
        (["show", "nobody"], "no session “nobody”"),
        (["open", "nobody"], "no session “nobody”"),
        (["attach", "nobody"], "no session “nobody”"),
        (["rm", "nobody"], "no session “nobody”"),
        (["export", "nobody", "--format", "omnicoding", "--out", "x"], "no session “nobody”"),
        (["export", "nobody", "--format", "docx", "--out", "x"], "'docx'"),
        (["import", "/nowhere"], "/nowhere"),
        (["import", "{task}"], "no trajectory format"),
        (["sandbox"], "COMMAND"),
        (["ctl", "nobody", "wait", "--for", "lunch"], "“lunch”"),
        (["ctl", "nobody", "reject"], "--note"),
        (["ctl", "nobody", "edit"], "--keystrokes"),
        (["ctl", "nobody", "amend", "0", "--say", "x"], "“0”"),
        ([], "terminal"),
    ],
)
def test_bad_input_is_one_sentence(
    cli: Cli, store: Store, task: Path, arguments: list[str], words: str
) -> None:
    result = cli(*[argument.format(task=task) for argument in arguments])
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert words in result.err
    assert "Traceback" not in result.err
    assert store.ids() == []


def test_a_session_that_is_not_there_is_json_for_ctl(cli: Cli) -> None:
    result = cli("ctl", "nobody", "status")
    assert result.code == 1
    assert result.json["ok"] is False
    assert "nobody" in result.json["error"]
    assert result.err == ""


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    overview = capsys.readouterr().out
    for command in COMMANDS:
        assert command.help in " ".join(overview.split())
        with pytest.raises(SystemExit):
            main([command.name, "--help"])
        assert f"workbench {command.name}" in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_explains_itself(capsys: pytest.CaptureFixture[str], verb: object) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["ctl", "ID", verb.name, "--help"])  # type: ignore[attr-defined]
    assert ended.value.code == 0
    assert verb.help[1:] in " ".join(capsys.readouterr().out.split())  # type: ignore[attr-defined]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from workbench.cli import build_parser\n"
        "build_parser().format_help()\n"
        "heavy = {'textual', 'openai', 'anthropic', 'docker', 'numpy', 'PIL', 'av', 'yaml',\n"
        "         'msgspec', 'asyncio', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    script = f"{sys.executable} -m workbench --help | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("0", "141")
    assert done.stderr == ""


def test_what_the_system_refuses_is_a_sentence(cli: Cli, store: Store) -> None:
    store.sessions.write_text("a file where a folder should be")
    result = cli("ls")
    store.sessions.unlink()
    assert result.code == 1
    assert result.err == f"{store.sessions}: Not a directory.\n"


def test_a_fault_of_our_own_is_a_sentence_and_a_file(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(lambda: 1 // 0) == 1
    err = capsys.readouterr().err
    assert "ZeroDivisionError" in err
    (crash,) = (store.root / "crashes").iterdir()
    assert str(crash) in err
    assert "Traceback" in crash.read_text()


def test_a_full_disk_says_what_frees_it(capsys: pytest.CaptureFixture[str]) -> None:
    def write() -> int:
        with open("/dev/full", "w") as full:
            full.write("x")
        return 0

    assert guarded(write) == 1
    assert "workbench gc" in capsys.readouterr().err


@pytest.mark.parametrize(("closing", "code"), [(">&-", "141"), ("2>&- >/dev/null", "0")])
def test_a_stream_that_is_closed_is_no_fault(store: Store, closing: str, code: str) -> None:
    script = f"{sys.executable} -m workbench ls --json {closing}; echo $? >&3"
    done = subprocess.run(
        ["bash", "-c", f"exec 3>&1; {script}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == code
    assert done.stderr == ""
    assert not (store.root / "crashes").exists()
