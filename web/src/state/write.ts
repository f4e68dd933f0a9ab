// SPDX-License-Identifier: MIT
// Signed writes of the present account. Components call this; core/write.ts finds out what became of them.
import { type Action, type Outcome, write as writeSigned } from '../core/write';
import { messages } from '../ui/i18n';
import { account } from './account';
import { tell } from './notices';
import { venue } from './venue';

const say = messages({
  signIn: { en: 'Choose an account first', ja: '先に口座を選んでください' },
  noChain: {
    en: 'The chain id of the exchange has not been read yet. Try again in a moment.',
    ja: '取引所のチェーンIDをまだ取得できていません。少し待ってからもう一度お試しください。',
  },
  uncertain: {
    en: 'No answer yet. Asking again what became of it…',
    ja: '応答がありません。結果を確認しています…',
  },
});

/** A client order id that no other page makes, of the interface's alphabet. */
export function newClientID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `t${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A number that rises with every call: `id` of transfers. */
let last = 0;
export const risingNumber = (): number => (last = Math.max(last + 1, Date.now()));

const refused = (error: string) => ({ kind: 'refused', code: -1, error, details: {} }) as const;

/**
 * Signs and sends; while a reply is uncertain the status region says so. Refused when nobody is signed in, and as long
 * as it is not known for which chain id to sign.
 */
export async function write<T>(
  action: Action,
  body: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Outcome<T>> {
  const signer = account.value?.signer;
  const chainId = venue.value?.chainIds[0];
  if (!signer) return refused(say.signIn());
  if (chainId === undefined) return refused(say.noChain());
  const onUncertain = (attempt: number) => {
    if (attempt === 1) tell(say.uncertain(), 'waiting');
  };
  return writeSigned<T>(action, body, signer, { chainId, onUncertain, signal });
}
