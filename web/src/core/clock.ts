// SPDX-License-Identifier: MIT
// The exchange's time, of the package dojima.
import { BAD_NONCE, ExchangeClock } from '../../../clients/typescript/src/clock';

export { BAD_NONCE, ExchangeClock };

/** The one of this page. */
export const exchangeClock = new ExchangeClock();
