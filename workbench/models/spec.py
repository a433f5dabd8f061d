"""From a SPEC on the command line to a model. SDKs are imported only for the model that is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError
from workbench.models.base import Model


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Sampling and prices. Prices are dollars for a million tokens: input, cached input, output."""

    temperature: float | None = None
    reasoning_effort: str | None = None
    prices: dict[str, float] = field(default_factory=dict)


def absolute_spec(spec: str, folder: Path) -> str:
    """The SPEC with a scripted model's file made absolute: an engine has another working folder."""
    kind, separator, name = spec.partition(":")
    if kind != "scripted" or not name:
        return spec
    return f"{kind}{separator}{(folder / Path(name).expanduser()).absolute()}"


def check_spec(spec: str) -> None:
    """Check a SPEC and what it names, without making the model.

    Raises:
        UsageError: saying what a SPEC looks like.
    """
    kind, _, name = spec.partition(":")
    if kind == "scripted" and name:
        from workbench.models.scripted import load_script

        load_script(Path(name))
    elif not (spec == "human" or (kind in ("openai", "anthropic") and name)):
        raise UsageError(
            f"model “{spec}”: write openai:MODEL, anthropic:MODEL, scripted:FILE or human."
        )


def check_endpoint(spec: str, base_url: str | None) -> None:
    """Check that a SPEC that `check_spec` took has a usable base url and a key, where it needs one.

    Raises:
        UsageError: for a base url or a key that cannot be used.
        RefusedKey: if there is no key and the server is a public one.
    """
    from workbench.models.wire_endpoint import anthropic_endpoint, openai_endpoint

    kind, _, name = spec.partition(":")
    if kind == "openai":
        openai_endpoint(name, base_url)
    elif kind == "anthropic":
        anthropic_endpoint(name, base_url)


def make_model(
    spec: str, *, base_url: str | None = None, options: ModelOptions | None = None
) -> Model:
    """The model that a SPEC names.

    Raises:
        UsageError: for a SPEC that names none.
    """
    check_spec(spec)
    options = options or ModelOptions()
    kind, _, name = spec.partition(":")
    if kind == "openai":
        from workbench.models.openai import OpenAIModel

        return OpenAIModel(name, base_url=base_url, options=options)
    if kind == "anthropic":
        from workbench.models.anthropic import AnthropicModel

        return AnthropicModel(name, base_url=base_url, options=options)
    if kind == "scripted":
        from workbench.models.scripted import ScriptedModel

        return ScriptedModel(Path(name))
    from workbench.models.human import HumanModel

    return HumanModel()
