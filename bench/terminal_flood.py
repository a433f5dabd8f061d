"""A flood of coloured output: the terminal pane beside Textual's own logs, in the same run.

    python bench/terminal_flood.py [--seconds 6] [--rates 2000 20000 100000] [--rounds 1]

A child process runs a small app on a pseudo-terminal of 120x40. A thread offers lines of 115 bytes
with four colour changes at the given rate; the app takes what is there 30 times a second. For the
pane the lines go to a file, as an engine writes them; the others get them in memory. Keys change a
one-line counter; their time is from the key until the counter's bytes arrive.

Prints a table and the ratios to RichLog. Absolute values are this machine's; ratios are the result.
"""

from __future__ import annotations

import argparse
import fcntl
import gc
import json
import os
import pty
import re
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections import deque
from pathlib import Path
from typing import ClassVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

WIDGETS = ("none", "pane", "log", "richlog")
LINE = (
    "\x1b[32m12:00:{:02}\x1b[0m \x1b[1;34mINFO\x1b[0m worker \x1b[33mprocessed item\x1b[0m"
    " {:08} in \x1b[36m0.123 s\x1b[0m\n"
)
_SEQUENCE = re.compile(
    rb"\x1b\[[0-9;?:<>=]*[ -/]*[@-~]|\x1b\].*?(?:\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\"
)


class Source:
    """Offers lines at a rate, into a file or into a list."""

    def __init__(self, rate: int, path: Path | None) -> None:
        self.rate = rate
        self.path = path
        self.count = 0
        self.size = 0
        self.pending: deque[list[str]] = deque()
        self.stopped = threading.Event()
        self.block = [LINE.format(i % 60, i) for i in range(2000)]

    def run(self) -> None:
        """Until `stopped` is set."""
        file = self.path.open("ab", buffering=0) if self.path else None
        started = time.monotonic()
        while not self.stopped.is_set():
            due = int((time.monotonic() - started) * self.rate) - self.count
            due = min(due, len(self.block))
            if due <= 0:
                time.sleep(0.002)
                continue
            lines = self.block[:due]
            if file:
                data = "".join(lines).encode()
                file.write(data)
                self.size += len(data)
            else:
                self.pending.append(lines)
            self.count += due


def child(widget: str, rate: int, seconds: float, report: Path) -> None:
    """The app under test; writes its own figures to `report` when it ends."""
    from textual.app import App, ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget
    from textual.widgets import Log, RichLog, Static

    from workbench.tui.panes.commands import TerminalItem
    from workbench.tui.panes.terminal import TerminalPane

    path = report.with_suffix(".out") if widget == "pane" else None
    source = Source(rate, path)
    if path:
        path.touch()

    class Flood(App[None]):
        BINDINGS: ClassVar[list[BindingType]] = [("k", "count", "count")]
        CSS = "#counter { height: 1; } #view { height: 1fr; }"

        def compose(self) -> ComposeResult:
            yield Static("KEYS=0;", id="counter")
            if widget == "pane":
                yield TerminalPane(id="view")
            elif widget == "log":
                yield Log(id="view", max_lines=20_000)
            elif widget == "richlog":
                yield RichLog(id="view", max_lines=20_000)
            else:
                yield Static("", id="view")

        def on_mount(self) -> None:
            self.keys, self.taken, self.ingest, self.stall = 0, 0, 0.0, 0.0
            view = self.query_one("#view")
            view.can_focus = False
            threading.Thread(target=source.run, daemon=True).start()
            self.set_interval(1 / 30, lambda: self.take(view))
            self.set_interval(0.001, self.beat)
            self.last_beat = time.perf_counter()
            self.set_timer(seconds, self.end)
            gc.collect()
            gc.freeze()
            gc.disable()
            self.set_interval(1, lambda: gc.collect(1))

        def beat(self) -> None:
            now = time.perf_counter()
            self.stall = max(self.stall, now - self.last_beat)
            self.last_beat = now

        def take(self, view: Widget) -> None:
            started = time.perf_counter()
            if isinstance(view, TerminalPane):
                self.taken = source.count
                item = TerminalItem("a", 1, "flood", "running", path=path, output_bytes=source.size)
                view.set_items([item])
            else:
                self.taken += self.write(view)
            self.ingest += time.perf_counter() - started

        def write(self, view: Widget) -> int:
            lines: list[str] = []
            while source.pending:
                lines += source.pending.popleft()
            if isinstance(view, Log):
                view.write_lines([_SEQUENCE.sub(b"", line.encode()).decode() for line in lines])
            elif isinstance(view, RichLog):
                from rich.text import Text

                for line in lines:
                    view.write(Text.from_ansi(line))
            return len(lines)

        def action_count(self) -> None:
            self.keys += 1
            self.query_one("#counter", Static).update(f"KEYS={self.keys};", layout=False)

        def end(self) -> None:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            report.write_text(
                json.dumps(
                    {
                        "lines_per_s": self.taken / seconds,
                        "ingest_us": self.ingest / max(1, self.taken) * 1e6,
                        "stall_ms": self.stall * 1000,
                        "cpu": (usage.ru_utime + usage.ru_stime) / seconds,
                        "rss_mb": usage.ru_maxrss / 1024,
                    }
                )
            )
            source.stopped.set()
            self.exit()

    Flood().run()


def measure(widget: str, rate: int, seconds: float, folder: Path) -> dict[str, float]:
    """Run the app on a pseudo-terminal, press keys, count bytes."""
    report = folder / f"{widget}-{rate}-{time.monotonic_ns()}.json"
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    argv = [sys.executable, __file__, "--child", widget, str(rate), str(seconds), str(report)]
    env = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    process = subprocess.Popen(
        argv, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
    )
    os.close(slave)
    times, size = press_keys(master, process)
    process.wait(timeout=60)
    os.close(master)
    figures: dict[str, float] = json.loads(report.read_text())
    figures["key_ms"] = statistics.median(times) if times else float("inf")
    figures["key_p95_ms"] = sorted(times)[int(len(times) * 0.95)] if times else float("inf")
    figures["kb_per_s"] = size / seconds / 1000
    for path in folder.iterdir():
        path.unlink()
    return figures


def press_keys(master: int, process: subprocess.Popen[bytes]) -> tuple[list[float], int]:
    """Press `k` until the app ends; return milliseconds to each answer and the bytes received."""
    times: list[float] = []
    size = 0
    keys = 0
    tail = b""
    pressed: float | None = None
    next_key = time.monotonic() + 1.5
    while True:
        if pressed is None and time.monotonic() > next_key and process.poll() is None:
            keys += 1
            pressed = time.monotonic()
            os.write(master, b"k")
        try:
            data = read_some(master)
        except OSError:
            return times, size
        now = time.monotonic()
        size += len(data)
        tail = (tail + data)[-65536:]
        if pressed is not None and b"KEYS=%d;" % keys in tail:
            times.append((now - pressed) * 1000)
            pressed, tail = None, b""
            next_key = now + 0.173
        if not data and process.poll() is not None:
            return times, size


def read_some(fd: int) -> bytes:
    """What is there within a millisecond or so; nothing else may be read meanwhile."""
    import select

    ready, _writable, _failed = select.select([fd], [], [], 0.002)
    return os.read(fd, 1 << 16) if ready else b""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rates", type=int, nargs="+", default=[2000, 20_000, 100_000])
    parser.add_argument("--widgets", nargs="+", default=list(WIDGETS))
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    rows: dict[tuple[str, int], list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _round in range(arguments.rounds):
            for rate in arguments.rates:
                for widget in arguments.widgets:
                    figures = measure(widget, rate, arguments.seconds, Path(folder))
                    rows.setdefault((widget, rate), []).append(figures)
    keys = (
        "lines_per_s",
        "ingest_us",
        "key_ms",
        "key_p95_ms",
        "stall_ms",
        "cpu",
        "kb_per_s",
        "rss_mb",
    )
    print("widget   offered/s " + " ".join(f"{key:>12}" for key in keys))
    for (widget, rate), runs in rows.items():
        medians = [statistics.median(run[key] for run in runs) for key in keys]
        print(f"{widget:8} {rate:9} " + " ".join(f"{value:12.1f}" for value in medians))
    for rate in arguments.rates:
        if {("pane", rate), ("richlog", rate)} <= rows.keys():
            pane, rich = (
                statistics.median(run["lines_per_s"] for run in rows[name, rate])
                for name in ("pane", "richlog")
            )
            print(f"at {rate}/s the pane takes {pane / rich:.1f} times the lines of RichLog")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), Path(sys.argv[5]))
    else:
        main()
