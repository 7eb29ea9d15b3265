"""One chat call to an OpenAI-compatible server: its words, its body, and what came back."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
import orjson

from editgauge.errors import UsageError
from editgauge.judging.protocol import Call
from editgauge.services.http import Http, Request, Response
from editgauge.services.paid import Outcome, decoded, failed
from editgauge.services.policy import at, objects
from editgauge.services.secrets import Secrets, address, key_for
from editgauge.types import JsonMapping, JsonObject

Form = Literal["json_schema", "tool", "json_object", "guided_json", ""]
_NEXT: Mapping[Form, Form] = {
    "json_schema": "json_object",  # OpenAI, Gemini, vLLM, SGLang, llama.cpp, Ollama, LM Studio
    "tool": "json_schema",  # Anthropic's compatible endpoint, which ignores ``response_format``
    "json_object": "guided_json",  # llama.cpp before 2025 reads its ``schema``; others send JSON
    "guided_json": "",  # vLLM before 0.6
}
_HOSTS: Mapping[str, Form] = {"api.anthropic.com": "tool"}
_OWN_TEMPERATURE = re.compile(r"(?:o\d|gpt-5)(?:-(?:mini|nano|pro|preview))?(?:-\d{4}-\d\d-\d\d)?")
"""OpenAI's models that take neither ``max_tokens`` nor a temperature, by its guide to reasoning
models: a batch that has them comes back a day later with every line refused.
"""
KEYWORDS = ("additionalProperties", "enum", "strict", "minimum", "maximum", "required")
_ABOUT_FORM = ("response_format", "json_", "schema", "grammar", "guided", "tool")


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How a server wants to be asked.

    `form` says how the schema goes ("": not at all), `dropped` without which keywords of it;
    `tokens_field` is the name of the token limit, and `temperature` False leaves it out. `proven`:
    a request was answered; `warm`: one with a temperature; `sure`: one with a schema. What was
    answered is not what a later request is refused for.
    """

    form: Form = "json_schema"
    dropped: tuple[str, ...] = ()
    tokens_field: str = "max_tokens"
    temperature: bool = True
    proven: bool = False
    warm: bool = False
    sure: bool = False

    @classmethod
    def of(cls, host: str, note: str | None = None, model: str = "") -> Dialect:
        """What was noted of a server, else what is known of its host and its model."""
        try:
            return msgspec.json.decode(note or "", type=cls)
        except msgspec.MsgspecError:
            form = _HOSTS.get(host, "json_schema")
        if _OWN_TEMPERATURE.fullmatch(model.lower().rpartition("/")[2]):
            return cls(form=form, tokens_field="max_completion_tokens", temperature=False)
        return cls(form=form)

    def asks_like(self, other: Dialect) -> bool:
        """Tell if requests in both are the same, whatever was answered so far."""
        return self.bare == other.bare

    @property
    def bare(self) -> Dialect:
        """The dialect without what was answered in it."""
        return msgspec.structs.replace(self, proven=False, warm=False, sure=False)

    def lacks(self, *, temperature: str = "", schema: bool = True) -> list[str]:
        """Return what requests in this dialect leave out, and what that costs, one phrase each.

        `temperature` is the one that the protocol declares, "" where it declares none; `schema`
        says that a schema is asked for.
        """
        phrases: list[str] = []
        if not schema:
            pass
        elif not self.form:
            phrases.append(
                "no JSON schema (the form of replies is asked for in words alone: more of them may "
                "be asked for again, or be unparsable)"
            )
        elif self.form in ("json_object", "guided_json"):
            phrases.append(
                f"no json_schema (it is asked for a {self.form}, which it may not keep to: more "
                f"replies may be asked for again)"
            )
        elif self.dropped:
            phrases.append(f"no {', '.join(self.dropped)} in a JSON schema")
        if not self.temperature and temperature:
            phrases.append(
                f"no temperature (it judges at its own, where {temperature} is declared: scores "
                f"vary more, and are not comparable with those at {temperature}; the table says so)"
            )
        return phrases

    @property
    def note(self) -> str:
        """As text, for the reply store."""
        return msgspec.json.encode(self, order="deterministic").decode()

    def asks_for(self, schema: JsonMapping | None) -> JsonObject:
        """The parameters of a request whose reply must have this schema."""
        if schema is None or not self.form:
            return {}
        schema = _without(schema, self.dropped)
        if self.form == "guided_json":
            return {"guided_json": schema}
        if self.form == "json_object":
            return {"response_format": {"type": "json_object", "schema": schema}}
        strict = {} if "strict" in self.dropped else {"strict": True}
        if self.form == "json_schema":
            named = {"name": "verdict", **strict, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        tool = {"name": "verdict", "parameters": schema, **strict}
        choice = {"type": "function", "function": {"name": "verdict"}}
        return {"tools": [{"type": "function", "function": tool}], "tool_choice": choice}

    def after(self, reason: str) -> Dialect | None:
        """The dialect to try after a request was turned down for this; None: for another reason."""
        text = reason.lower()
        renamed = "max_completion_tokens" in text and self.tokens_field == "max_tokens"
        if renamed and not self.proven:
            return msgspec.structs.replace(self, tokens_field="max_completion_tokens")
        if self.temperature and not self.warm and "temperature" in text:
            return msgspec.structs.replace(self, temperature=False)
        if self.sure:
            return None
        named = (word for word in KEYWORDS if re.search(rf"\b{word}\b", reason, re.IGNORECASE))
        refused = [word for word in named if word not in self.dropped]
        if self.form and refused:
            return msgspec.structs.replace(self, dropped=(*self.dropped, refused[0]))
        if self.form and any(word in text for word in _ABOUT_FORM):
            return msgspec.structs.replace(self, form=_NEXT[self.form], dropped=())
        return None


def _without(schema: Any, dropped: tuple[str, ...]) -> Any:
    """A schema without some keywords; an enumeration of numbers becomes a range."""
    if not isinstance(schema, Mapping):
        return schema
    kept = dict(schema)
    if "properties" in kept:
        inner = kept["properties"].items()
        kept["properties"] = {name: _without(part, dropped) for name, part in inner}
    if "enum" in dropped and (values := kept.get("enum")):
        kept |= {"minimum": min(values), "maximum": max(values)}
    return {name: part for name, part in kept.items() if name not in dropped}


DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_NAMES = ("EDITGAUGE_JUDGE_KEY", "OPENAI_API_KEY")
"""The first is for any server, the second for OpenAI's and that of ``OPENAI_BASE_URL``."""
_SLOT = "\u0000picture\u0000"
_SLOT_BYTES = orjson.dumps(_SLOT)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a judge's server, or why there is none; as it is stored.

    `status` is ``ok``, ``refused`` or ``failed``; `finish` ``length`` where it was cut off by its
    limit; `thought`: it holds thinking beside its content. `asked` and `answered` are model ids;
    `usage` the server's own counts; `request` what the call was about, never its text or pictures.
    """

    key: str = ""
    status: str = "failed"
    content: str | None = None
    reason: str = ""
    finish: str = ""
    thought: bool = False
    asked: str = ""
    answered: str = ""
    system_fingerprint: str = ""
    usage: JsonMapping = {}
    request: JsonMapping = {}
    seconds: float = 0.0
    cost: float | None = None


def messages(call: Call, repair: tuple[str, str] | None = None) -> list[JsonObject]:
    """The chat messages of a call, a slot for each picture; `repair`: a reply, an answer to it."""
    shown = {"type": "image_url", "image_url": {"url": _SLOT}}
    sent: list[JsonObject] = []
    for message in call.chat():
        parts = [
            {"type": "text", "text": part} if isinstance(part, str) else shown
            for part in message.parts
        ]
        sent.append({"role": message.role, "content": message.parts[0] if message.plain else parts})
    if repair is not None:
        sent.append({"role": "assistant", "content": repair[0]})
        sent.append({"role": "user", "content": repair[1]})
    return sent


def pieces(body: bytes, pictures: Sequence[bytes]) -> list[bytes]:
    """A body with the addresses of pictures in its slots; large pieces are shared, not copied."""
    texts = body.split(_SLOT_BYTES)
    if len(texts) != len(pictures) + 1:
        why = "a rubric or a text from the data holds the mark of a picture; remove NUL characters"
        raise UsageError(why)
    built = [texts[0]]
    for picture, text in zip(pictures, texts[1:], strict=True):
        built += [b'"', picture, b'"' + text]
    return built


class Client:
    """One server. `base_url` ends before ``/chat/completions``. The key is the environment's
    (`KEY_NAMES`) and appears in no message, log or file.
    """

    def __init__(
        self, base_url: str | None = None, *, timeout: float = 120.0, key: str | None = None
    ) -> None:
        own_base = os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        base = base_url or own_base
        self.address = address(base, argument="base_url")
        resolved = (
            key_for(base, [DEFAULT_BASE_URL, own_base], KEY_NAMES) if key is None else key.strip()
        )
        self.secrets = Secrets([resolved])
        headers = {"Authorization": f"Bearer {resolved}"} if resolved else {}
        self.http = Http(headers, self.secrets, timeout=timeout)
        self.host = urlsplit(self.address).netloc

    def close(self) -> None:
        self.http.close()

    def request(self, body: Sequence[bytes]) -> Request:
        headers = {"Content-Type": "application/json"}
        return Request(url=f"{self.address}/chat/completions", pieces=body, headers=headers)


Ask = Callable[[JsonObject], str]
"""Takes a chat request as the OpenAI interface has it and gives the reply's text. The request is a
`dict`, so that functions that are declared for a `dict` or for a `Mapping` both fit.
"""


class FunctionClient(Client):
    """Calls a user's `ask` in place of a server; what it raises is a failed call."""

    def __init__(self, ask: Ask) -> None:
        super().__init__("http://localhost/v1", key="")
        self.http = _Function(secrets=self.secrets)
        self.http.ask = ask
        self.host = f"function {getattr(ask, '__name__', type(ask).__name__)}"


class _Function(Http):
    ask: Ask

    def send(self, request: Request) -> Response:
        asked = orjson.loads(b"".join(request.pieces or ()))
        try:
            choice = {"message": {"content": self.ask(asked)}, "finish_reason": "stop"}
            value = {"model": str(asked.get("model", "")), "choices": [choice]}
            return Response(200, {}, orjson.dumps(value))
        except Exception as error:  # whatever a user's function raises is a call without a reply
            why = {"error": {"message": f"{type(error).__name__}: {error}"}}
            return Response(500, {}, orjson.dumps(why))


_FILTERED = ("content_filter", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "sensitive")
_CUT = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens")
_THOUGHT = ("reasoning_content", "reasoning", "thinking")


def read_completion(response: Response, secrets: Secrets) -> Outcome:
    """A successful HTTP answer as an outcome whose value is a `Reply`, whatever the habits of its
    server: HTML as 200, errors as 200, null choices. It counts until its bill is known.
    """
    value = decoded(response.data)
    if not isinstance(value, dict):
        start = secrets.line(response.data[:60].decode("utf-8", "replace"))
        return _again(f"HTTP 200 with something that is no JSON object: {start!r}", Reply())
    if value.get("error"):
        code = at(value, "error.code")  # routers pass on the status of whom they asked
        status = code if type(code) is int and 400 <= code < 600 else 502
        return failed(Response(status, response.headers, response.data), secrets)
    reply = _reply(value, secrets)
    if why := _refusal(value, reply, secrets):
        return Outcome(kind="refused", reason=why, value=reply, http=200, booked=True)
    if not at(value, "choices.0"):
        return _again("a reply without a choice", reply)
    if not (reply.content or "").strip() and reply.finish != "length":
        what = "only thinking, no answer" if reply.thought else "no text"
        return _again(f"an empty reply: {what}", reply)
    return Outcome(kind="ok", value=reply, http=200, booked=True)


def _reply(value: JsonMapping, secrets: Secrets) -> Reply:
    message, usage = at(value, "choices.0.message"), value.get("usage")
    calls = objects(at(message, "tool_calls"))
    called = len(calls) == 1 and at(calls, "0.function.name") == "verdict"
    finish, model, system = (
        secrets.line(str(at(value, place) or ""), 200)
        for place in ("choices.0.finish_reason", "model", "system_fingerprint")
    )
    return Reply(
        content=_text(at(message, "tool_calls.0.function.arguments" if called else "content")),
        thought=any(at(message, name) for name in _THOUGHT),
        finish="length" if finish in _CUT else finish,
        answered=model,
        system_fingerprint=system,
        usage=usage if isinstance(usage, dict) else {},
    )


def _refusal(value: JsonMapping, reply: Reply, secrets: Secrets) -> str:
    if why := secrets.line(str(at(value, "choices.0.message.refusal") or "")):
        return f"the model declined: {why}"
    if reply.finish in _FILTERED:
        return f"stopped by the content filter ({reply.finish})"
    blocked = value.get("promptFeedback") or value.get("prompt_feedback")
    return "the prompt was blocked" if blocked and not at(value, "choices.0") else ""


def _again(reason: str, reply: Reply) -> Outcome:
    return Outcome(kind="again", reason=reason, value=reply, http=200, booked=True, lost=True)


def _text(value: Any) -> str | None:
    if isinstance(value, list):  # parts, as some servers give them; thinking is one of them
        parts = (part for part in objects(value) if part.get("type") not in _THOUGHT)
        return "".join(str(part.get("text") or "") for part in parts)
    return value if isinstance(value, str) else None
