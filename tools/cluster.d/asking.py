# SPDX-License-Identifier: MIT
"""HTTP questions to the parts, each with a short time limit."""
import http.client
import json


def get(node, port, path, seconds=1.0):
    """(status, body) of a GET; (None, "") when there is no answer. No proxy is ever used."""
    connection = http.client.HTTPConnection(node.address, node.port(port), timeout=seconds)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return None, ""
    finally:
        connection.close()


def get_json(node, port, path, seconds=1.0):
    """(status, object); an answer that is not a JSON object counts as an empty one."""
    status, body = get(node, port, path, seconds)
    try:
        value = json.loads(body) if body else {}
    except ValueError:
        value = {}
    return status, value if isinstance(value, dict) else {}
