"""Golden sessions: one of each sort that a screen may have to show.

Run as a program it fills a store: `python -m tests.tui.stories FOLDER`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.tui.make_log import Story
from workbench import events as ev
from workbench.session.store import SessionDir, Store


def open_video(store: Store, name: str, **changes: Any) -> Story:
    """A session about a clip of ninety seconds, staged and probed."""
    story = Story(store, name).open(**changes)
    story.add(
        ev.Probed(
            path="inputs/clip.mp4",
            media="video",
            duration_s=90.0,
            width=1280,
            height=720,
            fps=30.0,
            codecs=["h264", "aac"],
        )
    )
    story.file("inputs/clip.mp4", size=4_200_000)
    return story


def watch(story: Story) -> Story:
    """The first steps of every video task here: probe, listen, look."""
    story.command(
        "ffprobe -v error -show_format -show_streams inputs/clip.mp4",
        "codec_name=h264\nwidth=1280\nheight=720\nduration=90.000000\ncodec_name=aac\n",
        analysis="I know nothing about the clip yet.",
        plan="Probe it.",
        took=0.2,
    )
    story.think("The host says something. I should listen first. ")
    command = "whisper inputs/clip.mp4 --output_format srt --output_dir out"
    story.propose(analysis="The question is about speech.", plan="Transcribe.", keystrokes=command)
    story.decide(arguments={"keystrokes": command}).start(
        command, "Detected language: English\n[00:11.0 --> 00:12.6] are you ready?\n"
    )
    story.add(
        ev.Heard(
            step=story.step,
            source="inputs/clip.mp4",
            segments=[
                ev.Segment(start=2.0, end=6.5, text="Welcome back to the forest walk."),
                ev.Segment(start=11.0, end=12.6, text="Are you ready?"),
                ev.Segment(start=13.0, end=15.2, text="Here it comes."),
                ev.Segment(start=31.0, end=38.0, text="What a beautiful animal, look at the tail."),
            ],
            language="en",
            model="tiny.en",
            duration_s=90.0,
        )
    )
    story.run(command, "[00:11.0 --> 00:12.6] are you ready?\n", took=3.1)
    story.file("out/clip.srt", size=412).observe("[00:11.0 --> 00:12.6] are you ready?")
    story.think().propose(
        analysis="“Ready” ends at 12.6 s.",
        plan="Extract one frame a second around it.",
        keystrokes="ffmpeg -ss 12 -t 4 -i inputs/clip.mp4 -vf fps=1 frames/f_%03d.png",
        duration=10,
    )
    frames = "ffmpeg -ss 12 -t 6 -i inputs/clip.mp4 -vf fps=1 frames/f_%03d.png"
    story.hold("Mode review: every action waits for you.")
    story.decide(
        "edit",
        "human:ann",
        arguments={"keystrokes": frames, "duration": 10},
        original={"keystrokes": frames.replace("-t 6", "-t 4"), "duration": 10},
        note="Look two seconds further.",
    )
    story.run(frames, "frame=    6 fps=0.0 q=-0.0 size=N/A\x1b[32m done\x1b[0m\n", took=0.9)
    for index in range(6):
        story.frame(f"frames/f_{index + 1:03}.png", "inputs/clip.mp4", 12.0 + index)
    story.add(ev.Looked(step=3, source="inputs/clip.mp4", sense="seen", spans=[(12.0, 18.0)]))
    return story.observe("frame=    6 fps=0.0")


def video_task(store: Store, name: str = "which-animal") -> SessionDir:
    """A finished session with an error, an edit, a rejection, frames, speech and an answer."""
    story = watch(open_video(store, name))
    story.command(
        "tesseract frames/f_02.png -",
        "Error in fopenReadStream: file not found\n",
        exit_code=1,
        analysis="There may be a caption.",
        plan="Read it.",
    )
    story.think().propose(
        analysis="Clean up.", plan="Remove the frames.", keystrokes="rm -rf frames", duration=5
    )
    story.hold(
        "It deletes files without asking.",
        risks=[ev.Risk(level="high", rule="delete", reason="It deletes files without asking.")],
    )
    story.decide("reject", "human:ann", note="Keep the frames, you need them.")
    story.observe("The operator rejected this call; it was not run.")
    story.think().propose(
        "image_read", file_path="frames/f_002.png", image_read_instruction="Which animal is it?"
    )
    story.decide(arguments={"file_path": "frames/f_002.png"})
    story.frame("frames/f_002.png", "inputs/clip.mp4", 13.0, origin="read")
    story.observe("Loaded 'frames/f_002.png' (image/png, 2103 bytes).")
    story.think().propose("", say="It is a red fox. <answer>a red fox</answer>")
    story.observe("")
    story.think().propose("task_complete").decide()
    story.run("pwd && ls", "/workspace\nframes\ninputs\nout\n", took=0.1)
    story.observe("/workspace")
    return story.close(answer="a red fox")


def held_task(store: Store, name: str = "held-animal") -> SessionDir:
    """A session whose gate holds a command."""
    story = watch(open_video(store, name, mode="review"))
    story.think("Now look closer at the animal. ").propose(
        analysis="The speaker says “ready” at 11 s; the animal enters right after it.",
        plan="Extract the frame at 14 s, then read its caption.",
        keystrokes="mkdir -p frames\n"
        "ffmpeg -ss 14 -i inputs/clip.mp4 -frames:v 1 frames/f_014.png > /var/log/ff.log 2>&1\n"
        "tesseract frames/f_014.png -",
        duration=10,
    )
    risk = ev.Risk(
        level="medium",
        rule="outside the work area",
        reason="It writes outside the workspace and /tmp.",
    )
    story.hold("Mode review: every action waits for you.", risks=[risk])
    return story.end()


def running_task(store: Store, name: str = "running-animal") -> SessionDir:
    """A session in the middle of a command."""
    story = watch(open_video(store, name))
    story.think().propose(keystrokes="for i in $(seq 60); do echo line $i; sleep 1; done")
    story.decide(arguments={"keystrokes": "for i in $(seq 60); do echo line $i; sleep 1; done"})
    story.start("for i in $(seq 60); do echo line $i; sleep 1; done", "line 1\nline 2\nline 3\n")
    return story.end()


def long_task(store: Store, name: str = "long", steps: int = 10_000) -> SessionDir:
    """A finished session of many small steps, 2 KB of output each."""
    story = open_video(store, name, limits=ev.Limits(steps=None))
    for number in range(1, steps + 1):
        output = f"OUTPUT-{number} begins\n" + "\n".join("x" * 63 for _ in range(31)) + "\n"
        story.command(
            f"echo step {number}; cat notes.md",
            output,
            exit_code=1 if number % 100 == 0 else 0,
            analysis=f"Thought of step {number}. " + "y" * 170,
            plan="Go on.",
        )
        if number % 10 == 0:
            story.file(f"out/n{number}.txt")
    return story.close("step_limit")


def main(folder: str) -> None:
    """Fill a store with one session of each sort."""
    store = Store(Path(folder))
    for make in (video_task, held_task, running_task, long_task):
        make(store)


if __name__ == "__main__":
    main(sys.argv[1])
