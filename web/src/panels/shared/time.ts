// SPDX-License-Identifier: MIT
// Times of the exchange for tables, in the person's own time zone.

const two = (number: number): string => String(number).padStart(2, '0');

/** `18:04:05` of Unix ms, with `11-23` before it when that is not the day of `now`. */
export function dateTime(ms: number, now = Date.now()): string {
  const at = new Date(ms);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === new Date(now).toDateString()) return time;
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}
