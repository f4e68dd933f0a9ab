# SPDX-License-Identifier: MIT
"""What is up: of each node its parts, and what they say of themselves."""
import concurrent.futures
import json

import asking
import genesis
import lifecycle
import process


def exchange(node):
    """Role, term and position as /readyz tells them; None for what the exchange does not say. The age is that of a node
    that is not ready because it may be old (decision 162)."""
    status, answer = asking.get_json(node, "exchange", "/readyz")
    data, details = (answer.get(name) if isinstance(answer.get(name), dict) else {} for name in ("data", "details"))
    return {"ready": status == 200, "age": details.get("got") if status == 503 else None,
            "role": data.get("role"), "term": data.get("term"),
            "sequence": data.get("sequence"), "block": data.get("block"), "stateHash": data.get("stateHash"),
            "hashBlock": data.get("hashBlock"), "reason": answer.get("error")}


def postgres(node):
    status, answer = asking.get_json(node, "patroni", "/patroni")
    role = {"master": "primary"}.get(answer.get("role"), answer.get("role"))
    sync = bool(answer.get("sync_standby") or answer.get("quorum_standby"))
    return {"answers": status is not None, "role": role, "state": answer.get("state"),
            "timeline": answer.get("timeline"), "synchronous": sync}


def etcd(node):
    answer = asking.get_json(node, "etcd", "/health")[1]
    return {"healthy": str(answer.get("health")).lower() == "true"}


def state_of(processes, found):
    """What an exchange is; of a node without one its PostgreSQL. Only one that may be old says for how long."""
    own = processes.get("exchange", processes["postgres"])
    if processes.get("exchange") != "running":
        return own
    if found.get("ready"):
        return "ready"
    return f"may be old ({found['age']})" if found.get("age") else "starting"


def of_node(node):
    processes = {part: process.condition(node, part) for part in lifecycle.wanted(node.cluster)}
    up = {part: processes.get(part) == "running" for part in ("exchange", "postgres", "etcd")}
    found = exchange(node) if up["exchange"] else {}
    return {"name": node.name, "url": node.url(), "role": found.get("role"), "state": state_of(processes, found),
            "term": found.get("term"), "sequence": found.get("sequence"), "block": found.get("block"),
            "stateHash": found.get("stateHash"), "hashBlock": found.get("hashBlock"), "processes": processes,
            "postgres": {**(postgres(node) if up["postgres"] else {}), "at": node.at("postgres")},
            "etcd": {**(etcd(node) if up["etcd"] else {}), "at": node.at("etcd")}}


def collect(cluster):
    """Everything, as --json prints it."""
    with concurrent.futures.ThreadPoolExecutor(len(cluster.nodes)) as pool:
        nodes = list(pool.map(of_node, cluster.nodes))
    result = {"nodes": nodes, "accounts": genesis.accounts(cluster) if cluster.facts["exchanges"] else [],
              "network": cluster.facts.get("network"), "cuts": cluster.facts.get("cuts", [])}
    if "log" in cluster.facts:
        result["log"] = cluster.facts["log"]
    return result


def shown(value, width=0):
    return ("-" if value is None or value == "" else str(value)).ljust(width)


def table(cluster, found):
    rows = [("node", "url", "exchange", "role", "term", "sequence", "state hash", "postgres", "etcd")]
    for node in found["nodes"]:
        database = node["postgres"]
        role = " ".join(word for word in (database.get("role"), "(synchronous)" if database.get("synchronous") else "",
                                          database.get("state")) if word)
        hashed = node["stateHash"] and f"{node['stateHash'][:12]}… of block {node['hashBlock']}"
        rows.append((node["name"], node["url"], node["state"] if cluster.facts["exchanges"] else "not wanted",
                     node["role"], node["term"], node["sequence"], hashed,
                     role if node["processes"]["postgres"] == "running" else node["processes"]["postgres"],
                     "healthy" if node["etcd"].get("healthy") else
                     "unhealthy" if node["processes"]["etcd"] == "running" else node["processes"]["etcd"]))
    widths = [max(len(shown(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(shown(value, width) for value, width in zip(row, widths)).rstrip() for row in rows]
    if found["cuts"]:
        lines.append("cut: " + ", ".join(f"{a} -> {b}" for a, b in found["cuts"]))
    return "\n".join(lines)


def to_json(found):
    return json.dumps(found, ensure_ascii=False)
