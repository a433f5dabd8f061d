"""From a SPEC to a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.wire import KEY
from workbench.errors import UsageError, WorkbenchError
from workbench.models.base import RefusedKey
from workbench.models.spec import check_endpoint, check_spec, make_model

OWN = "http://localhost:8000/v1"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC"):
        for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL"):
            monkeypatch.delenv(f"{provider}_{name}", raising=False)


@pytest.mark.parametrize(
    ("spec", "variable", "provider"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY", "openai"),
        ("anthropic:claude-opus-5", "ANTHROPIC_API_KEY", "anthropic"),
        ("anthropic:claude-opus-5", "ANTHROPIC_AUTH_TOKEN", "anthropic"),
    ],
)
async def test_with_a_key(
    monkeypatch: pytest.MonkeyPatch, spec: str, variable: str, provider: str
) -> None:
    monkeypatch.setenv(variable, KEY)
    model = make_model(spec)
    assert (model.spec, model.provider) == (spec, provider)
    assert KEY not in repr(vars(model))
    await model.close()
    await model.close()


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "openai:gpt-5",
            "OPENAI_API_KEY is not set: api.openai.com needs a key in the environment.",
        ),
        (
            "anthropic:claude-opus-5",
            "ANTHROPIC_API_KEY is not set: api.anthropic.com needs a key in the environment.",
        ),
    ],
)
def test_without_a_key(spec: str, sentence: str) -> None:
    for refuse in (make_model, lambda spec: check_endpoint(spec, None)):
        with pytest.raises(RefusedKey) as caught:
            refuse(spec)
        assert str(caught.value) == sentence


@pytest.mark.parametrize("spec", ["human", "scripted:play.yaml", "openai:m", "anthropic:m"])
def test_endpoints_that_will_do(spec: str) -> None:
    check_endpoint(spec, OWN)


@pytest.mark.parametrize("spec", ["openai:qwen3", "anthropic:qwen3"])
@pytest.mark.parametrize("url", [OWN, "http://10.0.0.7:30000/v1", "http://gpu-box:8000"])
async def test_a_server_of_ones_own_needs_no_key(spec: str, url: str) -> None:
    await make_model(spec, base_url=url).close()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_the_base_url_of_the_environment(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv(f"{kind.upper()}_BASE_URL", OWN)
    await make_model(f"{kind}:qwen3").close()
    with pytest.raises(RefusedKey, match=r"example\.org needs a key"):
        make_model(f"{kind}:qwen3", base_url="https://example.org/v1")


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://host/v1", "http://", "http://[bad", "http://host:99999/v1"]
)
def test_base_urls_that_are_none(url: str) -> None:
    with pytest.raises(UsageError, match=r"^base url “.*”: write it like http://"):
        make_model("openai:m", base_url=url)


def test_a_password_in_a_base_url_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        make_model("openai:m", base_url="ftp://ada:secret@host/v1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-ключ", "sk a", "sk-\x07"])
def test_a_key_that_is_none(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match=r"^OPENAI_API_KEY holds a character") as caught:
        make_model("openai:m")
    assert key not in str(caught.value)


@pytest.mark.parametrize("spec", ["", "gpt-5", "openai:", "anthropic", "human:x", "scripted:"])
def test_specs_that_name_no_model(spec: str) -> None:
    with pytest.raises(UsageError, match=r"write openai:MODEL, anthropic:MODEL, scripted:FILE"):
        check_spec(spec)


def test_a_script_is_checked(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"the script cannot be read"):
        check_spec(f"scripted:{tmp_path / 'none.yaml'}")


async def test_a_script_and_a_person(tmp_path: Path) -> None:
    script = tmp_path / "play.yaml"
    script.write_text("- say: Hello\n")
    assert make_model(f"scripted:{script}").provider == "scripted"
    assert make_model("human").provider == "human"
