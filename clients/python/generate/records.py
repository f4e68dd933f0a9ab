# SPDX-License-Identifier: MIT
"""Types of the package: records of answers, bodies of requests, records of streams, enumerations and refusals."""
from __future__ import annotations

import keyword
import re
import textwrap

from .names import ENUMS, REFUSALS

HEAD = """# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""
BODY = "RequestBody"
ITEM = "Body"
_KINDS = {"string": "str", "integer": "int", "boolean": "bool", "number": "Decimal", "null": "None"}


def public_name(schema: str) -> str:
    """BatchNewOrderItemBody is NewSpotOrder and so on: the names of requests say what they are."""
    return {
        "BatchNewOrderItemBody": "NewSpotOrder", "BatchCancelOrderItemBody": "CancelSpotOrder",
        "PerpsOrderItemBody": "NewPerpsOrder", "PerpsCancelItemBody": "CancelPerpsOrder",
        "ReplaceParamsBody": "ReplaceOrder", "OraclePriceBody": "OraclePrice", "BuilderBody": "Builder",
    }.get(schema, schema)


def _enum(schema: dict) -> str:
    return next(name for name, values in ENUMS.items() if values == tuple(schema["x-enum-names"]))


def hint(schema: dict, request: bool = False) -> str:
    """The type of a schema as Python writes it."""
    if "$ref" in schema:
        return public_name(schema["$ref"].rsplit("/", 1)[1])
    if "anyOf" in schema:
        kinds = [hint(one, request) for one in schema["anyOf"]]
        return f"Optional[{kinds[0]}]" if kinds[1:] == ["None"] else f"Union[{', '.join(kinds)}]"
    kind = schema.get("type")
    if kind == "array":
        return f"{'Sequence' if request else 'List'}[{hint(schema['items'], request)}]"
    if schema.get("format") == "decimal":
        return "Amount" if request else "Decimal"
    if "x-enum-names" in schema:
        return _enum(schema)
    if kind == "string" and "enum" in schema:
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]".replace("'", '"')
    return _KINDS.get(kind, "Any") if isinstance(kind, str) else "Any"


def wrapped(text: str, indent: str, width: int = 118) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)


def docstring(text: str, indent: str) -> list[str]:
    text = text.replace("\\", "\\\\")
    lines = wrapped(f'"""{text}"""', indent)
    return lines


def record(name: str, schema: dict, request: bool = False) -> list[str]:
    """One dataclass. Keys that may be absent are None then; they stand behind the others, as dataclasses demand."""
    required = schema.get("required", [])
    lines = ["", "", "@dataclass(frozen=True)", f"class {name}{'(Body)' if request else '(Record)'}:"]
    lines += docstring(schema.get("description", name), "    ") + [""]
    properties = schema["properties"]
    if request and [key for key in properties if key in required] != list(properties)[:len(required)]:
        keys = ", ".join(f'"{key}"' for key in properties) + ","
        lines += ["    _order: ClassVar[Tuple[str, ...]] = (", *wrapped(keys, " " * 8), "    )", ""]
    for key in sorted(properties, key=lambda key: key not in required):
        assert not keyword.iskeyword(key), key
        value = properties[key]
        kind = hint(value, request)
        default = "" if key in required else " = None"
        if default and not kind.startswith("Optional") and kind != "Any":
            kind = f"Optional[{kind}]"
        lines += wrapped(value["description"], "    # ") if value.get("description") else []
        lines += long_line(f"    {key}: {kind}{default}")
    return lines


def long_line(line: str) -> list[str]:
    """A line within the columns; what is longer is a Literal that is broken at its commas."""
    if len(line) <= 120:
        return [line]
    head, rest = line.split("Literal[", 1)
    values, tail = rest.split("]", 1)
    return [head + "Literal[", *wrapped(values + ",", " " * 8, 116), "    ]" + tail]


# ---- records of streams: tables of docs/api.md

def _stream_schema(block: str) -> dict:
    """The schema that a table of docs/api.md says."""
    kinds = {"decimal string": {"type": "string", "format": "decimal"}, "number": {"type": "integer"},
             "integer": {"type": "integer"}, "string": {"type": "string"}, "bool": {"type": "boolean"}, "any": {}}
    properties, required = {}, []
    for key, kind, present, meaning in re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| (.*) \|$", block, re.M):
        item = kind.removeprefix("array of ").split(" ")[0]
        schema = dict(kinds[kind]) if kind in kinds else {"$ref": "#/" + item}
        if kind.startswith("array of "):
            schema = {"type": "array", "items": dict(kinds[item]) if item in kinds else {"$ref": "#/" + item}}
        if key == "P" and "percent" in meaning.lower() and kind == "number":
            schema = {"type": "number"}
        properties[key] = {**schema, "description": meaning.replace("\\|", "|")}
        if present == "always":
            required.append(key)
    description = block.strip().split("\n\n", 1)[0].replace("\n", " ")
    return {"description": description, "properties": properties, "required": required}


def stream_schemas(markdown: str, known: dict) -> dict[str, dict]:
    part = markdown.split("## Records\n", 1)[1].split("\n## Errors", 1)[0]
    blocks = re.split(r"^### (\w+)\n", part, flags=re.M)[1:]
    pairs = zip(blocks[::2], blocks[1::2])
    return {name: _stream_schema(block) for name, block in pairs if name not in known}


def channels(markdown: str) -> dict[str, tuple[str, str, bool]]:
    """Per channel the record on spot, the record on perps (empty where there is none) and whether it is an array."""
    part = markdown.split("## Streams", 1)[1].split("\n## ", 1)[0]
    found = {}
    for name, path, data in re.findall(r"^\| `(\w+)` \| (\w+) \|[^|]*\|[^|]*\| ([^|]+) \|", part, re.M):
        first = re.search(r"(?:array of )?(\w+)", data).group(1)
        perps = re.search(r"perps: (\w+)", data)
        spot = "" if path == "perps" else first
        found[name] = (spot, perps.group(1) if perps else first, data.startswith("array of"))
    return found


# ---- files

def imported(module: str, names: list[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 118:
        return [line]
    return [f"from {module} import (", *wrapped(", ".join(names) + ",", "    ", 116), ")"]


def _answers(schemas: dict) -> str:
    lines = [HEAD + '"""Records of answers, with the keys of the interface; a key that was left out is None."""',
             "from __future__ import annotations", "", "from dataclasses import dataclass",
             "from decimal import Decimal",
             "from typing import List, Literal, Optional, Union", "", "from dojima.record import Level, Record", "",
             "FundRefusal = str", "OrderID = int", "StatusText = str"]
    for name, schema in schemas.items():
        if schema.get("type") == "object" and not name.endswith(ITEM) and name not in ("RpcCall", "Error"):
            lines += record(name, schema)
    return "\n".join(lines) + "\n"


def _bodies(schemas: dict) -> str:
    lines = [HEAD + '"""Items of requests and enumerations. Amounts are Decimal, int or str; a float is refused."""',
             "from __future__ import annotations", "", "from dataclasses import dataclass", "from enum import IntEnum",
             "from typing import Any, ClassVar, Optional, Tuple", "", "from dojima.amount import Amount",
             "from dojima.record import Body"]
    seen = {}
    for schema in schemas.values():
        for value in schema.get("properties", {}).values():
            if "x-enum-names" in value:
                seen[_enum(value)] = dict(zip(value["x-enum-names"], value["enum"]))
    for name in ENUMS:
        lines += ["", "", f"class {name}(IntEnum):", f'    """{name} of requests."""', ""]
        lines += [f"    {key} = {number}" for key, number in seen[name].items()]
    for name, schema in schemas.items():
        if name.endswith(ITEM) and not name.endswith(BODY) and name != "BuilderBody":
            lines += record(public_name(name), schema, request=True)
    return "\n".join(lines) + "\n"


def _events(markdown: str, schemas: dict) -> str:
    found, rows = stream_schemas(markdown, schemas), channels(markdown)
    used = {name for row in rows.values() for name in row[:2] if name and name not in found}
    referred = set(re.findall(r"'\$ref': '#/(\w+)'", repr(found)))
    used = sorted(used | (referred - set(found) - {"Level"}))
    lines = [HEAD + '"""Records of streams, and the record of each channel."""',
             "from __future__ import annotations", "",
             "from dataclasses import dataclass", "from decimal import Decimal",
             "from typing import Dict, List, Optional, Tuple", "",
             *imported("dojima.answers", used), "from dojima.record import Level, Record"]
    for name, schema in found.items():
        lines += record(name, schema)
    lines += ["", "",
              "# Channel: the record on spot, on perps (None: no such channel there), whether a push is a list.",
              "CHANNELS: Dict[str, Tuple[Optional[type], Optional[type], bool]] = {"]
    lines += [f'    "{name}": ({spot or None}, {perps or None}, {many}),' for name, (spot, perps, many) in rows.items()]
    return "\n".join([*lines, "}"]) + "\n"


def _refusals(errors: list[dict]) -> str:
    lines = [HEAD + '"""One class for each code of the interface, so that a refusal can be caught by its kind."""',
             "from __future__ import annotations", "", "from typing import Dict, Type", "",
             "from dojima.errors import Refused"]
    by_code: dict[int, list[str]] = {}
    for row in errors:
        texts = by_code.setdefault(row["code"], [])
        if row["error"] not in texts:
            texts.append(row["error"])
    for code in sorted(by_code):
        text = f'{code}: {"; ".join(by_code[code])}.'
        lines += ["", "", f"class {REFUSALS[code]}(Refused):", *docstring(text, "    ")]
    lines += ["", "", "BY_CODE: Dict[int, Type[Refused]] = {"]
    lines += [f"    {code}: {REFUSALS[code]}," for code in sorted(by_code)]
    return "\n".join([*lines, "}"]) + "\n"


def texts(openapi: dict, markdown: str) -> dict[str, str]:
    schemas = openapi["components"]["schemas"]
    return {"answers.py": _answers(schemas), "bodies.py": _bodies(schemas), "events.py": _events(markdown, schemas),
            "refusals.py": _refusals(openapi["x-errors"])}
