// SPDX-License-Identifier: MIT
// What the page tells: the status region (outcomes, read out by screen readers) and the list of notifications.
import { signal } from '@preact/signals-core';

export type Tone = 'plain' | 'good' | 'bad' | 'waiting';

export interface Notice {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
  /** Unix ms of the page's clock. */
  readonly time: number;
}

const MOST = 100;
let count = 0;

/** Newest first. */
export const notices = signal<readonly Notice[]>([]);

/** Says something in the status region and keeps it in the list. Text is shown as text, whatever it holds. */
export function tell(text: string, tone: Tone = 'plain'): Notice {
  const notice = { id: ++count, tone, text, time: Date.now() };
  notices.value = [notice, ...notices.value].slice(0, MOST);
  return notice;
}
