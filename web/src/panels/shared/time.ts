// SPDX-License-Identifier: MIT
// Times of the exchange for tables, in the person's own time zone.

const two = (number: number): string => String(number).padStart(2, '0');

/** `11-23 18:04:05` of Unix ms. */
export function dateTime(ms: number): string {
  const at = new Date(ms);
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
