// SPDX-License-Identifier: MIT
// The exchange class `dojima` of ccxt, kept outside of ccxt.
import ccxt from 'ccxt';
import { dojima } from './dojima.js';
import { dojima as streaming } from './streams.js';

/** The class with streams. */
export const pro = { dojima: streaming };

/** Adds the class to ccxt and ccxt.pro, for programs that look exchanges up by their name. */
export function register() {
  ccxt.dojima = dojima;
  ccxt.pro.dojima = streaming;
  if (!ccxt.exchanges.includes('dojima')) ccxt.exchanges.push('dojima');
}

export { dojima };
export default dojima;
