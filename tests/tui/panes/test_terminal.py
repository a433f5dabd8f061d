"""The terminal pane with real outputs, and with hostile ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.test_text_clean import HOSTILE
from tests.tui.panes.host import Host, screen_lines, until, view_lines
from tests.tui.panes.samples import write_outputs
from workbench.tui.panes.commands import TerminalItem
from workbench.tui.panes.filelines import FileLines
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.terminal import TerminalPane


class TerminalHost(Host[TerminalPane]):
    """Keeps what the pane says."""

    def on_terminal_pane_action_chosen(self, message: TerminalPane.ActionChosen) -> None:
        self.said.append(message)

    def on_line_view_copy_requested(self, message: LineView.CopyRequested) -> None:
        self.said.append(message)


def command(folder: Path, name: str, output: bytes, **rest: object) -> TerminalItem:
    path = folder / f"{name}.out"
    path.write_bytes(output)
    known: dict[str, object] = {"phase": "done", "exit_code": 0, **rest}
    return TerminalItem(name, 1, f"run {name}", path=path, output_bytes=len(output), **known)  # type: ignore[arg-type]


def numbered(count: int) -> bytes:
    return b"".join(b"line %d of the output\n" % number for number in range(count))


def is_following(view: LineView) -> bool:
    return view.following


def copied(app: TerminalHost) -> list[str]:
    return [m.text for m in app.said if isinstance(m, LineView.CopyRequested)]


async def start(pilot: Pilot[None], *items: TerminalItem) -> TerminalPane:
    assert isinstance(pilot.app, TerminalHost)
    pane = pilot.app.pane
    pane.set_items(items)
    pane.focus_view()
    await pilot.pause()
    return pane


async def test_it_is_a_faithful_record(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(100, 70)) as pilot:
        await start(pilot, *write_outputs(tmp_path))
        text = "\n".join(line.rstrip() for line in screen_lines(app))
    for expected in (
        "$ ffmpeg -ss 14 -i inputs/clip.mp4 -frames:v 1 frames/f_014.png\n[h264 @ 0x55d0] ",
        "frame=   24 fps= 23",
        "✓ exit 0 · 0.9 s · step 1\n\nframes $ tesseract f_014.png -\nREADY\n✓ exit 0 · 3.1 s",
        "✎ anna $ cat > test_ocr.py <<'EOF'\n> import ocr\n",
        "✗ exit 1 · 12 s · step 3",
        "◷ timed out after 1:00 min · step 5",
        "✗ rejected, not run · step 6 · “stay in ./out”",
        "● running · step 7",
        "◆ held: waits for a decision · step 8",
        "漢字と日本語 wide",
        "clipboard title  screen �␀",
    ):
        assert expected in text
    assert "frame=    1 fps=0.0" not in text


async def test_it_follows_until_one_scrolls_up_and_says_what_is_new(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        item = command(tmp_path, "a", numbered(100), phase="running")
        pane = await start(pilot, item)
        view = pane.view
        assert view_lines(view)[-2:] == ["line 99 of the output", "● running · step 1"]
        await pilot.press("up", "up")
        assert not is_following(view)
        before = view_lines(view)
        item = replace(item, output_bytes=len(numbered(107)))
        assert item.path
        item.path.write_bytes(numbered(107))
        pane.set_items([item])
        await pilot.pause()
        assert view_lines(view)[:-1] == before[:-1]
        assert "↓ 7 new lines" in screen_lines(app)[-1]
        await pilot.press("end")
        await pilot.pause()
        assert is_following(view)
        assert "line 106 of the output" in view_lines(view)
        assert "new line" not in screen_lines(app)[-1]


async def test_only_rows_that_changed_are_painted_again(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 20)) as pilot:
        item = command(tmp_path, "a", b"one\n", phase="running", exit_code=None)
        pane = await start(pilot, item)
        await pilot.pause()
        await until(pilot, lambda: not pane.view._repaint_regions)
        painted = dict(pane.view._painted)
        item = replace(item, phase="done", exit_code=0)
        pane.set_items([item])
        dirty = {y for region in pane.view._repaint_regions for y in region.line_range}
        assert dirty == {2}
        await pilot.pause()
        assert {y for y, cut in pane.view._painted.items() if painted.get(y) != cut} == {2}
        pane.set_items([item])
        assert not pane.view._repaint_regions


async def test_finding_by_typing(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        coloured = b"a \x1b[31mli\x1b[32mne 77\x1b[0m in colours\n"
        pane = await start(
            pilot, command(tmp_path, "a", numbered(5000)), command(tmp_path, "b", coloured)
        )
        pane.show_action("a")
        pane.action_find()
        await pilot.pause()
        await pilot.press(*"line 77")
        await until(pilot, lambda: pane.view.finder.status.startswith("1 of 12"))
        assert any("line 77 of" in line for line in view_lines(pane.view))
        assert any("1 of 12" in line for line in screen_lines(app))
        await pilot.press("up")
        assert pane.view.finder.status == "12 of 12"
        assert any("a line 77 in colours" in line for line in view_lines(pane.view))
        await pilot.press("escape")
        assert pane.view.has_focus
        pane.action_find_next()
        assert pane.view.finder.status == "1 of 12"
        pane.view.finder.find("not there", pane.view.top_position())
        await until(pilot, lambda: pane.view.finder.status == "no match")


async def test_selecting_by_mouse_copies_lines_as_they_were(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(30, 12)) as pilot:
        output = b"first line\n" + b"0123456789" * 5 + b"\n" + "漢字 last\n".encode()
        pane = await start(pilot, command(tmp_path, "a", output))
        rows = view_lines(pane.view)
        first, last = rows.index("first line"), rows.index("漢字 last")
        await pilot.mouse_down(pane.view, offset=(6, first))
        await pilot.hover(pane.view, offset=(3, last))
        await pilot.mouse_up(pane.view, offset=(3, last))
        await pilot.pause()
        pane.action_copy()
        await pilot.pause()
    assert copied(app) == ["line\n" + "0123456789" * 5 + "\n漢字"]


async def test_double_and_triple_click(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        pane = await start(pilot, command(tmp_path, "a", b"see /workspace/out/notes.md: ok\n"))
        row = view_lines(pane.view).index("see /workspace/out/notes.md: ok")
        for times in (2, 3):
            await pilot.click(pane.view, offset=(8, row), times=times)
            pane.action_copy()
            await pilot.pause()
    assert copied(app) == ["/workspace/out/notes.md:", "see /workspace/out/notes.md: ok"]


async def test_selecting_by_keyboard(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        pane = await start(pilot, command(tmp_path, "a", numbered(50)))
        pane.action_mark()
        await pilot.press("up", "up", "up")
        pane.action_copy()
        await pilot.pause()
        assert copied(app)[-1].split("\n") == [
            *(f"line {number} of the output" for number in (47, 48, 49)),
            "✓ exit 0 · step 1",
        ]
        await pilot.press("right", "right")
        pane.action_copy()
        await pilot.pause()
        assert copied(app)[-1].startswith("ne 47 of the output\n")
        pane.action_mark()
        assert not pane.view.marker.is_on


async def test_nothing_selected_copies_the_command(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        pane = await start(pilot, command(tmp_path, "a", b"x\n"), command(tmp_path, "b", b"y\n"))
        pane.show_action("a")
        pane.action_copy()
        await pilot.pause()
    assert copied(app) == ["run a"]


async def test_another_size_keeps_the_line_on_top(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(80, 20)) as pilot:
        output = b"".join(b"%04d " % n + b"word " * (n % 50) + b"\n" for n in range(3000))
        pane = await start(pilot, command(tmp_path, "a", output))
        await pilot.press("home")
        pane.view.move(3000)
        await pilot.pause()
        top = pane.view.top_position()
        for size in ((33, 9), (120, 40), (20, 5)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert pane.view.top_position()[:3] == top[:3]
        pane.action_toggle_wrap()
        await pilot.pause()
        assert pane.view.top_position()[:3] == top[:3]


async def test_the_scroll_bar_hides_nothing(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(40, 12)) as pilot:
        text = "".join(chr(0x100 + n) for n in range(90))
        pane = await start(pilot, command(tmp_path, "a", b"line\n" * 30 + text.encode() + b"\n"))
        await until(pilot, lambda: pane.view.show_vertical_scrollbar)
        shown = "".join(screen_lines(app))
        assert [letter for letter in text if letter not in shown] == []


async def test_panning_over_long_lines(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(42, 8)) as pilot:
        output = b"0123456789" * 20 + b"\n" + "漢字".encode() * 40 + b"\nshort\n"
        pane = await start(pilot, command(tmp_path, "a", output))
        pane.action_toggle_wrap()
        await pilot.pause()
        assert view_lines(pane.view)[1] == "0123456789" * 4 + "›"
        await pilot.press("right")
        rows = view_lines(pane.view)
        assert rows[1].startswith("‹9012345")
        assert rows[2].endswith("›")
        assert all(pane.view.render_line(y).cell_length == 41 for y in range(8))
        await pilot.press("left", "left")
        assert view_lines(pane.view)[3] == "short"


async def test_bytes_spelled_out(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        pane = await start(pilot, command(tmp_path, "a", b"\x1b[31mred\x00\xff\r\n"))
        assert "red␀�" in view_lines(pane.view)
        pane.action_toggle_raw()
        await pilot.pause()
        assert "\\x1b[31mred\\x00\\xff\\r" in view_lines(pane.view)
        assert "bytes" in pane.status


async def test_going_from_command_to_command_and_to_a_line(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        items = [command(tmp_path, name, numbered(200)) for name in "abc"]
        pane = await start(pilot, *items)
        pane.action_previous_command()
        pane.action_previous_command()
        await pilot.pause()
        chosen = [m.action for m in app.said if isinstance(m, TerminalPane.ActionChosen)]
        assert chosen == ["b", "a"]
        assert pane.current is items[0]
        assert view_lines(pane.view)[0] == "$ run a"
        pane.action_goto()
        await pilot.pause()
        await pilot.press(*"151", "enter")
        await until(pilot, lambda: not pane.bar.is_open)
        assert view_lines(pane.view)[0] == "line 150 of the output"
        assert next(iter(pane.text_for_pager())) == "$ run a"
        assert pane.current_path == items[0].path


async def test_a_rewind_replaces_what_follows(tmp_path: Path) -> None:
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(60, 12)) as pilot:
        first, second, third = (command(tmp_path, name, b"out\n") for name in "abc")
        pane = await start(pilot, first, second)
        pane.set_items([first, third], ending="The session is closed.")
        await pilot.pause()
        text = "\n".join(view_lines(pane.view))
        assert "$ run b" not in text
        assert "$ run c" in text
        assert "― The session is closed." in text
        pane.set_items([])
        await pilot.pause()
        assert "No command has run yet." in "\n".join(screen_lines(app))


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (200, 50)])
async def test_no_text_from_anywhere_reaches_the_screen_unclean(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    storm = "".join(HOSTILE)
    raw = storm.encode("utf-8", "surrogatepass")
    item = command(
        tmp_path, "a", raw * 20, cwd=storm, note=storm, author=f"human:{storm}", killed=storm
    )
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=size) as pilot:
        pane = await start(pilot, replace(item, command=storm, path=item.path))
        for _page in range(4):
            assert len(screen_lines(app)) == size[1]
            await pilot.press("pageup")
        pane.action_toggle_raw()
        pane.view.finder.find(storm[:40], pane.view.top_position())
        await pilot.pause()
        screen_lines(app)


class CountingLines(FileLines):
    """Counts what is read."""

    bytes_read = 0

    def read(self, start: int, length: int) -> bytes:
        data = super().read(start, length)
        self.bytes_read += len(data)
        return data


@pytest.mark.parametrize("kind", ["lines", "no newline", "garbage"])
async def test_a_huge_output_is_read_only_where_one_looks(tmp_path: Path, kind: str) -> None:
    size = 200_000_000
    path = tmp_path / "huge.out"
    with path.open("wb") as file:
        if kind == "lines":
            line = b"\x1b[32m%09d\x1b[0m a line of a huge output that goes on and on\n"
            file.write(b"".join(line % number for number in range(2000)))
            file.seek(size - 200_000)
            file.write(b"\n" + b"".join(line % number for number in range(2500)))
        elif kind == "no newline":
            file.write(b"x" * 100_000)
            file.seek(size - 100_000)
            file.write(b"y" * 100_000)
        else:
            file.write(bytes(range(256)) * 1000)
        file.truncate(size)
    app = TerminalHost(TerminalPane())
    async with app.run_test(size=(120, 40)) as pilot:
        pane = await start(
            pilot, TerminalItem("a", 1, "cat huge", "done", path=path, output_bytes=size)
        )
        section = pane._sections[0]
        counting = CountingLines(path, size)
        section.output = counting
        for key in ("home", "end", "pageup", "pageup", "up", "down"):
            await pilot.press(key)
            screen_lines(app)
        pane.view.scroll_to(y=pane.view.document.rows // 2)
        await pilot.pause()
        screen_lines(app)
    assert counting.bytes_read < size // 6
