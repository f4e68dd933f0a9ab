// SPDX-License-Identifier: MIT
// Two outside libraries read the chain: viem and ethers decode its blocks, transactions and receipts as they are.
// node chain_tour.mjs BANNER TX  — TX is the hash of a placement that traded. Run by chain_tour.py.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const modules = createRequire(`${process.env.E2E_CLIENTS}/package.json`);
const load = async (name) => import(pathToFileURL(modules.resolve(name)).href);
const viem = await load("viem");
const { ethers } = await load("ethers");

const [banner, hash] = [JSON.parse(process.argv[2]), process.argv[3]];
const account = banner.accounts[0].address;

/* ---- viem ---- */

const client = viem.createPublicClient({ transport: viem.http(banner.rpc, { batch: true }) });
const [chainId, head, block, tx, receipt, balance, count] = await Promise.all([
  client.getChainId(), client.getBlockNumber(), client.getBlock({ includeTransactions: true }),
  client.getTransaction({ hash }), client.getTransactionReceipt({ hash }), client.getBalance({ address: account }),
  client.getTransactionCount({ address: account }),
]);
assert.equal(chainId, banner.chainIds[0]);
assert.equal(block.number, head);
assert.equal(tx.typeHex, "0x53");
assert.equal(tx.blockNumber, receipt.blockNumber);
assert.equal(receipt.status, "success");
assert.equal(typeof balance, "bigint");
assert.ok(count > 0);
assert.equal(JSON.parse(viem.hexToString(tx.input)).type, "batchNewOrder");
const place = await client.getTransaction({ blockNumber: tx.blockNumber, index: tx.transactionIndex });
assert.equal(place.hash, hash);
assert.equal((await client.getTransaction({ blockHash: tx.blockHash, index: tx.transactionIndex })).hash, hash);
assert.equal((await client.getBlock({ blockHash: tx.blockHash })).hash, tx.blockHash);
assert.equal(await client.getBlockTransactionCount({ blockNumber: tx.blockNumber }), 1);

const fill = viem.parseAbiItem("event Fill(uint64 indexed accountID, uint64 indexed orderID, uint64 indexed tradeID, " +
  "uint64 symbolID, uint8 side, bool isMaker, uint64 price, uint64 quantity, int64 fee, uint64 feeCoinID)");
const fills = receipt.logs.map((log) => viem.decodeEventLog({ abi: [fill], data: log.data, topics: log.topics }).args);
assert.deepEqual(fills.map((one) => [one.symbolID, one.side, one.isMaker]), [[1n, 2, true], [1n, 1, false]]);

// The signer, recovered by viem from the node's response.
const domain = { name: "spot", version: "1", chainId: tx.chainId, verifyingContract: viem.zeroAddress };
const types = { ExchangeAction: [{ name: "payloadHash", type: "bytes32" }, { name: "nonce", type: "uint64" }] };
const message = { payloadHash: viem.keccak256(tx.input), nonce: BigInt(tx.nonce) };
const signature = viem.serializeSignature({ r: viem.pad(tx.r), s: viem.pad(tx.s), yParity: tx.yParity });
assert.equal((await viem.recoverTypedDataAddress({ domain, types, primaryType: "ExchangeAction", message, signature })).toLowerCase(), tx.from.toLowerCase());

// The hash, recomputed with viem's RLP.
const zero = (value) => (value ? viem.numberToHex(value) : "0x");
const raw = viem.concatHex(["0x53", viem.toRlp([zero(tx.chainId), zero(tx.nonce), tx.to, "0x", tx.input, zero(Number(tx.domain)),
  zero(tx.yParity), viem.trim(tx.r), viem.trim(tx.s)])]);
assert.equal(viem.keccak256(raw), hash);

await assert.rejects(client.call({ to: account, data: "0x" }), /not offered|does not exist|not available/);
await assert.rejects(client.getTransaction({ hash: viem.pad("0x1") }), viem.TransactionNotFoundError);

/* ---- ethers ---- */

const provider = new ethers.JsonRpcProvider(banner.rpc, undefined, { staticNetwork: true });
const network = await provider.getNetwork();
assert.equal(Number(network.chainId), banner.chainIds[0]);
assert.equal(BigInt(await provider.getBlockNumber()), head);
const told = await provider.getTransaction(hash);
assert.deepEqual([told.hash, told.type, told.nonce, told.from.toLowerCase(), told.to], [hash, 0x53, tx.nonce, tx.from.toLowerCase(), viem.getAddress(tx.to)]);
assert.equal(told.signature.r, viem.pad(tx.r));
const got = await provider.getTransactionReceipt(hash);
assert.deepEqual([got.status, got.logs.length, got.blockHash], [1, 2, tx.blockHash]);
const full = await provider.getBlock(Number(tx.blockNumber), true);
assert.equal(full.prefetchedTransactions[0].hash, hash);
assert.equal(full.parentHash, (await provider.getBlock(Number(tx.blockNumber) - 1)).hash);
assert.equal((await provider.getBlock(0)).transactions.length, 0);
assert.equal(await provider.getBalance(account), balance);
provider.destroy();
console.log("chain: viem and ethers decoded blocks, transactions and receipts");
