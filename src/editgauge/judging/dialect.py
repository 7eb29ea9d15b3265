"""What one server takes: found out with the first calls, kept with the replies, part of every key.
A refused form of the reply's JSON Schema gives way to the next, a refused keyword goes alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Form = Literal["json_schema", "tool", "json_object", "guided_json", ""]
_NEXT: Mapping[Form, Form] = {
    "json_schema": "json_object",  # OpenAI, Gemini, vLLM, SGLang, llama.cpp, Ollama, LM Studio
    "tool": "json_schema",  # Anthropic's compatible endpoint, which ignores ``response_format``
    "json_object": "guided_json",  # llama.cpp before 2025 reads its ``schema``; others send JSON
    "guided_json": "",  # vLLM before 0.6
}
_HOSTS: Mapping[str, Form] = {"api.anthropic.com": "tool"}
_KEYWORDS = ("additionalProperties", "enum", "strict")
_ABOUT_FORM = ("response_format", "json_schema", "json_object", "schema", "grammar", "guided",
               "tool")  # fmt: skip


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How the schema is sent ("": not at all), the keywords that it must do without, the name of
    the token limit, and whether a temperature is taken.
    """

    form: Form = "json_schema"
    dropped: tuple[str, ...] = ()
    tokens_field: str = "max_tokens"
    temperature: bool = True

    @classmethod
    def of(cls, host: str, note: str | None = None) -> Dialect:
        """What was noted of a server, else what is known of its host."""
        try:
            return msgspec.json.decode(note or "", type=cls)
        except msgspec.MsgspecError:
            return cls(form=_HOSTS.get(host, "json_schema"))

    @property
    def note(self) -> str:
        """As text, for the reply store."""
        return msgspec.json.encode(self, order="deterministic").decode()

    def asks_for(self, schema: Mapping[str, Any] | None) -> dict[str, Any]:
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
        if self.form:
            for word in _KEYWORDS:
                if word.lower() in text and word not in self.dropped:
                    return msgspec.structs.replace(self, dropped=(*self.dropped, word))
            if any(word in text for word in _ABOUT_FORM):
                return msgspec.structs.replace(self, form=_NEXT[self.form])
        if self.tokens_field == "max_tokens" and "max_completion_tokens" in text:
            return msgspec.structs.replace(self, tokens_field="max_completion_tokens")
        if self.temperature and "temperature" in text:
            return msgspec.structs.replace(self, temperature=False)
        return None


def _without(schema: Any, dropped: tuple[str, ...]) -> Any:
    """A schema without some keywords; an enumeration of numbers becomes a range."""
    if not isinstance(schema, Mapping):
        return schema
    kept = {name: part for name, part in schema.items() if name not in dropped}
    if "properties" in kept:
        inner = kept["properties"].items()
        kept["properties"] = {name: _without(part, dropped) for name, part in inner}
    if "enum" in schema and "enum" in dropped:
        kept |= {"minimum": min(schema["enum"]), "maximum": max(schema["enum"])}
    return kept
