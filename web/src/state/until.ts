// SPDX-License-Identifier: MIT

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** Repeats an attempt, after longer and longer pauses, until it says that it has what it wants. */
export async function until(attempt: () => Promise<boolean>): Promise<void> {
  for (let pause = FIRST_PAUSE; !(await attempt()); pause = Math.min(LONGEST_PAUSE, pause * 2))
    await new Promise((resolve) => setTimeout(resolve, pause));
}
