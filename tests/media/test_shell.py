"""Reading bash without running it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.media.shell import MAX_COMMANDS, commands

CASES = {
    "ffmpeg -i a.mp4 b.wav": ["ffmpeg -i a.mp4 b.wav"],
    "mkdir -p out && ls|wc -l; echo hi": ["mkdir -p out", "ls", "wc -l", "echo hi"],
    "echo 'a && b' \"c | d\" e\\;f": ["echo a && b c | d e;f"],
    "a 2>/dev/null >out.txt 2>&1 < in &> both b": ["a b"],
    "a # comment\n# another\nb": ["a", "b"],
    "ffmpeg -i a.mp4 \\\n  -vf fps=1 x.png": ["ffmpeg -i a.mp4 -vf fps=1 x.png"],
    'F="my clip.mp4"; probe "$F" ${F}': ["probe my clip.mp4 my clip.mp4"],
    "A=1 B=2 run $A": ["run $A"],
    "export A=x; run $A $UNKNOWN": ["run x $UNKNOWN"],
    "for t in 1 2.5; do f $t o_$t.png; done; end": ["f 1 o_1.png", "f 2.5 o_2.5.png", "end"],
    "for t in {08..12..2}\ndo\n f $t\ndone": ["f 08", "f 10", "f 12"],
    "for t in $(seq 1 2 5) $(seq 2); do f $t; done": ["f 1", "f 3", "f 5", "f 1", "f 2"],
    "for a in 1 2; do for b in x y; do f $a$b; done; done": ["f 1x", "f 1y", "f 2x", "f 2y"],
    "for i in 1 2; do f $((i*10+5)) $((i)).png; done": ["f 15 1.png", "f 25 2.png"],
    'for i in 7; do f "$(printf %03d $i).png"; done': ["f 007.png"],
    "for v in inputs/*.mp4; do probe \"$v\"; done": ["probe inputs/a.mp4", "probe inputs/b.mp4"],
    "D=$(probe a | head); echo $D": ["probe a", "head", "echo $(probe a | head)"],
    "timeout 30 nice -n 5 whisper a.mp4": ["whisper a.mp4"],
    "timeout -k 5 30 env X=1 whisper a.mp4": ["whisper a.mp4"],
    "time ffmpeg -i x y.png": ["ffmpeg -i x y.png"],
    "bash -c 'cd d && ls'; pwd": ["ls", "pwd"],
    "if [ -f x ]; then ls; else pwd; fi": ["[ -f x ]", "ls", "pwd"],
    "while read f; do ls $f; done < list": ["read f", "ls $f"],
    "(cd a && f x); g": ["f x", "g"],
    "cp {a,b}.txt d": ["cp a.txt b.txt d"],
    "a 'unclosed": ["a unclosed"],
    "a $(unclosed": ["unclose", "a $(unclosed"],
    "": [],
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CASES.items())
def test_simple_commands(source: str, expected: list[str]) -> None:
    found = commands(source, ["inputs/a.mp4", "inputs/b.mp4", "notes.txt"])
    assert [" ".join(command.words) for command in found] == expected


def test_the_folder_is_followed() -> None:
    found = commands("cd out; f a.png; (cd deep && g ../b.png); h c.png; cd ..; i d.png")
    assert [c.path(c.words[1]) for c in found] == ["out/a.png", "out/b.png", "out/c.png", "d.png"]


def test_a_heredoc_belongs_to_its_command() -> None:
    first, second = commands("python3 - <<'EOF' && ls\nimport cv2\nx = 'a && b'\nEOF\n")
    assert {first.words, second.words} == {("python3", "-"), ("ls",)}
    (only,) = commands("python3 - <<'EOF'\nimport cv2\nx = 'a && b'\nEOF\n")
    assert only.heredoc == "import cv2\nx = 'a && b'"


def test_pipes_are_known() -> None:
    assert [c.piped for c in commands("a | b && c")] == [True, False, False]


@given(st.text(alphabet="ab $(){}`'\"\\;|&<>\n#=*1.,forindodone", max_size=80))
def test_no_script_raises(source: str) -> None:
    commands(source, ["a"])


@pytest.mark.parametrize(
    "source",
    [
        "for i in {1..400}; do " * 6 + "x $i" + "; done" * 6,
        "for i in {1..400}; do " * 6 + "a=$i" + "; done" * 6,
        "for i in $(printf %9999999999d 1); do x; done",
        "$(" * 5000,
        "x $(seq " + "$(seq 1 " * 5000,
        "{a,b}" * 300,
        "x " + "$((9**9**9))" + "$((9*9*9))" * 50,
        "seq() { seq 1 9999999999; }; for i in $(seq 1 9999999999); do x; done",
        "x" * 200_000,
    ],
)
def test_a_hostile_script_ends(source: str) -> None:
    assert len(commands(source)) <= MAX_COMMANDS
