// SPDX-License-Identifier: MIT
// Signed writes of the page (package dojima), the last one kept for the signature inspector.
import type { AnyAction, Outcome, WriteOptions as AllOptions } from '../../../clients/typescript/src/write';
import { write as writeBy } from '../../../clients/typescript/src/write';
import { page } from './api';
import { exchangeClock } from './clock';
import { lastWrite } from './last-write';
import type { Signer } from './sign';

export { ACTIONS, type Action, type Outcome, type Place } from '../../../clients/typescript/src/write';

export type WriteOptions = Partial<AllOptions> & Pick<AllOptions, 'chainId'>;

/** Signs `body` and sends it; never executed twice. */
export const write = <T>(
  action: AnyAction,
  body: Readonly<Record<string, unknown>>,
  signer: Signer,
  options: WriteOptions,
): Promise<Outcome<T>> => {
  const onSend: AllOptions['onSend'] = (sent) => (lastWrite.value = sent);
  return writeBy<T>(action, body, signer, { transport: page, clock: exchangeClock, onSend, ...options });
};
