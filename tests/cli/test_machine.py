"""`doctor` and `sandbox`: what this machine has, and what its sandboxes keep in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def test_doctor_names_what_is_missing_and_what_that_costs(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    found = cli("doctor", "--json")
    checks = {check["name"]: check for check in found.json["checks"]}
    assert checks["store"]["ok"] is True
    assert checks["ffmpeg"]["ok"] is False
    assert "cut video" in checks["ffmpeg"]["costs"]
    assert checks["OPENAI_API_KEY"]["ok"] is True
    assert checks["ANTHROPIC_API_KEY"]["ok"] is False
    text = cli("doctor").out
    assert "✗ ffmpeg" in text
    assert "without it" in text
    assert "sk-very-secret" not in found.out + text
    assert found.code == (0 if checks["docker"]["ok"] or checks["bubblewrap"]["ok"] else 1)


def test_doctor_fails_where_the_store_cannot_be_written(cli: Cli, store_home: Path) -> None:
    store_home.rmdir()
    store_home.write_text("a file where a folder should be")
    result = cli("doctor")
    assert result.code == 1
    assert "✗ store" in result.out
    store_home.unlink()


def test_audit_finds_that_the_local_sandbox_keeps_nothing_in(cli: Cli) -> None:
    result = cli("sandbox", "audit", "--sandbox", "local", "--json")
    assert result.code == 1
    findings = {one["name"]: one for one in result.json["findings"]}
    assert findings["files hidden"]["ok"] is False
    assert findings["processes hidden"]["ok"] is False
    assert result.json["ok"] is False
    lines = cli("sandbox", "audit", "--sandbox", "local").out.splitlines()
    assert len(lines) == len(findings)


@pytest.mark.parametrize("kind", [pytest.param("docker", marks=pytest.mark.docker), "bubblewrap"])
def test_audit_finds_no_way_out_of_the_others(cli: Cli, kind: str) -> None:
    result = cli("sandbox", "audit", "--sandbox", kind, "--json")
    assert [one for one in result.json["findings"] if not one["ok"]] == []
    assert result.code == 0
