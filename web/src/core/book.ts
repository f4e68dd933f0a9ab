// SPDX-License-Identifier: MIT
// The order book that a stream keeps, of the package dojima.
export * from '../../../clients/typescript/src/book';
