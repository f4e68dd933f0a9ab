# SPDX-License-Identifier: MIT
"""Methods of the client: one for each endpoint, with its parameters, its type and what the interface says of it."""
from __future__ import annotations

import re

from .names import BY_HAND, GROUPS
from .records import HEAD, ITEM, docstring, hint, imported, wrapped

_FLOW = {"path": 0, "query": 1}


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("_id", "_id")


def _result(operation: dict) -> tuple[str, str]:
    """How an answer is read (`data`, `text` or `json`) and its type."""
    content = operation["responses"]["200"]["content"]
    if "application/json" not in content:
        return "text", "str"
    schema = content["application/json"]["schema"]
    if "oneOf" not in schema:
        return "json", "Any"
    data = schema["oneOf"][0]["properties"].get("data")
    return "data", hint(data) if data else "None"


def _read(path: str, operation: dict, name: str) -> list[str]:
    parameters = [one for one in operation.get("parameters", []) if one["in"] in _FLOW]
    kind, result = _result(operation)
    needed, optional, query, target = [], [], [], path
    for one in parameters:
        python = "user" if one["name"] == "userAddress" else snake(one["name"])
        typed = hint(one["schema"])
        if one["name"] == "userAddress":
            optional.insert(0, "user: Optional[str] = None")
            target = target.replace("{userAddress}", "{await self._session.user_of(user)}")
        elif one["in"] == "path":
            needed.append(f"{python}: {typed}")
            target = target.replace("{" + one["name"] + "}", "{quoted(" + python + ")}")
        else:
            (needed if one["required"] else optional).append(
                f"{python}: {typed}" if one["required"] else f"{python}: Optional[{typed}] = None")
            query.append(f'"{one["name"]}": {python}')
    arguments = ", ".join(["self", *needed, *(["*", *optional] if optional else [])])
    text = f'f"{target}"' if "{" in target else f'"{target}"'
    lines = ["", *_signature(name, arguments, result), *docstring(operation["summary"], " " * 8)]
    lines.append(f"        path = {text}")
    last = {"data": f"_{name}", "text": None, "json": None}[kind]
    call = f"path, {{{', '.join(query)}}}" + (f", {last}" if last else "")
    return lines + wrapped(f"return await self._session.{'read' if kind == 'data' else kind}({call})", " " * 8, 116)


def _signature(name: str, arguments: str, result: str) -> list[str]:
    line = f"    async def {name}({arguments}) -> {result}:"
    if len(line) <= 120:
        return [line]
    return [f"    async def {name}(", *wrapped(arguments + ",", " " * 8, 116), f"    ) -> {result}:"]


def _write(method: str, path: str, operation: dict, name: str, schemas: dict) -> list[str]:
    body = schemas[operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]]
    account = next((key for key in ("accountID", "fromAccountID") if key in body["properties"]), None)
    adds_key = operation["x-signed-as"] == "AddAPIKey"
    needed, optional, items = [], [], []
    for key, value in body["properties"].items():
        if value.get("deprecated"):
            continue
        python, typed = snake(key), hint(value, request=True)
        if typed == "Builder":          # answered "not supported"
            continue
        if key == account:
            items.append(f'"{key}": await self._session.account_of({python}'
                         + (", True)" if key in body["required"] or adds_key else ")"))
            optional.append(f"{python}: Optional[int] = None")
        else:
            (needed if key in body["required"] else optional).append(
                f"{python}: {typed}" if key in body["required"] else f"{python}: Optional[{typed}] = None")
            items.append(f'"{key}": maybe_amount({python})' if typed == "Amount" else f'"{key}": {python}')
    kind, result = _result(operation)
    arguments = ", ".join(["self", *needed, *(["*", *optional] if optional else [])])
    target = path.replace("{userAddress}", "{await self._session.user_of(None)}")
    text = f'f"{target}"' if "{" in target else f'"{target}"'
    lines = ["", *_signature(name, arguments, result), *docstring(operation["summary"], " " * 8), "        body = {"]
    lines += [f"            {item}," for item in items] + ["        }"]
    gateway = "{" in path
    domain = operation["x-signed-domain"]
    if operation["x-signed-type"] == "revokeAPIKey" and not gateway:
        domain = "spot" if "/spot/" in path else "futures"
    lines += [f"        path = {text}",
              f'        action = Action("{method}", path, "{operation["x-signed-type"]}", "{domain}")']
    if result == "None":
        return lines + ["        await self._session.write(action, body)"]
    return lines + [f"        return _{name}(await self._session.write(action, body))"]


def _group(group: str, names: dict, openapi: dict) -> list[str]:
    classes: list[str] = []
    decoders: list[str] = []
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            name = names.get((method.upper(), path))
            if not name:
                continue
            write = "requestBody" in operation
            make = (lambda: _write(method.upper(), path, operation, name, openapi["components"]["schemas"])) if write \
                else (lambda: _read(path, operation, name))
            classes += make()
            kind, result = _result(operation)
            if kind == "data" and result != "None":
                decoders.append(f"_{name} = decoder({result})")
    return decoders + ["", "", f"class Async{group}Endpoints(AsyncGroup):",
                       f'    """Endpoints of the group {group.lower()}, one method each."""'] + classes


def texts(openapi: dict) -> dict[str, str]:
    known = {key for names in GROUPS.values() for key in names} | set(BY_HAND)
    listed = {(method.upper(), path) for path, methods in openapi["paths"].items() for method in methods}
    assert listed == known, f"endpoints without a method: {sorted(listed - known)}; gone: {sorted(known - listed)}"
    found = {}
    for group, names in GROUPS.items():
        body = "\n".join(_group(group, names, openapi))
        answers = sorted({name for name in openapi["components"]["schemas"] if re.search(rf"\b{name}\b", body)}
                         - {"Level"})
        requests = sorted({word for word in re.findall(r"\b[A-Z]\w+\b", body)} & _request_names(openapi))
        typing = [name for name in ("Any", "List", "Literal", "Optional", "Sequence")
                  if re.search(rf"\b{name}\b", body)]
        lines = [HEAD + f'"""Endpoints of the group {group.lower()}."""', "from __future__ import annotations", ""]
        if typing:
            lines += [f"from typing import {', '.join(typing)}", ""]
        lines.append("from dojima._async.session import " + ", ".join(
            ["Action"] * ("Action(" in body) + ["AsyncGroup"] + ["quoted"] * ("quoted(" in body)))
        if "Amount" in body:
            lines.append("from dojima.amount import Amount" + ", maybe_amount" * ("maybe_amount(" in body))
        if answers:
            lines += imported("dojima.answers", answers)
        if requests:
            lines += imported("dojima.bodies", requests)
        if "decoder(" in body:
            lines.append("from dojima.record import decoder")
        found[f"{group.lower()}_endpoints.py"] = "\n".join(lines) + "\n\n" + body + "\n"
    return found


def _request_names(openapi: dict) -> set[str]:
    from .names import ENUMS
    from .records import public_name
    return set(ENUMS) | {public_name(name) for name in openapi["components"]["schemas"] if name.endswith(ITEM)}
