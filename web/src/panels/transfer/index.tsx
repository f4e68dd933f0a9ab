// SPDX-License-Identifier: MIT
export function Panel() {
  return null;
}
