# SPDX-License-Identifier: MIT
"""Everything that the chain node returns can be recomputed from its responses alone, and is the same after a restart
and after kill -9. RLP, hashes and signers here share no code with the program.
"""
import json
import time

import ecdsa

from harness import (BTC, BUY, IOC, SELL, Case, Connection, Folder, Server, compact, domain_separator, fresh_nonce,
                     keccak, main,
                     order, word)

GATEWAY = "0x" + "01" * 20
EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
FILL = "0x" + keccak(b"Fill(uint64,uint64,uint64,uint64,uint8,bool,uint64,uint64,int64,uint64)").hex()
TRANSFER = "0x" + keccak(b"Transfer(address,address,uint256)").hex()


# ---- RLP and hashes, from the definitions ----

def rlp(item):
    if isinstance(item, list):
        body = b"".join(rlp(part) for part in item)
        return head(0xc0, len(body)) + body
    if len(item) == 1 and item[0] < 0x80:
        return item
    return head(0x80, len(item)) + item


def head(base, size):
    if size < 56:
        return bytes([base + size])
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(length)]) + length


def quantity(text):
    """A hex quantity as RLP wants it: no leading zero bytes, 0 is empty."""
    assert text == hex(int(text, 16)), text
    number = int(text, 16)
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def data(text):
    return bytes.fromhex(text[2:])


def block_hash(block):
    fields = [data(block["parentHash"]), data(block["sha3Uncles"]), data(block["miner"]), data(block["stateRoot"]),
              data(block["transactionsRoot"]), data(block["receiptsRoot"]), data(block["logsBloom"]),
              quantity(block["difficulty"]),
              quantity(block["number"]), quantity(block["gasLimit"]), quantity(block["gasUsed"]),
              quantity(block["timestamp"]),
              data(block["extraData"]), data(block["mixHash"]), data(block["nonce"])]
    return "0x" + keccak(rlp(fields)).hex(), len(rlp(fields))


def transaction_hash(tx):
    fields = [quantity(tx["chainId"]), quantity(tx["nonce"]), data(tx["to"]), quantity(tx["value"]), data(tx["input"]),
              quantity(tx["domain"]), quantity(tx["yParity"]), quantity(tx["r"]), quantity(tx["s"])]
    return "0x" + keccak(bytes([int(tx["type"], 16)]) + rlp(fields)).hex()


def recover(digest, tx):
    curve = ecdsa.SECP256k1
    signature = word(int(tx["r"], 16)) + word(int(tx["s"], 16))
    keys = ecdsa.VerifyingKey.from_public_key_recovery_with_digest(signature, digest, curve,
        sigdecode=ecdsa.util.sigdecode_string)
    # Both candidates verify; the parity of the nonce point's y tells which one signed.
    r, s = int(tx["r"], 16), int(tx["s"], 16)
    z = int.from_bytes(digest, "big")
    for key in keys:
        point = key.pubkey.point
        inverse = pow(s, -1, curve.order)
        nonce_point = curve.generator * (z * inverse % curve.order) + point * (r * inverse % curve.order)
        if nonce_point.y() & 1 == int(tx["yParity"], 16):
            return "0x" + keccak(word(point.x()) + word(point.y()))[-20:].hex()
    return None


ACTION = keccak(b"ExchangeAction(bytes32 payloadHash,uint64 nonce)")
DOMAINS = {"0x0": "spot", "0x1": "futures", "0x2": "universal"}


def action_digest(tx):
    struct = keccak(ACTION + keccak(data(tx["input"])) + word(int(tx["nonce"], 16)))
    return keccak(b"\x19\x01" + domain_separator(DOMAINS[tx["domain"]], int(tx["chainId"], 16)) + struct)


class Node:
    def __init__(self, server):
        self.connection = Connection(server.port)

    def post(self, body):
        body = body if isinstance(body, bytes) else compact(body)
        return self.connection.send("POST", "/rpc", body, {"Content-Type": "application/json"})

    def ask(self, method, *params):
        reply = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        assert reply.status == 200 and "error" not in reply.json, reply
        return reply.json["result"]

    def error(self, method, *params):
        reply = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        assert reply.status == 200, reply
        return reply.json["error"]["code"]


class Chain(Case):
    def trade(self, server, rounds=8):
        """A few blocks with every possible content; returns the transaction hashes that were sent."""
        a, b = server.accounts()[:2]
        told = []
        for i in range(rounds):
            told.append(a.place(order(f"m{fresh_nonce()}", SELL, "100000", "0.2"),
                                order(f"n{fresh_nonce()}", SELL, "100001", "0.1")))
            told.append(b.place(order(f"t{fresh_nonce()}", BUY, "100001", "0.25")))
        # its one item is rejected
        told.append(b.place(order(f"x{fresh_nonce()}", BUY, "100", "0.0000001")))
        transfer = {"id": fresh_nonce(), "fromAccountID": a.id, "toAccountID": 999, "coinID": 0, "amount": "50",
                    "type": 2}
        told.append(a.write("POST", "/accounts/transfers", "transferAsset", transfer))
        told.append(a.write("POST", "/accounts/transfers", "transferAsset",
                            dict(transfer, id=fresh_nonce(), amount="7", type=3)))
        for reply in told:
            self.ok(reply)
        return told

    def check_transaction(self, tx, block, index):
        self.assertEqual((tx["blockHash"], tx["blockNumber"], tx["transactionIndex"], tx["blockTimestamp"]),
                         (block["hash"], block["number"], hex(index), block["timestamp"]))
        self.assertEqual(transaction_hash(tx), tx["hash"])
        for name in ("value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas"):
            self.assertEqual(tx[name], "0x0")
        self.assertEqual(tx["accessList"], [])
        self.assertEqual(tx["v"], tx["yParity"])
        if tx["type"] == "0x53":
            self.assertEqual(recover(action_digest(tx), tx), tx["from"])
            self.assertEqual(set(json.loads(data(tx["input"]))), {"type", "params"})
            self.assertTrue(int(tx["nonce"], 16) < 2 ** 53)
        else:
            self.assertEqual((tx["type"], tx["r"], tx["s"], tx["v"]), ("0x54", "0x0", "0x0", "0x0"))
            self.assertEqual(tx["from"], "0x" + "0" * 36 + "1004")
            json.loads(data(tx["input"]))

    def check_receipt(self, receipt, tx, logs):
        for mine, theirs in (("transactionHash", "hash"), ("blockHash",) * 2, ("blockNumber",) * 2,
                             ("transactionIndex",) * 2, ("from",) * 2, ("to",) * 2):
            self.assertEqual(receipt[mine], tx[theirs])
        self.assertIn(receipt["status"], ("0x0", "0x1"))
        self.assertEqual((receipt["gasUsed"], receipt["cumulativeGasUsed"], receipt["contractAddress"]),
                         ("0x0", "0x0", None))
        for log in receipt["logs"]:
            self.assertEqual((log["logIndex"], log["transactionHash"], log["blockHash"]),
                             (hex(logs), tx["hash"], tx["blockHash"]))
            self.assertIn(log["topics"][0], (FILL, TRANSFER))
            logs += 1
        return logs

    def walk(self, node):
        """The whole chain, every hash recomputed; the responses, to be compared with a later walk."""
        blocks, receipts, parent = [], [], "0x" + "0" * 64
        for number in range(int(node.ask("eth_blockNumber"), 16) + 1):
            block = node.ask("eth_getBlockByNumber", hex(number), True)
            self.assertEqual(block["number"], hex(number))
            self.assertEqual(block["parentHash"], parent)
            computed, size = block_hash(block)
            self.assertEqual((computed, hex(size)), (block["hash"], block["size"]))
            self.assertEqual(block["sha3Uncles"], NO_UNCLES)
            self.assertEqual(data(block["extraData"]), int(block["timestampMs"], 16).to_bytes(8, "big"))
            self.assertEqual(int(block["timestampMs"], 16) // 1000, int(block["timestamp"], 16))
            hashes, status, logs = b"", b"", 0
            for index, tx in enumerate(block["transactions"]):
                self.check_transaction(tx, block, index)
                receipt = node.ask("eth_getTransactionReceipt", tx["hash"])
                logs = self.check_receipt(receipt, tx, logs)
                receipts.append(receipt)
                hashes += data(tx["hash"])
                status += bytes([int(receipt["status"], 16)])
            roots = ("0x" + keccak(hashes).hex(), "0x" + keccak(status).hex()) if number else (EMPTY_TRIE, EMPTY_TRIE)
            self.assertEqual((block["transactionsRoot"], block["receiptsRoot"]), roots)
            blocks.append(block)
            parent = block["hash"]
        return blocks, receipts

    def test_a_chain_that_anybody_can_recompute_survives_restart_and_kill(self):
        with Folder() as folder:
            server = Server("--no-limits", data=folder)
            told = self.trade(server)
            node = Node(server)
            before = self.walk(node)
            for reply in told:
                tx = node.ask("eth_getTransactionByBlockNumberAndIndex", reply.chain["x-chain-block"],
                              reply.chain["x-chain-index"])
                self.assertEqual(tx["hash"], reply.chain["x-chain-tx"])
            self.assertEqual(before[0][0]["transactions"], [])
            self.assertEqual(len(before[1]), len(told))
            server.stop()
            server = Server("--no-limits", data=folder)
            self.assertEqual(self.walk(Node(server)), before)
            told += self.trade(server, 3)
            after = self.walk(Node(server))
            self.assertEqual(after[0][:len(before[0])], before[0])
            server.kill()
            server = Server("--no-limits", data=folder)
            self.assertEqual(self.walk(Node(server)), after)
            server.kill()
            with Server("--no-limits", data=folder) as server:
                self.assertEqual(self.walk(Node(server)), after)

    def test_receipts_tell_fills_and_movements(self):
        with Server("--no-limits") as server:
            node = Node(server)
            a, b = server.accounts()[:2]
            self.ok(a.place(order("m1", SELL, "100000", "0.2")))
            hit = b.place(order("t1", BUY, "100000", "0.1", tif=IOC))
            receipt = node.ask("eth_getTransactionReceipt", hit.chain["x-chain-tx"])
            self.assertEqual(receipt["status"], "0x1")
            maker, taker = receipt["logs"]
            self.assertEqual([int(topic, 16) for topic in maker["topics"][1:]],
                             [a.id, self.ok(a.mine("orders"))["orders"][0]["orderID"], 1])
            self.assertEqual(int(taker["topics"][1], 16), b.id)
            words = [int(taker["data"][2 + 64 * i:66 + 64 * i], 16) for i in range(7)]
            trade = self.ok(b.mine("trades"))[0]
            self.assertEqual(words[:5], [BTC, BUY, 0, 1000000, 10000])       # units of 0.1 and 0.00001
            self.assertEqual(words[5], round(float(trade["fee"]) * 10 ** 8))
            rejected = b.place(order("t1", BUY, "1", "0.1"))
            self.item_refused(rejected, 42204)
            receipt = node.ask("eth_getTransactionReceipt", rejected.chain["x-chain-tx"])
            self.assertEqual((receipt["status"], receipt["logs"]), ("0x0", []))
            moved = a.write("POST", "/accounts/transfers", "transferAsset",
                            {"id": 1, "fromAccountID": a.id, "toAccountID": 999, "coinID": 0, "amount": "50.5",
                             "type": 2})
            self.ok(moved)
            receipt = node.ask("eth_getTransactionReceipt", moved.chain["x-chain-tx"])
            self.assertEqual(receipt["to"], GATEWAY)
            self.assertEqual([receipt["logs"][0]["topics"], int(receipt["logs"][0]["data"], 16)],
                             [[TRANSFER, "0x" + "0" * 60 + "1001", "0x" + "0" * 24 + a.address[2:]], 50500000])
            self.assertEqual(node.ask("eth_getBalance", a.address, "latest"), hex(50500000 * 10 ** 12))
            self.assertEqual(node.ask("eth_getBalance", b.address), "0x0")
            self.assertEqual(node.ask("eth_getTransactionCount", b.address, "latest"), "0x2")

    def test_what_a_schedule_fires_is_a_transaction_of_the_system(self):
        with Server("--no-limits") as server:
            node = Node(server)
            a = server.accounts()[0]
            self.ok(a.place(order("m1", SELL, "100000", "0.2")))
            self.ok(a.schedule(int(time.time() * 1000) + 60000))
            node.ask("evm_increaseTime", 120)
            node.ask("evm_mine")
            self.assertEqual(self.ok(a.mine("orders"))["orders"], [])
            blocks, _ = self.walk(node)
            inputs = [data(tx["input"]) for block in blocks for tx in block["transactions"] if tx["type"] == "0x54"]
            self.assertTrue(any(text.startswith(b'{"type":"tick","params":{"time":') for text in inputs), inputs)

    def test_a_key_registration_names_its_typed_data(self):
        with Server("--no-limits") as server:
            node = Node(server)
            a = server.accounts()[0]
            nonce, key = fresh_nonce(), "0x" + "ab" * 20
            members = b"uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt"
            struct = keccak(keccak(b"AddAPIKey(" + members + b",uint64 nonce)") + word(a.id) + keccak(b"bot") + word(1)
                            + keccak(data(key))
                            + word(0) + word(nonce))
            r, s, v = a.wallet.sign_digest(keccak(b"\x19\x01" + domain_separator("universal", 286623) + struct))
            body = compact({"accountID": a.id, "name": "bot", "type": 1, "publicKey": key, "expiresAt": 0})
            reply = a.connection.send("POST", "/api/v1/spot/accounts/api-keys", body, {
                "Content-Type": "application/json", "X-API-Nonce": str(nonce),
                "X-API-Sign": "0x02" + (word(r) + word(s) + bytes([v])).hex()})
            self.ok(reply)
            tx = node.ask("eth_getTransactionByHash", reply.chain["x-chain-tx"])
            self.assertEqual((tx["typedData"], tx["domain"], tx["from"], tx["owner"]),
                             ("AddAPIKey", "0x2", a.address, a.address))
            self.assertEqual(transaction_hash(tx), tx["hash"])
            self.assertEqual(data(tx["input"]), b'{"type":"addAPIKey","params":' + body + b"}")

    def test_questions_that_cannot_be_answered(self):
        with Server("--no-limits") as server:
            node = Node(server)
            self.assertIsNone(node.ask("eth_getTransactionByBlockNumberAndIndex", "0x999", "0x0"))
            self.assertIsNone(node.ask("eth_getTransactionByBlockNumberAndIndex", "latest", "0x5"))
            for params in ([], ["latest"], [1, "0x0"], ["0x01", "0x0"], ["latest", "0x"], ["latest", 0],
                           ["newest", "0x0"], ["latest", "0x0", "0x0"]):
                self.assertEqual(node.error("eth_getTransactionByBlockNumberAndIndex", *params), -32602, params)
            for method in ("eth_call", "eth_sendRawTransaction", "eth_newFilter", "eth_getLogs", "rpc_modules", ""):
                self.assertEqual(node.error(method), -32601, method)
            for body in (b"", b"{", b"nonsense", b"[1", b'{"jsonrpc":"2.0",}', b"\xff"):
                self.assertEqual(node.post(body).json,
                                 {"jsonrpc": "2.0", "id": None, "error": node.post(body).json["error"]})
                self.assertEqual(node.post(body).json["error"]["code"], -32700, body)
            for body in (b"[]", b"1", b"{}", b'{"jsonrpc":"1.0","id":4,"method":"eth_chainId"}'):
                self.assertEqual(node.post(body).json["error"]["code"], -32600, body)
            self.assertEqual(node.post([{"jsonrpc": "2.0", "method": "eth_chainId"}]).status, 204)
            batch = [{"jsonrpc": "2.0", "id": i, "method": "eth_chainId"} for i in range(100)]
            self.assertEqual([answer["id"] for answer in node.post(batch).json], list(range(100)))
            self.assertEqual(node.post(batch + batch[:1]).json["error"]["code"], -32600)
            self.assertEqual(node.connection.send("GET", "/rpc").status, 405)

    def test_commands_in_a_batch_run_one_after_the_other(self):
        with Server("--no-limits") as server:
            node = Node(server)
            deposit = {"address": "0x" + "77" * 20, "coin": "vUSDC", "amount": "1"}
            batch = [{"jsonrpc": "2.0", "id": i, "method": "dojima_deposit", "params": [dict(deposit, id=f"d{i}")]}
                     for i in range(8)]
            before = int(node.ask("eth_blockNumber"), 16)
            reply = node.post(batch[:3] + [{"jsonrpc": "2.0", "id": "n", "method": "eth_blockNumber"}] + batch[3:])
            self.assertEqual([answer["id"] for answer in reply.json], [0, 1, 2, "n", 3, 4, 5, 6, 7])
            # reads see the effects of all commands
            self.assertEqual(int(reply.json[3]["result"], 16), before + 8)
            hashes = [answer["result"]["tx"] for answer in reply.json if answer["id"] != "n"]
            self.assertEqual(len(set(hashes)), 8)
            reply = node.post(batch + [dict(batch[0], id=9)])
            self.assertEqual(reply.json[8]["error"]["code"], -32600)
            self.assertTrue(all("result" in answer for answer in reply.json[:8]), reply)


if __name__ == "__main__":
    main()
