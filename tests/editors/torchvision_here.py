"""Whether torchvision can be imported: its wheels fit one build of torch each, and there is none for
some machines.
"""

from __future__ import annotations

import pytest


def why_not() -> str:
    """Empty, or why the real processors cannot be made here."""
    try:
        import torchvision  # noqa: F401
    except Exception as error:  # not installed, or built for another torch
        return f"no torchvision fits the torch here ({type(error).__name__})"
    return ""


needed = pytest.mark.skipif(bool(why_not()), reason=why_not() or "torchvision is here")
