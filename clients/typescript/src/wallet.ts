// SPDX-License-Identifier: MIT
// Signers by viem: a private key, or anything of viem that signs typed data (wire 3).
import { keccak256, toBytes, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Signer, type ToSign, readPrivateKey } from './sign.js';

type Hex = `0x${string}`;

/** Typed data as viem's signTypedData takes it. */
export interface TypedData {
  readonly domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
  readonly types: Record<string, { name: string; type: string }[]>;
  readonly primaryType: string;
  readonly message: Record<string, unknown>;
}

/** An account of viem, or a wallet client bound to one. */
export interface TypedDataSigner {
  readonly address: string;
  signTypedData(data: TypedData): Promise<Hex>;
}

const member = (name: string, type: string) => ({ name, type });
const NEW_KEY = [
  member('accountID', 'uint64'),
  member('name', 'string'),
  member('keyType', 'uint8'),
  member('publicKey', 'bytes'),
  member('expiresAt', 'uint64'),
];

interface NewKey {
  readonly accountID?: number;
  readonly name: string;
  readonly type: number;
  readonly publicKey: string;
  readonly expiresAt: number;
  readonly permissions?: number;
}

/** Typed data of a new API key (wire 3.5); with rights it has a form of its own. */
function newKeyData({ body, nonce, chainId }: ToSign): Omit<TypedData, 'domain'> {
  const { accountID = 0, name, type, publicKey, expiresAt, permissions } = JSON.parse(body) as NewKey;
  const message = { accountID: BigInt(accountID), name, keyType: type, publicKey, expiresAt: BigInt(expiresAt) };
  if (permissions === undefined) {
    const types = { AddAPIKey: [...NEW_KEY, member('nonce', 'uint64')] };
    return { types, primaryType: 'AddAPIKey', message: { ...message, nonce: BigInt(nonce) } };
  }
  const primaryType = 'UserSignedAddPermissionedAPIKeyAction';
  const head = [member('chainID', 'uint64'), member('nonce', 'uint64')];
  const types = { [primaryType]: [...head, ...NEW_KEY, member('permissions', 'uint64')] };
  const rest = { chainID: BigInt(chainId), nonce: BigInt(nonce), permissions: BigInt(permissions) };
  return { types, primaryType, message: { ...message, ...rest } };
}

/** The typed data of a request: ExchangeAction over {"type":…,"params":<body>}, or that of a new key. */
export function typedDataOf(request: ToSign): TypedData {
  const { domain: name, type, body, nonce, chainId } = request;
  const domain = { name, version: '1', chainId, verifyingContract: zeroAddress };
  if (type === 'addAPIKey') return { domain, ...newKeyData(request) };
  return {
    domain,
    types: { ExchangeAction: [member('payloadHash', 'bytes32'), member('nonce', 'uint64')] },
    primaryType: 'ExchangeAction',
    message: { payloadHash: keccak256(toBytes(`{"type":"${type}","params":${body}}`)), nonce: BigInt(nonce) },
  };
}

/** An API key signs in the name of its owner. */
export interface KeyOf {
  readonly owner: string;
  readonly keyName: string;
}

/** A signer of what viem has; with `key` it is an API key of another wallet. */
export function walletSigner(wallet: TypedDataSigner, key?: KeyOf): Signer {
  return {
    owner: (key?.owner ?? wallet.address).toLowerCase(),
    keyName: key?.keyName,
    async sign(request) {
      const signature = await wallet.signTypedData(typedDataOf(request));
      if (!/^0x[0-9a-f]{130}$/i.test(signature)) throw new TypeError('the wallet gave no signature of 65 bytes');
      const parity = Number.parseInt(signature.slice(130), 16) % 27; // 27 and 28 of Ethereum are 0 and 1 here
      return `${request.domain === 'universal' ? '0x02' : '0x01'}${signature.slice(2, 130)}0${parity}`;
    },
  };
}

/** A signer with a private key: 64 hexadecimal digits, 0x or not. Throws TypeError when it is none. */
export function privateKeySigner(privateKey: string, key?: KeyOf): Signer {
  const read = readPrivateKey(privateKey);
  if (read === undefined) throw new TypeError('a private key is 64 hexadecimal digits');
  return walletSigner(privateKeyToAccount(read as Hex) as TypedDataSigner, key);
}

/** The address of a private key. */
export const addressOf = (privateKey: string): string => privateKeyToAccount(privateKey as Hex).address;

/** A new private key of the platform's random source. */
export const newPrivateKey = (): string => generatePrivateKey();
