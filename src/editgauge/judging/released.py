"""What a released script sends to a judge, taken out of its source without running it.

The papers' prompts are other people's texts. They are not part of this package: a user fetches the
released scripts, and this module reads them with `ast`. Nothing in a script is executed or
imported. Three things are taken out:

- a string constant (`constant`), also one inside a dictionary, with its ``str.format`` fields;
- the messages that a function builds (`messages`): every dictionary display of the chat format, in
  source order, with the conditions and loops around it;
- the request's parameters (`parameters`): the constant keywords of the call to ``create``.

Every function raises `DataError` that names the script, what was looked for, and what is there.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from editgauge.errors import DataError

MAX_SOURCE = 4_000_000
"""Longest script that is read, in characters: a released script has some 30,000."""
Scalar = str | int | float | bool | None


class Field(NamedTuple):
    """A place in a text that a value goes into: the name of the script's variable."""

    name: str


Template = tuple[str | Field, ...]
"""A text in pieces: words as they are, and fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a message: a text, or a picture by the name of the script's variable.

    `when` are the conditions around it: a variable that must not be empty (None) or must have a
    value. `each` names what the script loops over around it, "" outside loops.
    """

    text: Template | None = None
    picture: str = ""
    mime: str = ""
    detail: str = ""
    """The ``detail`` that the script asks for, "" where it asks for none."""
    when: Mapping[str, Scalar] = field(default_factory=dict)
    each: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the chat: a role and its parts.

    A `plain` message has one text as its content, not a list of parts.
    """

    role: str
    parts: tuple[Part, ...]
    plain: bool = False


def parse(source: str, name: str) -> ast.Module:
    """The syntax tree of a script. Raises `DataError` when it is no Python or too long."""
    if len(source) > MAX_SOURCE:
        raise DataError(f"{name}: wanted a script of at most {MAX_SOURCE:,} characters")
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"{name}: cannot be read as Python ({error}); fetch it again") from error


def constant(tree: ast.Module, name: str, wanted: str, key: str = "") -> str:
    """The text of a constant at the top of a script, or of one entry of a dictionary there.

    Raises `DataError` naming the constants (or keys) that there are.
    """
    known: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            known |= {t.id: node.value for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            known[node.target.id] = node.value
    value = known.get(wanted)
    if value is None:
        raise _not_there(name, f"the constant {wanted}", known)
    if key:
        entries = _entries(value)
        if key not in entries:
            raise _not_there(name, f"{wanted}[{key!r}]", entries)
        value = entries[key]
    text = _template(value)
    if text is None or any(isinstance(piece, Field) for piece in text):
        raise DataError(f"{name}: {wanted}{f'[{key!r}]' if key else ''}: wanted a text constant")
    return "".join(str(piece) for piece in text)


def local_constant(tree: ast.Module, name: str, function: str, wanted: str) -> str:
    """The text of a constant inside a function. Raises `DataError` naming those that there are."""
    known = {
        target.id: node.value
        for node in ast.walk(_function(tree, name, function))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if wanted not in known:
        raise _not_there(name, f"the constant {wanted} in {function}()", known)
    text = _template(known[wanted])
    if text is None or any(isinstance(piece, Field) for piece in text):
        raise DataError(f"{name}: {wanted} in {function}(): wanted a text constant")
    return "".join(str(piece) for piece in text)


def format_fields(text: str, name: str) -> Template:
    """A text with ``str.format`` fields in pieces: doubled braces are single ones, as after
    ``format``. Raises `DataError` for a text that ``format`` would refuse.
    """
    pieces: list[str | Field] = []
    try:
        for words, label, spec, conversion in string.Formatter().parse(text):
            if words:
                pieces.append(words)
            if label is None:
                continue
            if not label.isidentifier() or spec or conversion:
                raise ValueError(f"the field {label!r} is not a plain name")
            pieces.append(Field(label))
    except ValueError as error:
        raise DataError(f"{name}: its fields cannot be read ({error})") from error
    return joined(pieces)


def is_formatted(tree: ast.Module, wanted: str) -> bool:
    """Whether the script calls ``wanted.format(…)``: else the text is sent as it is."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "format"
        and isinstance(node.value, ast.Name)
        and node.value.id == wanted
        for node in ast.walk(tree)
    )


def messages(tree: ast.Module, name: str, function: str) -> tuple[Message, ...]:
    """The messages that a function builds, in source order.

    A message whose content is a list that the function fills gets the parts that stand outside of
    any message. Raises `DataError` when the function is not there or builds no message.
    """
    collected = _Collector(name)
    collected.block(_function(tree, name, function).body)
    built = [m for m in collected.messages if m.parts or m.role == "user"]
    if not built:
        raise DataError(f"{name}: wanted chat messages in {function}(), but it builds none")
    loose = tuple(collected.loose)
    if loose:
        lists = [number for number, m in enumerate(built) if m.role == "user" and not m.plain]
        open_ = [number for number in lists if not built[number].parts] or lists[-1:]
        if len(open_) != 1:
            raise DataError(
                f"{name}: {function}(): wanted one message that takes its {len(loose)} parts, "
                f"but {len(open_)} could"
            )
        target = built[open_[0]]
        built[open_[0]] = replace(target, parts=(*target.parts, *loose))
    return tuple(message for message in built if message.parts)


def parameters(tree: ast.Module, name: str, function: str) -> dict[str, Scalar]:
    """The constant keywords of the function's call to ``….create(…)``, without model and messages.

    Raises `DataError` when the function does not call it.
    """
    for node in ast.walk(_function(tree, name, function)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "create"
        ):
            return {
                word.arg: word.value.value
                for word in node.keywords
                if word.arg not in (None, "model", "messages")
                and isinstance(word.value, ast.Constant)
                and isinstance(word.value.value, str | int | float | bool | None)
            }
    raise DataError(f"{name}: wanted a call to create(…) in {function}(), but there is none")


def filled(template: Template, values: Mapping[str, Template]) -> Template:
    """The template with some of its fields replaced by templates; other fields stay."""
    pieces: list[str | Field] = []
    for piece in template:
        if isinstance(piece, Field) and piece.name in values:
            pieces += values[piece.name]
        else:
            pieces.append(piece)
    return joined(pieces)


def joined(pieces: Sequence[str | Field]) -> Template:
    """The pieces with neighbouring words as one."""
    out: list[str | Field] = []
    for piece in pieces:
        if isinstance(piece, str) and out and not isinstance(out[-1], Field):
            out[-1] = f"{out[-1]}{piece}"
        elif piece != "":
            out.append(piece)
    return tuple(out)


# -- inside ----------------------------------------------------------------------------------------


def _not_there(name: str, wanted: str, known: Mapping[str, object]) -> DataError:
    there = ", ".join(sorted(known)[:20]) or "none"
    return DataError(
        f"{name}: looked for {wanted}, but the file has another shape (it has: {there}). "
        f"Fetch the pinned version, or give your own prompts with --prompts DIR"
    )


def _function(tree: ast.Module, name: str, wanted: str) -> ast.FunctionDef:
    known = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    if wanted not in known:
        raise _not_there(name, f"the function {wanted}()", known)
    return known[wanted]


def _entries(value: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(value, ast.Dict):
        return {}
    return {
        key.value: entry
        for key, entry in zip(value.keys, value.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _template(node: ast.expr) -> Template | None:
    """A string expression in pieces; None where it is anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,) if node.value else ()
    if isinstance(node, ast.Name):
        return (Field(node.id),)
    if isinstance(node, ast.JoinedStr):
        pieces: list[str | Field] = []
        for value in node.values:
            inner = value.value if isinstance(value, ast.FormattedValue) else value
            part = _template(inner)
            if part is None or (isinstance(value, ast.FormattedValue) and value.format_spec):
                return None
            pieces += part
        return joined(pieces)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _template(node.left), _template(node.right)
        return None if left is None or right is None else joined([*left, *right])
    return None


class _Collector:
    """Walks a function's statements in order and keeps messages and parts, with what is around
    them. Of two branches whose condition is not about a variable's value the first one that builds
    something counts: the scripts accept a picture as a path or as an object, and send the same.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.messages: list[Message] = []
        self.loose: list[Part] = []
        self._when: dict[str, Scalar] = {}
        self._each = ""

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self._branch(node)
        elif isinstance(node, ast.For):
            before, self._each = self._each, self._each or _looped_over(node.iter)
            self.block(node.body)
            self._each = before
        elif isinstance(node, ast.Try | ast.With | ast.While):
            self.block(node.body)
        else:
            for value in _displays(node):
                self._display(value)

    def _branch(self, node: ast.If) -> None:
        conditions = _conditions(node.test)
        before = (dict(self._when), len(self.messages), len(self.loose))
        if conditions is not None:
            self._when |= conditions
        self.block(node.body)
        self._when = before[0]
        if conditions is not None or (len(self.messages), len(self.loose)) == before[1:]:
            self.block(node.orelse)

    def _display(self, node: ast.Dict) -> None:
        entries = _entries(node)
        if "role" in entries:
            self._message(entries)
        elif "type" in entries:
            self.loose.append(self._part(entries))

    def _message(self, entries: Mapping[str, ast.expr]) -> None:
        role = entries["role"]
        if not isinstance(role, ast.Constant) or not isinstance(role.value, str):
            raise DataError(f"{self.name}: a message's role is no constant text")
        content = entries.get("content")
        if isinstance(content, ast.List):
            parts = tuple(
                self._part(_entries(item)) for item in content.elts if isinstance(item, ast.Dict)
            )
            self.messages.append(Message(role.value, parts))
            return
        text = _template(content) if content is not None else None
        if role.value == "user" and (isinstance(content, ast.Name) or text is None):
            self.messages.append(Message(role.value, ()))  # a list that the function fills
        elif text is not None:
            part = Part(text=text, when=dict(self._when), each=self._each)
            self.messages.append(Message(role.value, (part,), plain=True))

    def _part(self, entries: Mapping[str, ast.expr]) -> Part:
        around = {"when": dict(self._when), "each": self._each}
        if "text" in entries:
            text = _template(entries["text"])
            if text is None:
                raise DataError(f"{self.name}: a message's text is put together in an unknown way")
            return Part(text=text, **around)  # type: ignore[arg-type]
        address = _template(_entries(entries.get("image_url", ast.Dict([], []))).get("url"))  # type: ignore[arg-type]
        fields = [piece.name for piece in address or () if isinstance(piece, Field)]
        if address is None or len(fields) != 1 or not str(address[0]).startswith("data:"):
            raise DataError(f"{self.name}: a picture is sent in an unknown way")
        mime = str(address[0]).removeprefix("data:").partition(";")[0]
        detail = _entries(entries["image_url"]).get("detail")
        asked = detail.value if isinstance(detail, ast.Constant) else ""
        return Part(picture=fields[0], mime=mime, detail=str(asked), **around)  # type: ignore[arg-type]


def _displays(node: ast.AST) -> Iterator[ast.Dict]:
    """The outermost dictionary displays of a statement that are messages or parts, in order."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Dict) and {"role", "type"} & set(_entries(child)):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield from _displays(child)


def _looped_over(node: ast.expr) -> str:
    """The name of the sequence that a loop goes over; "" for a loop of attempts (``range``)."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    if "range" in names:
        return ""
    return next((name for name in names if name != "enumerate"), "")


def _conditions(test: ast.expr) -> dict[str, Scalar] | None:
    """``if a``, ``if a and b == "x"`` as conditions; None for any other test."""
    if isinstance(test, ast.Name):
        return {test.id: None}
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        found: dict[str, Scalar] = {}
        for part in test.values:
            inner = _conditions(part)
            if inner is None:
                return None
            found |= inner
        return found
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
    ):
        value = test.comparators[0].value
        return {test.left.id: value} if isinstance(value, str | int | float | bool) else None
    return None
