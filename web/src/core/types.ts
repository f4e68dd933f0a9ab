// SPDX-License-Identifier: MIT
// Records of the interface, of the package dojima.
export * from '../../../clients/typescript/src/types';
