// SPDX-License-Identifier: MIT
// Exact decimals, of the package dojima.
export * from '../../../clients/typescript/src/decimal';
