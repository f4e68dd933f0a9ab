# SPDX-License-Identifier: MIT
"""python3 -m generate OPENAPI_JSON API_MD: writes what is generated of the package (run in clients/python).

With --check nothing is written, and the exit code is 1 when a file differs in more than its comments.
"""
from __future__ import annotations

import ast
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


def meaning(text: str) -> str:
    """A module without its comments and docstrings: an explanation may change without a change of the client."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [one for one in node.body
                         if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return ast.dump(tree)


def differs(path: pathlib.Path, text: str, check: bool) -> bool:
    """Whether the file has to be written again; with `check` whether its meaning is another."""
    if not path.exists():
        return True
    there = path.read_text()
    return there != text and not (check and meaning(there) == meaning(text))


def main() -> int:
    check = "--check" in sys.argv
    openapi, markdown = [argument for argument in sys.argv[1:] if argument != "--check"]
    stale = []
    for path, text in texts(json.loads(pathlib.Path(openapi).read_text()), pathlib.Path(markdown).read_text()).items():
        if differs(path, text, check):
            stale.append(str(path.relative_to(PACKAGE)))
            if not check:
                path.write_text(text)
    print("\n".join(f"{'differs' if check else 'written'}: {name}" for name in stale))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
