"""What the model is told besides the task: system prompt, tool descriptions, reminders.

The wording is ours; the shapes and the marker follow omnicoding-format 1, 3 and 10.
"""

from __future__ import annotations

from typing import Any

MARKER = "Please continue solving the task"
"""A user message with this phrase is a reminder of the harness; converters leave it out."""

SYSTEM_PROMPT = """\
You solve tasks about video, audio, images and documents from a shell inside a sandbox.
You have no eyes or ears for video and sound: extract evidence with tools and reason over it.

How to work
- Call one tool in each turn while you explore. `execute_commands` types into one bash that stays
  open: directory, variables and functions persist. Programs that need a terminal do not work, and
  nobody answers a prompt.
- Output above 30 kB is cut in the middle. Print what you need, write the rest to files.
- Inputs stand read-only under `inputs/`; work in the current directory or in /tmp.
- Useful programs: ffprobe and mediainfo to probe; ffmpeg to cut sound and extract frames; whisper
  for speech (`whisper inputs/a.mp4 --output_format srt --output_dir out`); tesseract for text in
  pictures; sox, ImageMagick, pdftotext, jq, and python3 with numpy, PIL, cv2, librosa, soundfile.
- Look at a picture yourself with `image_read`. Look before you conclude: evidence decides.
- Give `duration` as the seconds that a command may take (at most 60). For longer work, start it in
  the background and come back to it.
- A person may watch. A part of a tool reply headed "Message from the operator" is theirs: follow
  it.

How to finish
- When you are sure, write a turn without any tool call that ends with your answer in one pair of
  answer tags, like so: <answer>your answer</answer>
- In the next turn call `task_complete`. Nothing can be added after that.
- Use relative paths in commands."""

OPERATOR_HEADING = "[Message from the operator]"

CONTINUE_REMINDER = (
    "No tool was called. "
    + MARKER
    + ": call a tool to go on, or, if your answer is given, call task_complete."
)
SHORTEN_REMINDER = (
    "Your reply was cut off because it was too long. "
    + MARKER
    + " with a much shorter reply: one tool call, without repeating earlier text."
)
MISSING_ANSWER_REMINDER = (
    "[!] Not finished yet: no answer was given in answer tags. Write the answer between an opening "
    "and a closing `answer` tag in a turn of its own, then call task_complete again."
)
SUMMARY_REQUEST = (
    "The conversation is about to exceed what you can read. Write a hand-over in 300 to 500 words "
    "for yourself: what the task asks, what was found and where it stands (files, times, numbers "
    "verbatim), what was tried in vain, and what to do next. Plain text, no tool call."
)


def resume_request(task: str, summary: str) -> str:
    """The user message that replaces a conversation which had grown too long."""
    return (
        f"{task}\n\nSummary of the work so far (the earlier conversation was too long to keep):\n"
        f"{summary}\n\nGo on from there. The files that you made are still in the workspace."
    )


def _function(name: str, description: str, properties: dict[str, Any], *required: str) -> Any:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(required),
            },
        },
    }


TOOLS_SPEC: list[dict[str, Any]] = [
    _function(
        "execute_commands",
        "Type one or more lines into the sandbox's bash and read what it prints.",
        {
            "analysis": {
                "type": "string",
                "description": "What the evidence so far says and what is still missing.",
            },
            "plan": {
                "type": "string",
                "description": "What this command is for and what follows from its result.",
            },
            "keystrokes": {"type": "string", "description": "The exact bash input."},
            "duration": {
                "type": "number",
                "description": "Seconds that it may take: 1 by default, 60 at most.",
            },
        },
        "analysis",
        "plan",
        "keystrokes",
    ),
    _function(
        "task_complete",
        "End the session. Call it alone, in the turn after the one that gave the answer.",
        {},
    ),
    _function(
        "image_read",
        "Look at a picture file (png, jpg, jpeg, gif, webp): it is shown to you after the reply.",
        {
            "file_path": {"type": "string", "description": "Path of the picture."},
            "image_read_instruction": {
                "type": "string",
                "description": "What to look for in it.",
            },
        },
        "file_path",
        "image_read_instruction",
    ),
]
