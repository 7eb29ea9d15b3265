"""Look up known vulnerabilities of the packages of this environment with pip-audit.

Exit code 1: some are known. What was not looked up is named, and is never called sound: without
pip-audit, without a network, or for packages that the service does not know (a mirror in between),
the reason is printed, and the exit code is 0 (2 with ``--strict``, for a machine that must tell).
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import Any

_OFFLINE = ("ConnectionError", "Max retries", "NameResolution", "ServiceError", "Failed to upgrade")


def main(strict: bool) -> int:
    if importlib.util.find_spec("pip_audit") is None:
        return skipped("pip-audit is not installed (pip install pip-audit)", strict)
    words = ["--progress-spinner", "off", "--skip-editable", "--timeout", "20", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *words], capture_output=True, text=True, check=False
    )
    if done.returncode and any(word in done.stderr for word in _OFFLINE):
        return skipped("no vulnerability service can be reached from here", strict)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        print(done.stdout + done.stderr)
        return done.returncode or 2
    return told(found, strict)


def told(found: list[dict[str, Any]], strict: bool) -> int:
    """Print what pip-audit says of each package, but of ourselves; the exit code."""
    found = [one for one in found if "editable" not in str(one.get("skip_reason"))]
    bad = [(one, fault) for one in found for fault in one.get("vulns") or ()]
    unseen = sorted(one["name"] for one in found if "vulns" not in one)
    for one, fault in bad:
        fixed = ", ".join(fault.get("fix_versions") or ()) or "no version yet"
        print(f"{one['name']} {one.get('version', '')}: {fault.get('id')}; mended in {fixed}")
    print(f"{len(found) - len(unseen)} packages looked up, {len(bad)} vulnerabilities known")
    if bad:
        return 1
    if unseen or not found:
        names = ", ".join(unseen[:8]) + (", …" if len(unseen) > 8 else "")
        return skipped(f"{len(unseen)} packages could not be looked up: {names}", strict)
    return 0


def skipped(reason: str, strict: bool) -> int:
    print(f"audit skipped: {reason}")
    return 2 if strict else 0


if __name__ == "__main__":
    sys.exit(main("--strict" in sys.argv[1:]))
