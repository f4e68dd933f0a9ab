// SPDX-License-Identifier: MIT
import { Exchange } from 'ccxt';

export class dojima extends Exchange {}
export const pro: { dojima: typeof dojima };
export function register(): void;
export default dojima;
