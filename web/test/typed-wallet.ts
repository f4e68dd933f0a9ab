// SPDX-License-Identifier: MIT
// A wallet for tests: signs any typed data by the rules of EIP-712 itself, knowing nothing of the exchange, and refuses
// another chain than its own as the common wallets do.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { addressOf, signDigest } from '../src/core/curve';
import type { Provider } from '../src/state/wallet';

interface Member {
  name: string;
  type: string;
}

interface Typed {
  types: Record<string, Member[]>;
  primaryType: string;
  domain: Record<string, unknown>;
  message: Record<string, unknown>;
}

const hash = (text: string): Uint8Array => keccak_256(utf8ToBytes(text));
const word = (value: bigint): Uint8Array => hexToBytes(value.toString(16).padStart(64, '0'));

function encode(type: string, value: unknown): Uint8Array {
  if (type === 'string') return hash(String(value));
  if (type === 'bytes') return keccak_256(hexToBytes(String(value).slice(2)));
  return word(BigInt(value as string | number));
}

function structHash({ types }: Typed, name: string, data: Record<string, unknown>): Uint8Array {
  const members = types[name] ?? [];
  const head = `${name}(${members.map((one) => `${one.type} ${one.name}`).join(',')})`;
  return keccak_256(concatBytes(hash(head), ...members.map((one) => encode(one.type, data[one.name]))));
}

export interface TestWallet extends Provider {
  /** How often something was signed. */
  signed: number;
  declines: boolean;
}

export function testWallet(privateKey: string, chainId: number): TestWallet {
  const wallet: TestWallet = {
    signed: 0,
    declines: false,
    request({ method, params }) {
      if (method === 'eth_requestAccounts') return Promise.resolve([addressOf(privateKey)]);
      if (method === 'eth_chainId') return Promise.resolve(`0x${chainId.toString(16)}`);
      if (method !== 'eth_signTypedData_v4') return Promise.reject(new Error(`unknown method ${method}`));
      if (wallet.declines) return Promise.reject(Object.assign(new Error('User rejected'), { code: 4001 }));
      const typed = JSON.parse(String(params?.[1])) as Typed;
      if (Number(typed.domain['chainId']) !== chainId) return Promise.reject(new Error('another chain is active'));
      wallet.signed++;
      const domain = structHash(typed, 'EIP712Domain', typed.domain);
      const message = structHash(typed, typed.primaryType, typed.message);
      const digest = keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), domain, message));
      const signature = signDigest(digest, privateKey, 1).slice(4);
      const parity = Number(`0x${signature.slice(128)}`);
      return Promise.resolve(`0x${signature.slice(0, 128)}${bytesToHex(Uint8Array.of(27 + parity))}`);
    },
  };
  return wallet;
}
