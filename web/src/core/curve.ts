// SPDX-License-Identifier: MIT
// Hashes and signatures of the interface (wire 3.1): EIP-712 by hand over keccak-256 and secp256k1 of published
// libraries. Bytes are Uint8Array, hex has 0x before it.
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import * as secp from '@noble/secp256k1';
import type { Domain, ToSign } from './sign';

secp.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);
secp.hashes.sha256 = sha256;

const hashText = (text: string): Uint8Array => keccak_256(utf8ToBytes(text));
const keyBytes = (privateKey: string): Uint8Array => hexToBytes(privateKey.replace(/^0x/, ''));

/** 32 bytes, big endian, of a whole number that is not negative. */
const word = (number: number | bigint): Uint8Array => hexToBytes(BigInt(number).toString(16).padStart(64, '0'));

const DOMAIN_TYPE = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const ACTION_TYPE = hashText('ExchangeAction(bytes32 payloadHash,uint64 nonce)');
const ADD_KEY_TYPE = hashText(
  'AddAPIKey(uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt,uint64 nonce)',
);
const ADD_PERMISSIONED_KEY_TYPE = hashText(
  'UserSignedAddPermissionedAPIKeyAction(uint64 chainID,uint64 nonce,uint64 accountID,string name,uint8 keyType,' +
    'bytes publicKey,uint64 expiresAt,uint64 permissions)',
);

function typedDigest(domain: Domain, chainId: number, struct: Uint8Array): Uint8Array {
  const separator = keccak_256(
    concatBytes(DOMAIN_TYPE, hashText(domain), hashText('1'), word(chainId), new Uint8Array(32)),
  );
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), separator, struct));
}

/** The digest of ExchangeAction over {"type":…,"params":<body>}. */
export function actionDigest(request: ToSign): Uint8Array {
  const payload = hashText(`{"type":"${request.type}","params":${request.body}}`);
  return typedDigest(
    request.domain,
    request.chainId,
    keccak_256(concatBytes(ACTION_TYPE, payload, word(request.nonce))),
  );
}

export interface NewKey {
  readonly accountID: number;
  readonly name: string;
  readonly type: number;
  readonly publicKey: string;
  readonly expiresAt: number;
  /** Rights of the key; with them it is signed in a form of its own. */
  readonly permissions?: number;
}

/** The digest of a new key (wire 3.5), which the main wallet signs in the domain `universal`. */
export function addKeyDigest(key: NewKey, nonce: number, chainId: number): Uint8Array {
  const members = [
    word(key.accountID),
    hashText(key.name),
    word(key.type),
    keccak_256(keyBytes(key.publicKey)),
    word(key.expiresAt),
  ];
  const struct =
    key.permissions === undefined
      ? concatBytes(ADD_KEY_TYPE, ...members, word(nonce))
      : concatBytes(ADD_PERMISSIONED_KEY_TYPE, word(chainId), word(nonce), ...members, word(key.permissions));
  return typedDigest('universal', chainId, keccak_256(struct));
}

export function addressOf(privateKey: string): string {
  const point = secp.getPublicKey(keyBytes(privateKey), false);
  return `0x${bytesToHex(keccak_256(point.slice(1)).slice(12))}`;
}

/** Type byte, r, s and the parity: 66 bytes in hex. Deterministic (RFC 6979), s in the lower half. */
export function signDigest(digest: Uint8Array, privateKey: string, typeByte: 1 | 2): string {
  const signed = secp.sign(digest, keyBytes(privateKey), { prehash: false, lowS: true, format: 'recovered' });
  const [recovery = 0] = signed;
  return `0x${bytesToHex(concatBytes(Uint8Array.of(typeByte), signed.slice(1), Uint8Array.of(recovery)))}`;
}

export const signAction = (request: ToSign, privateKey: string): string =>
  signDigest(actionDigest(request), privateKey, request.domain === 'universal' ? 2 : 1);

/** A private key from the browser's random source. */
export const newPrivateKey = (): string => `0x${bytesToHex(secp.utils.randomSecretKey())}`;

/** Computes the tables of the curve. */
export function warmUp(): void {
  signDigest(new Uint8Array(32).fill(1), `0x${'0'.repeat(63)}1`, 1);
}
