// SPDX-License-Identifier: MIT
// Who signs a write of this page. The curve and the hash are published libraries (curve.ts), loaded when a key is used
// first.
import type { Signer } from '../../../clients/typescript/src/sign';

export { type Domain, type Signer, type ToSign, readPrivateKey } from '../../../clients/typescript/src/sign';

const curve = () => import('./curve');

/** Loads the curve before it is needed, so that the first order does not wait for it. */
export const warmUp = (): Promise<void> => curve().then((module) => module.warmUp());

/** The address of a private key, lower case. Throws when the key is outside of the curve's order. */
export const addressOf = (privateKey: string): Promise<string> =>
  curve().then((module) => module.addressOf(privateKey));

/** A new key from the browser's random source. */
export const newPrivateKey = (): Promise<string> => curve().then((module) => module.newPrivateKey());

/** A signer with a key that this page has: the main wallet's, or with a name an API key's of this owner. */
export function localSigner(privateKey: string, owner: string, keyName?: string): Signer {
  return {
    owner: owner.toLowerCase(),
    keyName,
    sign: (request) => curve().then((module) => module.signAction(request, privateKey)),
  };
}
