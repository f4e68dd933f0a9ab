// SPDX-License-Identifier: MIT
// The last signed request of this page as it was sent, for the signature inspector of the developer drawer.
import { signal } from '@preact/signals-core';
import type { SentWrite } from '../../../clients/typescript/src/write';

export type { SentWrite } from '../../../clients/typescript/src/write';

/** Set by core/write before a request leaves; undefined before the first one. */
export const lastWrite = signal<SentWrite | undefined>(undefined);
