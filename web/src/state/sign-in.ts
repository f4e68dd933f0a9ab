// SPDX-License-Identifier: MIT
// Signing in with a key that is pasted, or with a wallet of the browser; loaded with the dialog of accounts.
import { get } from '../core/api';
import { exchangeClock } from '../core/clock';
import { addressOf, localSigner, newPrivateKey, readPrivateKey } from '../core/sign';
import { messages } from '../ui/i18n';
import { type SignIn, account, choose, enter, failed } from './account';
import { tell } from './notices';
import { findKey, keepKey } from './vault';
import { venue } from './venue';
import { type Provider, addressOfWallet, approveKey, registeredKey } from './wallet';

const say = messages({
  notKey: { en: 'A private key has 64 hex digits', ja: '秘密鍵は16進数64桁です' },
  outside: { en: 'This number is not a key of the curve', ja: 'この数値は曲線の鍵ではありません' },
  noAccount: { en: 'The address {address} has no account here', ja: 'アドレス {address} の口座はありません' },
  noKey: { en: 'No API key of this name belongs to this key', ja: 'この名前のAPIキーはこの鍵と一致しません' },
  notAddress: { en: 'An address is 0x and 40 hex digits', ja: 'アドレスは0xと16進数40桁です' },
  unreachable: { en: 'The exchange did not answer: {error}', ja: '取引所から応答がありません: {error}' },
  declined: { en: 'The wallet declined', ja: 'ウォレットで拒否されました' },
  otherAccount: {
    en: 'The wallet has another account now. Orders still go out for {address}; connect the wallet again to change.',
    ja: 'ウォレットの口座が変わりました。注文は引き続き {address} で出されます。変更するには再接続してください。',
  },
  locked: {
    en: 'The wallet is locked or disconnected. Orders still go out for {address} until you sign out here.',
    ja: 'ウォレットがロックまたは切断されました。ここでサインアウトするまで注文は {address} で出されます。',
  },
  refused: { en: 'The key was not registered: {error}', ja: '鍵は登録されませんでした: {error}' },
  noChain: {
    en: 'the chain id of the exchange has not been read yet. Try again in a moment.',
    ja: '取引所のチェーンIDをまだ取得できていません。少し待ってからもう一度お試しください。',
  },
});

interface Subaccounts {
  readonly userID: number;
  readonly primaryAccountID: number;
}

/** The primary account of an address, or why there is none. */
async function accountOf(address: string): Promise<number | string> {
  const reply = await get<Subaccounts>(`/api/v1/user/${address}/subaccounts`);
  if (!reply.ok) return reply.status === 0 ? say.unreachable({ error: reply.error }) : reply.error;
  return reply.data.primaryAccountID === 0 ? say.noAccount({ address }) : reply.data.primaryAccountID;
}

/** A main wallet's key, or with a name and the owner's address an API key's. It stays in memory. */
export async function signInKey(text: string, apiKeyName = '', ownerText = ''): Promise<SignIn> {
  const mine = choose();
  const privateKey = readPrivateKey(text);
  if (privateKey === undefined) return failed(say.notKey());
  let address: string;
  try {
    address = await addressOf(privateKey);
  } catch {
    return failed(say.outside());
  }
  const owner = apiKeyName === '' ? address : ownerText.trim().toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(owner)) return failed(say.notAddress());
  const accountID = await accountOf(owner);
  if (typeof accountID === 'string') return failed(accountID);
  if (apiKeyName !== '' && !(await registeredKey(owner, apiKeyName, address))) return failed(say.noKey());
  const signer = localSigner(privateKey, owner, apiKeyName === '' ? undefined : apiKeyName);
  return enter(mine, { kind: 'pasted', accountID, address: owner, signer });
}

const KEY_DAYS = 30;
const MAY_NOT_WITHDRAW = 4;

/** A new key that the wallet approves, or why there is none. */
async function approvedKey(provider: Provider, owner: string, accountID: number) {
  const chainId = venue.value?.chainIds[0];
  if (chainId === undefined) return say.noChain();
  const privateKey = await newPrivateKey();
  const publicKey = await addressOf(privateKey);
  const name = `terminal-${publicKey.slice(2, 10)}`;
  const expiresAt = exchangeClock.now() + KEY_DAYS * 86_400_000;
  const request = { accountID, name, type: 1, publicKey, expiresAt, permissions: MAY_NOT_WITHDRAW } as const;
  const refusal = await approveKey(provider, owner, request, chainId);
  return refusal ?? { owner, accountID, name, privateKey, expiresAt };
}

/** Wallets whose events this page hears already. */
const heard = new WeakSet<Provider>();

/** The page signs by itself, so a wallet that changes its account changes nothing here: the page says so. */
function hearChanges(provider: Provider): void {
  if (heard.has(provider)) return;
  heard.add(provider);
  provider.on?.('accountsChanged', (value) => {
    const now = account.value;
    if (now?.kind !== 'wallet') return;
    const [first] = Array.isArray(value) ? (value as unknown[]) : [];
    if (typeof first === 'string' && first.toLowerCase() === now.address) return;
    tell((first === undefined ? say.locked : say.otherAccount)({ address: now.address }), 'bad');
  });
}

/** Finds the key that this wallet approved before, or lets it approve one. */
export async function signInWallet(provider: Provider): Promise<SignIn> {
  const mine = choose();
  try {
    const owner = await addressOfWallet(provider);
    const accountID = await accountOf(owner);
    if (typeof accountID === 'string') return failed(accountID);
    let key = await findKey(owner);
    const usable =
      key &&
      key.expiresAt > exchangeClock.now() &&
      (await registeredKey(owner, key.name, await addressOf(key.privateKey)));
    if (!key || !usable) {
      const fresh = await approvedKey(provider, owner, accountID);
      if (typeof fresh === 'string') return failed(say.refused({ error: fresh }));
      await keepKey(fresh);
      key = fresh;
    }
    const signer = localSigner(key.privateKey, owner, key.name);
    hearChanges(provider);
    return enter(mine, { kind: 'wallet', accountID, address: owner, signer });
  } catch (error) {
    const code = (error as { code?: number } | null)?.code;
    return failed(code === 4001 ? say.declined() : error instanceof Error ? error.message : say.declined());
  }
}
