// SPDX-License-Identifier: MIT
// The last signed request of this page as it was sent, for the signature inspector of the developer drawer.
import { signal } from '@preact/signals-core';

export interface SentWrite {
  readonly method: string;
  /** The whole path, `/api/v1/…`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Set by core/write before a request leaves; undefined before the first one. */
export const lastWrite = signal<SentWrite | undefined>(undefined);
