"""Risk rules: what in a proposed command a person would want to see before it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from workbench.events import Risk

Level = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over the command's text, and the sentence that is shown when it matches."""

    name: str
    level: Level
    pattern: re.Pattern[str]
    reason: str


def _rule(name: str, level: Level, pattern: str, reason: str) -> Rule:
    return Rule(name, level, re.compile(pattern, re.MULTILINE), reason)


_START = r"(?:^|[;&|({\n]\s*|\b(?:sudo|xargs|exec|env|nohup|time)\s+)"

RULES = (
    _rule(
        "delete",
        "high",
        _START + r"rm\s+(?:-\w+\s+|--\S+\s+)*-\w*[rRf]\w*|\bfind\b[^\n;|]*\s-delete\b|\bshred\b",
        "It deletes files without asking.",
    ),
    _rule(
        "network",
        "medium",
        _START + r"(?:curl|wget|ssh|scp|rsync|nc|ncat|telnet|ftp|yt-dlp)\b"
        r"|\b(?:pip3?|npm|apt(?:-get)?)\s+(?:install|download)\b|\bgit\s+(?:clone|pull|fetch|push)\b",
        "It wants the network.",
    ),
    _rule(
        "pipe to shell",
        "high",
        r"\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b(?!\s*-c)|\b(?:bash|sh)\s+<\(",
        "It runs text that a program prints as a script.",
    ),
    _rule(
        "fork bomb",
        "high",
        r"(\w+|:)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1",
        "It starts processes without end.",
    ),
    _rule(
        "writes inputs",
        "medium",
        r">\s*(?:\./|/workspace/)?inputs/|"
        + _START
        + r"(?:rm|mv|touch|truncate|chmod|tee)\b[^\n;|]*\binputs/",
        "It writes to the inputs, which are read-only.",
    ),
    _rule(
        "grader files",
        "high",
        r"ground_truth|answer_key|gold_answer|\.gold\b|all_final\.jsonl|(?:rl|sft)_train\.jsonl",
        "It names a grader or answer file; the reward counts that as an escape.",
    ),
    _rule(
        "outside the work area",
        "medium",
        r">{1,2}\s*/(?!dev/(?:null|stdout|stderr)\b|tmp/|workspace/)\S",
        "It writes outside the workspace and /tmp.",
    ),
    _rule(
        "raw device",
        "high",
        _START + r"(?:mkfs\S*|mount|umount|dd\b[^\n]*\bof=/dev/)",
        "It touches devices or mounts.",
    ),
    _rule(
        "kills processes",
        "medium",
        _START + r"(?:kill|pkill|killall)\b",
        "It kills processes.",
    ),
)


def judge(tool: str, arguments: dict[str, Any]) -> list[Risk]:
    """The risks of an action, the gravest first; empty when no rule matches."""
    if tool != "execute_commands":
        return []
    command = str(arguments.get("keystrokes") or "")
    order = {"high": 0, "medium": 1, "low": 2}
    risks = [
        Risk(level=rule.level, rule=rule.name, reason=rule.reason)
        for rule in RULES
        if rule.pattern.search(command)
    ]
    return sorted(risks, key=lambda risk: order[risk.level])
