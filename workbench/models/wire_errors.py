"""From what a server or an SDK says went wrong to the errors of `base`, in one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from workbench.models.base import ContextOverflow, ModelError, RefusedKey, UnknownModel
from workbench.models.retry import PassingFault
from workbench.models.wire_endpoint import Endpoint

_OVERFLOW = re.compile(
    r"""context_length_exceeded | context_window_exceeded | exceed_context_size
    | (?:maximum|max|model's|available|total)\s(?:\w+\s)?(?:context|model|prompt|sequence)[\s_]
        (?:length|len|size|window)
    | context\s(?:length|window|size|limit)\s(?:of\sonly|exceed|is\sexceeded|reached)
    | exceeds?\s(?:the\s)?(?:\w+\s)?(?:context|maximum\snumber\sof\stokens)
    | (?:prompt|input|request|conversation)\s(?:is\s)?too\s(?:long|large\sfor)
    | input\stoken\scount.*exceeds | longer\sthan\sthe\smodel's\scontext
    | range\sof\sinput\slength | input\slength.*exceed | request_too_large
    | reduce\sthe\slength\sof\sthe\smessages | must\shave\sless\sthan\s\d+\stokens
    | inputs.?\stokens\s\+\s.?max_new_tokens | too\slarge\sfor\smodel\swith
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How providers and servers say that the conversation is too long for the model."""

_TOO_LARGE_FOR_LIMIT = re.compile(r"request too large", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model.{0,80}(?:not found|not exist|not a valid|unknown|not available|no longer)"
    r"|(?:unknown|invalid|unsupported|no such) model|not a valid model|model_not_found",
    re.IGNORECASE | re.DOTALL,
)
_BAD_KEY = re.compile(r"(?:api|x-api)[\s_-]?key.{0,40}(?:not valid|invalid|incorrect)", re.I)
_NO_FUNDS = re.compile(
    r"insufficient_quota|credit balance|billing_error|insufficient balance", re.I
)

_CANNOT = re.compile(
    r"(?:image|vision|multimodal|tool|function|audio)\w*[\w\s]{0,20}(?:not|n't)\s(?:be\s)?support"
    r"|no endpoints found that support|required for image input|not a multimodal model",
    re.IGNORECASE,
)
"""How servers say, with 404 or 500 too, that a model takes no pictures or no tools."""

_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "BadRequestError": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What an error inside a stream would have been as an HTTP status."""

_TRANSPORT = {"httpx", "httpx2", "httpcore", "httpcore2", "ssl", "anyio"}


def translate(error: Exception, endpoint: Endpoint, idle_s: float) -> ModelError | PassingFault:
    """What a failed request means.

    Args:
        error: what the SDK raised.
        endpoint: whom it was sent to.
        idle_s: how long the client waits for a byte.

    Raises:
        Exception: `error` itself, if it is no failure of the request.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return PassingFault(f"{endpoint.host} sent nothing for {idle_s:g} s")
    if "APIConnectionError" in names or is_transport(error):
        return PassingFault(f"no connection to {endpoint.host}: {endpoint.quote(_cause(error))}")
    if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
        return PassingFault(f"{endpoint.host} sent something that is not JSON")
    if "APIError" not in names:
        raise error
    return _refusal(error, endpoint)


def refuse_web_page(headers: Mapping[str, str], endpoint: Endpoint) -> None:
    """Check that a stream is none of HTML, as a wrong path gives it.

    Raises:
        ModelError: if it is.
    """
    if "text/html" in headers.get("content-type", ""):
        raise ModelError(
            f"{endpoint.host} answers with a web page: check the base url, which often ends in /v1."
        )


def as_object(piece: object, endpoint: Endpoint) -> dict[str, Any]:
    """A piece of a stream as the server wrote it; the SDKs do not check its types.

    Raises:
        PassingFault: if it is no object.
    """
    to_dict = getattr(piece, "to_dict", None)
    if to_dict is None:
        raise PassingFault(f"{endpoint.host} sent something that is no part of a reply")
    value: dict[str, Any] = to_dict(warnings=False)
    return value


def is_transport(error: BaseException) -> bool:
    """Whether an error comes from the connection rather than from the server or from us."""
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] in _TRANSPORT


def _cause(error: BaseException) -> str:
    """The innermost words for a failed connection: the outer ones say nothing."""
    text = str(error)
    while error.__cause__ is not None:
        error = error.__cause__
        text = str(error) or text
    return text or type(error).__name__


def _refusal(error: Exception, endpoint: Endpoint) -> ModelError | PassingFault:
    body = body_of(error)
    status = _status(error, body)
    whole = said(error)
    detail = endpoint.quote(_message(error, body))
    host, model = endpoint.host, endpoint.model
    if is_overflow(error):
        return ContextOverflow(f"The conversation is too long for {model}: {detail}.")
    if status == 402 or _NO_FUNDS.search(whole):
        return ModelError(f"The account at {host} has no credit left: {detail}.")
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(whole)):
        return RefusedKey(f"{host} refuses the key in {endpoint.key_name}: {detail}.")
    if status is not None and _CANNOT.search(whole):
        return ModelError(f"{host} refuses the request ({status}): {detail}.")
    if status == 404 or (status in (400, 422) and _NO_MODEL.search(whole)):
        return UnknownModel(
            f"{host} does not know {model}: {detail}. Check the name and the base url."
        )
    if status is None or status in (408, 409, 425, 429) or status >= 500:
        words = "too many requests" if status == 429 else f"error {status or 'in the stream'}"
        return PassingFault(f"{words} from {host}: {detail}", asked_wait_s(error))
    return ModelError(f"{host} refuses the request ({status}): {detail}.")


def body_of(error: Exception) -> Mapping[str, Any]:
    """The `error` object of a body, or the body itself, or an empty object."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        body = body["error"]
    return body if isinstance(body, Mapping) else {}


def said(error: Exception) -> str:
    """Everything that a server said, to look for words in."""
    body = getattr(error, "body", None)
    return f"{error} {json.dumps(body, default=str) if body else ''}"


def status_of(error: Exception) -> int | None:
    """The HTTP status of a refusal, also of one inside a stream; None where nothing tells it."""
    return _status(error, body_of(error))


def _status(error: Exception, body: Mapping[str, Any]) -> int | None:
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return status
    for key in ("code", "status", "type"):
        value = body.get(key)
        if isinstance(value, (int, str)) and str(value).isdigit() and 400 <= int(value) < 600:
            return int(value)
        if isinstance(value, str) and value in _STATUS_OF_TYPE:
            return _STATUS_OF_TYPE[value]
    return None


def _message(error: Exception, body: Mapping[str, Any]) -> str:
    for key in ("message", "detail", "error", "msg"):
        if isinstance(body.get(key), str) and body[key].strip():
            return str(body[key])
    text = str(getattr(error, "message", "") or error)
    return "it sent a web page" if text.lstrip().startswith("<") else text


def is_overflow(error: Exception) -> bool:
    """Whether a refusal says that the conversation is too long."""
    status, whole = status_of(error), said(error)
    if status == 413:
        return True
    if status == 429:
        return bool(_TOO_LARGE_FOR_LIMIT.search(whole))
    return status not in (401, 402, 403, 404) and bool(_OVERFLOW.search(whole))


def asked_wait_s(error: Exception) -> float | None:
    """Seconds that a server asks to wait: `retry-after-ms`, `retry-after` as seconds or date."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return float(milliseconds) / 1000
        if after := headers.get("retry-after"):
            return _seconds(str(after))
    except ValueError:
        return None
    return None


def _seconds(after: str) -> float:
    try:
        return max(float(after), 0.0)
    except ValueError:
        moment = parsedate_to_datetime(after)
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max((zoned - datetime.now(UTC)).total_seconds(), 0.0)
