"""One conformance suite for the shell of every back end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.sandbox.places import KINDS, run, running, said
from workbench.sandbox.base import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=KINDS)
async def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Sandbox]:
    """A sandbox that the tests of this module share."""
    async with running(request.param, tmp_path_factory.mktemp("place")) as sandbox:
        yield sandbox


async def living(place: Sandbox, mark: str) -> bool:
    """Whether a process inside has this text in its arguments."""
    command = f"grep -al -- {mark[:-1]}[{mark[-1]}] /proc/[0-9]*/cmdline 2>/dev/null | grep -c proc"
    _, output = await run(place, command)
    return output.strip() != b"0"


async def test_output_is_whole_and_raw(place: Sandbox) -> None:
    result, output = await run(place, r"printf 'a\n\xff\x00b'; printf end >&2")
    assert output == b"a\n\xff\x00bend"
    assert (result.exit_code, result.killed, result.notes) == (0, None, ())


async def test_exit_codes(place: Sandbox) -> None:
    assert (await run(place, "false"))[0].exit_code == 1
    assert await said(place, "echo $?") == "1\n"
    assert (await run(place, "(exit 77)"))[0].exit_code == 77
    assert (await run(place, "no-such-program"))[0].exit_code == 127


async def test_state_survives(place: Sandbox) -> None:
    await said(place, "mkdir -p deep/er; cd deep/er; X='a b'; f() { echo \"f:$X:$1\"; }; alias g=f")
    result, output = await run(place, "f 1; g 2; basename $PWD")
    assert output == b"f:a b:1\nf:a b:2\ner\n"
    assert result.cwd == f"{place.root}/deep/er"
    await said(place, f"cd {place.root}")


async def test_standard_input_is_empty(place: Sandbox) -> None:
    assert await said(place, "cat; read x || echo none") == "none\n"


@pytest.mark.parametrize(
    "broken", ["echo 'unterminated", "cat <<EOF\nno end", "if true; then", "echo $(", "}"]
)
async def test_broken_commands_end_with_themselves(place: Sandbox, broken: str) -> None:
    await run(place, broken)
    assert await said(place, "echo fine") == "fine\n"


@pytest.mark.parametrize("hostile", ["set -eu", "exec 3>&1 </dev/null", "trap '' INT TERM"])
async def test_options_do_not_end_the_shell(place: Sandbox, hostile: str) -> None:
    await run(place, f"{hostile}; echo $nothing_like_this")
    await run(place, "false")
    assert await said(place, "set +eu; trap - INT TERM; echo fine") == "fine\n"


async def test_a_timeout_ends_every_descendant(place: Sandbox) -> None:
    await said(place, "KEPT=yes")
    command = (
        "echo before; (setsid nohup sleep 98761 >/dev/null 2>&1 &); (trap '' TERM; sleep 98762) & "
        "bash -c 'trap \"\" TERM INT; sleep 98763'; echo after"
    )
    result, output = await run(place, command, timeout_s=0.5)
    assert output == b"before\n"
    assert (result.exit_code, result.killed, result.timed_out) == (None, "timeout", True)
    for mark in ("98761", "98762", "98763"):
        assert not await living(place, mark)
    assert await said(place, "echo $KEPT") == "yes\n"


async def test_a_builtin_loop_can_be_ended(place: Sandbox) -> None:
    result, _ = await run(place, "while :; do :; done", timeout_s=0.5)
    assert result.killed == "timeout"
    assert await said(place, "echo fine") == "fine\n"


async def test_waiting_without_children_is_not_death(place: Sandbox) -> None:
    result, output = await run(place, "mkfifo p; read -t 1.2 x <>p; echo $?")
    assert (result.killed, output) == (None, b"142\n")


async def test_background_jobs_live_on_and_can_be_seen(place: Sandbox) -> None:
    await said(place, "sleep 98764 &")
    assert await living(place, "98764")
    await run(place, "sleep 98765", timeout_s=0.5)
    assert await living(place, "98764"), "a timeout ends only what the command started"
    await said(place, "kill %%; wait; true")
    assert not await living(place, "98764")


async def test_what_a_job_prints_later_comes_with_the_next_command(place: Sandbox) -> None:
    await said(place, "(sleep 0.1; printf late) &")
    assert await said(place, "wait; echo now") == "latenow\n"


async def test_an_interrupt(place: Sandbox) -> None:
    command = asyncio.create_task(run(place, "echo on; sleep 98766"))
    while not await place.interrupt():
        await asyncio.sleep(0.01)
    result, _ = await command
    assert result.killed == "interrupt"
    assert not await place.interrupt()
    assert not await living(place, "98766")


async def test_cancelling_ends_the_command(place: Sandbox) -> None:
    command = asyncio.create_task(run(place, "sleep 98767"))
    await asyncio.sleep(0.2)
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    assert not await living(place, "98767")


async def test_the_shell_exits(place: Sandbox) -> None:
    await said(place, "mkdir -p here; cd here; LOST=1")
    result, output = await run(place, "echo bye; exit 3")
    assert (output, result.killed) == (b"bye\n", "shell died")
    assert "exited with code 3" in result.notes[0]
    assert f"stands in {place.root}/here" in result.notes[0]
    assert await said(place, f"echo ${{LOST-gone}}; basename $PWD; cd {place.root}") == (
        "gone\nhere\n"
    )


async def test_killing_everything_is_survived(place: Sandbox) -> None:
    command = "kill -9 $$" if place.info.kind == "local" else "kill -9 -1; sleep 5"
    result, _ = await run(place, command)
    assert result.killed == "shell died"
    assert result.notes
    assert await said(place, "echo back") == "back\n"


async def test_frozen_time_does_not_count(place: Sandbox) -> None:
    ticks = "for i in $(seq 30); do echo $i; sleep 0.02; done"
    output = bytearray()
    command = asyncio.create_task(place.run(ticks, 1.5, output.extend))
    while not output:
        await asyncio.sleep(0.01)
    await place.freeze()
    await asyncio.sleep(0.1)
    before = bytes(output)
    await asyncio.sleep(1.5)
    assert bytes(output) == before
    await place.thaw()
    result = await command
    assert (result.killed, output.decode().split()[-1]) == (None, "30")
    assert result.duration_s < 1.5


async def test_a_frozen_command_can_be_interrupted(place: Sandbox) -> None:
    command = asyncio.create_task(run(place, "echo on; sleep 98768"))
    await asyncio.sleep(0.2)
    await place.freeze()
    assert await place.interrupt()
    result, _ = await command
    assert result.killed == "interrupt"


async def test_a_flood_arrives_whole(place: Sandbox) -> None:
    count = 0

    def take(data: bytes) -> None:
        nonlocal count
        count += len(data)

    result = await place.run("head -c 50000000 /dev/zero; printf x", 30, take)
    assert (result.exit_code, count) == (0, 50_000_001)


async def test_arguments_are_bytes(place: Sandbox) -> None:
    assert await said(place, "echo 'ünï 猫 \\ \"$HOME\"' | wc -c") != "0\n"
    name = "touch $'na\\xffme'; ls | od -c | grep -c 377; rm na*"
    assert await said(place, name) == "1\n"


async def test_a_long_command(place: Sandbox) -> None:
    text = "x" * 300_000
    assert await said(place, f"wc -c <<'END'\n{text}\nEND") == "300001\n"
