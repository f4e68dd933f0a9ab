// SPDX-License-Identifier: MIT
// Work for the screen, once per animation frame however many messages came.

const due = new Set<() => void>();
let asked = false;

function run(): void {
  asked = false;
  const now = [...due];
  due.clear();
  for (const work of now) work();
}

/** Runs `work` in the next frame; the same function is run once. A hidden page runs it when it is shown again. */
export function nextFrame(work: () => void): void {
  due.add(work);
  if (asked) return;
  asked = true;
  requestAnimationFrame(run);
}
