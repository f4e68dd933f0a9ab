# SPDX-License-Identifier: MIT
"""python3 -m generate OPENAPI_JSON API_MD: writes what is generated of the package (run in clients/python).

With --check nothing is written, and the exit code is 1 when a file differs.
"""
from __future__ import annotations

import json
import pathlib
import sys

from . import endpoints, records, unasync

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "src" / "dojima"


def texts(openapi: dict, markdown: str) -> dict[pathlib.Path, str]:
    """Every generated file with its text."""
    found = {PACKAGE / name: text for name, text in records.texts(openapi, markdown).items()}
    for name, text in endpoints.texts(openapi).items():
        found[PACKAGE / "_async" / name] = text
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        text = found.get(source) or source.read_text()
        if unasync.HERE not in text:
            found[PACKAGE / "_sync" / source.name] = unasync.converted(text)
    return found


def main() -> int:
    check = "--check" in sys.argv
    openapi, markdown = [argument for argument in sys.argv[1:] if argument != "--check"]
    stale = []
    for path, text in texts(json.loads(pathlib.Path(openapi).read_text()), pathlib.Path(markdown).read_text()).items():
        if not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(PACKAGE)))
            if not check:
                path.write_text(text)
    print("\n".join(f"{'differs' if check else 'written'}: {name}" for name in stale))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
