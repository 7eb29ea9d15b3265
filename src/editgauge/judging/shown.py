"""What would be sent to a judge, in words: for people who want to see it before they pay."""

from __future__ import annotations

from typing import Any

from editgauge.judging.asking import Engine
from editgauge.judging.chat import parameters
from editgauge.judging.protocol import Picture
from editgauge.judging.session import Session


def shown(session: Session) -> list[dict[str, Any]]:
    """The calls of the chosen samples in the first repeat: for each its sample, editor, call,
    rubric, parameters, and messages with texts in full and pictures by name and size.
    """
    session.todo.repeats = 1
    engine = session.todo.engine
    calls = []
    for job in session.todo.jobs(session.samples, session.edits, None):
        call = job.call
        sent = parameters(
            call,
            session.options.model,
            engine.dialect,
            max_tokens=engine.room(call),
            asking=engine.settings.asking,
        )
        sent["schema"] = call.schema()
        sent.pop("response_format", None)
        messages = [
            {
                "role": message.role,
                "parts": [
                    part if isinstance(part, str) else _picture(part, engine)
                    for part in message.parts
                ],
            }
            for message in call.chat()
        ]
        calls.append(
            {
                **job.about,
                "call": call.name,
                "rubric": call.rubric,
                "parameters": sent,
                "messages": messages,
            }
        )
    return calls


def _picture(picture: Picture, engine: Engine) -> str:
    pictures = engine.pictures
    size = " x ".join(map(str, pictures.size(picture)))
    changed = "" if pictures.as_it_is(picture, engine.dialect.webp) else ", as PNG"
    return f"[picture: {picture.name}, {picture.path.name}, {size}{changed}]"
