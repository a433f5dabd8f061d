"""Words of the reference harness that its tools look for (omnicoding-format, first table)."""

from __future__ import annotations

EXECUTE_COMMANDS = "execute_commands"
IMAGE_READ = "image_read"
TASK_COMPLETE = "task_complete"
TOOL_NAMES = (EXECUTE_COMMANDS, IMAGE_READ, TASK_COMPLETE)

CONTINUE_MARKER = "Please continue solving the task"
"""A later user message that contains it is a reminder and not part of the data (C4)."""

CHECKLIST_MARKER = "[!] Checklist"
"""A tool reply that contains it quotes a tag and is not searched for the answer (C21)."""
