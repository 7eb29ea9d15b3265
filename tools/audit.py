"""Look up known vulnerabilities of the packages of this environment with pip-audit.

Exit code 1: some are known. Without pip-audit or without a network nothing can be said: the reason
is printed, and the exit code is 0 (2 with ``--strict``, for a machine that must have both).
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

_OFFLINE = ("ConnectionError", "Max retries", "NameResolution", "ServiceError", "Failed to upgrade")


def main(strict: bool) -> int:
    if importlib.util.find_spec("pip_audit") is None:
        return skipped("pip-audit is not installed (pip install pip-audit)", strict)
    words = ["--progress-spinner", "off", "--skip-editable", "--timeout", "20"]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *words], capture_output=True, text=True, check=False
    )
    if done.returncode and any(word in done.stderr for word in _OFFLINE):
        return skipped("no vulnerability service can be reached from here", strict)
    print(done.stdout + done.stderr)
    return done.returncode


def skipped(reason: str, strict: bool) -> int:
    print(f"audit skipped: {reason}")
    return 2 if strict else 0


if __name__ == "__main__":
    sys.exit(main("--strict" in sys.argv[1:]))
