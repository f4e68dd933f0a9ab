// SPDX-License-Identifier: MIT
/** HH:MM:SS.mmm of engine time, in UTC like the exchange. */
export function clockTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

/** YYYY-MM-DD HH:MM:SS of engine time, in UTC. */
export function dateTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
