// SPDX-License-Identifier: MIT
// The signer of the API page against vectors that other libraries made: node sign_test.mjs WIRE_VECTORS
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { actionDigest, addressOf, domainSeparator, grantDigest, keccak256, sha256, signDigest, signWrite, toHex, utf8 } from "../../src/api/rest/page/sign.mjs";

const KEY = "0x0123456789012345678901234567890123456789012345678901234567890123";

assert.equal(toHex(keccak256(utf8(""))), "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
assert.equal(toHex(keccak256(utf8("abc"))), "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
for (let length = 0; length < 300; length++) {
  const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
  assert.equal(toHex(sha256(bytes)), "0x" + createHash("sha256").update(bytes).digest("hex"));
}
assert.equal(addressOf(KEY), "0x14791697260e4c9a71f18484c9f997b308e59325");
assert.equal(addressOf("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"), "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
for (const bad of ["", "0x", "0x00", "0x" + "0".repeat(64), "0x" + "f".repeat(64), "0x" + "g".repeat(64), KEY + "00"]) assert.throws(() => addressOf(bad), Error);

const path = process.argv[2];
const vectors = JSON.parse(readFileSync(path, "utf8"));
let actions = 0, grants = 0;
for (const vector of vectors) {
  if (vector.json) {
    const { type } = JSON.parse(vector.json);
    const digest = actionDigest(vector.domain, vector.chainId, type, vector.body, vector.nonce);
    assert.equal(toHex(domainSeparator(vector.domain, vector.chainId)), vector.domainSeparator, vector.label);
    assert.equal(toHex(digest), vector.digest, vector.label);
    const operation = { "x-signed-type": type, "x-signed-domain": vector.domain, "x-signed-as": "ExchangeAction" };
    assert.equal(signWrite(operation, vector.chainId, vector.body, vector.nonce, KEY), vector.xApiSign, vector.label);
    actions++;
  } else if (["AddAPIKey", "UserSignedAddPermissionedAPIKeyAction"].includes(vector.primaryType)) {
    const message = vector.message;
    const body = JSON.stringify({ accountID: Number(message.accountID), name: message.name, type: message.keyType, publicKey: message.publicKey,
      expiresAt: Number(message.expiresAt), ...(message.permissions === undefined ? {} : { permissions: Number(message.permissions) }) });
    assert.equal(toHex(grantDigest(vector.chainId, body, message.nonce)), vector.digest, vector.label);
    grants++;
  }
  assert.equal(toHex(signDigest(Uint8Array.from(Buffer.from(vector.digest.slice(2), "hex")), KEY)).slice(2), vector.xApiSign.slice(4), vector.label);
}
assert.ok(actions >= 20 && grants === 2);
console.log(`page: ${vectors.length} vectors signed bit for bit`);
