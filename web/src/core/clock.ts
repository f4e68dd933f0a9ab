// SPDX-License-Identifier: MIT
// The exchange's time, of the package dojima.
import { ExchangeClock } from '../../../clients/typescript/src/clock';

export { ExchangeClock };

/** The one of this page. */
export const exchangeClock = new ExchangeClock();
