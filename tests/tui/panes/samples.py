"""View data for the gallery and the tests: what an agent really prints, and what it should not."""

from __future__ import annotations

from pathlib import Path

from workbench.tui.panes.commands import TerminalItem

FFMPEG = (
    b"\x1b[1;35m[h264 @ 0x55d0]\x1b[0m reference frames: 4\n"
    b"Input #0, mov,mp4,m4a, from 'inputs/clip.mp4':\n"
    b"  Duration: 01:30:00.00, start: 0.000000, bitrate: 1894 kb/s\n"
    b"frame=    1 fps=0.0 q=2.0 size=N/A\rframe=   12 fps= 11 q=2.0 size=N/A\r"
    b"frame=   24 fps= 23 q=2.0 Lsize=N/A time=00:00:14.00 bitrate=N/A speed=0.93x\n"
)
PYTEST = (
    b"\x1b[1m============ test session starts ============\x1b[0m\n"
    b"tests/test_ocr.py \x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\n"
    b"\x1b[31m\x1b[1mE       assert 'REDAY' == 'READY'\x1b[0m\n"
    b"\x1b[31m===== \x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m\x1b[31m in 0.42s =====\x1b[0m\n"
)
ODD = (
    "漢字と日本語 wide · é combining e\u0301 · 👩\u200d🔬 family · flags 🇩🇪 · עברית · नमस्ते\n"
    "tab\tseparated\tvalues\n"
).encode() + (
    b"\x1b]52;c;cm0gLXJm\x07clipboard \x1b]0;owned\x07title \x1b[?1049h\x1b[2J screen \xff\x00\n"
    b"\x1b]8;;http://evil\x1b\\a link\x1b]8;;\x1b\\ and \x1b[38;5;208mindexed\x1b[0m, "
    b"\x1b[38;2;120;180;255mtrue colour\x1b[0m, \x1b[7mreverse\x1b[0m, \x1b[9mstruck\x1b[0m\n"
)


def write_outputs(folder: Path) -> list[TerminalItem]:
    """Commands in every state, their outputs as files in `folder`."""
    long_line = b"data: " + b"0123456789abcdef" * 40 + b"\n"
    outputs = {
        "a1": FFMPEG,
        "a2": b"READY\n",
        "a3": PYTEST,
        "a4": ODD + long_line,
        "a5": b"tick 1\n",
    }
    for action, output in outputs.items():
        (folder / f"{action}.out").write_bytes(output)

    def item(action: str, step: int, command: str, **rest: object) -> TerminalItem:
        output = outputs.get(action)
        known: dict[str, object] = {"phase": "done", "exit_code": 0, **rest}
        if output is not None:
            known |= {"path": folder / f"{action}.out", "output_bytes": len(output)}
        return TerminalItem(action=action, step=step, command=command, **known)  # type: ignore[arg-type]

    return [
        item(
            "a1",
            1,
            "ffmpeg -ss 14 -i inputs/clip.mp4 -frames:v 1 frames/f_014.png",
            duration_s=0.93,
            cwd="/workspace",
        ),
        item("a2", 2, "tesseract f_014.png -", cwd="/workspace/frames", duration_s=3.1),
        item(
            "a3",
            3,
            "cat > test_ocr.py <<'EOF'\nimport ocr\nassert ocr.read() == 'READY'\nEOF\npytest -q",
            exit_code=1,
            duration_s=12.4,
            author="human:anna",
        ),
        item("a4", 4, "python odd.py", duration_s=0.2),
        item("a6", 5, "sleep 600", exit_code=None, duration_s=60.0, timed_out=True),
        item(
            "a7",
            6,
            "rm -rf /",
            phase="rejected",
            author="model",
            note="stay in ./out",
            exit_code=None,
        ),
        item("a5", 7, "whisper inputs/clip.mp4", phase="running", exit_code=None),
        item("a8", 8, "ls -la", phase="held", exit_code=None),
    ]
