// SPDX-License-Identifier: MIT
// What is typed or pasted into a box for a decimal.

/** Thousands in groups. `1,234` could be meant as 1.234, but the page, in both of its languages, writes 1234 so. */
const GROUPS = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/** Only what a decimal can begin with. A comma that groups no thousands stands for the point. */
export function typedDecimal(text: string): string {
  const kept = text.replace(/[^0-9.,\-]/g, '');
  return kept.replace(/,/g, GROUPS.test(kept) ? '' : '.');
}
