// SPDX-License-Identifier: MIT
// What differs between languages: hashing and signing with what ccxt brings.
import ccxt from 'ccxt';
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// ccxt does not export these parts; they are taken from where ccxt itself has them.
const near = createRequire(import.meta.resolve('ccxt'));
const load = (name) => import(pathToFileURL(near.resolve(name)).href);
const [{ secp256k1 }, { keccak_256 }] = await Promise.all([
  load('@noble/curves/secp256k1.js'),
  load('@noble/hashes/sha3.js'),
]);

/** Python's append for arrays and for ccxt's caches, which have an append of their own. */
export function appended(list, value) {
  if (typeof list.append === 'function') list.append(value);
  else list.push(value);
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');

export class Platform extends ccxt.Exchange {
  constructor(config = {}) {
    super(config);
    this.httpAgent ??= new Agent(); // ccxt wants one for ws:// addresses
  }

  /** Sends a read. */
  ask(path, params, cost) {
    return this.request(path, 'public', 'GET', params, undefined, undefined, { cost });
  }

  keccakText(text) {
    return hex(keccak_256(new TextEncoder().encode(text)));
  }

  keccakHex(text) {
    return hex(keccak_256(Buffer.from(text, 'hex')));
  }

  /** A number as 32 bytes in hex. */
  word(number) {
    return BigInt(number).toString(16).padStart(64, '0');
  }

  /** r, s and v over a digest, in hex; deterministic (RFC 6979), low s. */
  signDigest(digest, key) {
    const { r, s, v } = ccxt.ecdsa(digest, this.remove0xPrefix(key), secp256k1, undefined);
    return r.padStart(64, '0') + s.padStart(64, '0') + v.toString(16).padStart(2, '0');
  }

  messageOf(error) {
    return error.message;
  }

  reversed(rows) {
    return [...rows].reverse();
  }
}
