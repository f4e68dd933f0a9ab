// SPDX-License-Identifier: MIT
// Prints what the built terminal weighs in gzip: the first screen (the page, its entry and the panels that it shows at
// once) in sum, and every other file. Fails when the first screen is above the budget.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET = 110_000;
const AT_ONCE = ['src/panels/chart/candle-chart.tsx', 'src/panels/chart/candle-chart.ts'];

const manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8'));
const size = (name) => gzipSync(readFileSync(`dist/${name}`), { level: 9 }).length;

const first = new Set(['index.html']);
const other = new Set();

/** Adds the files of a part and of all that it imports at once. */
function collect(key, into, seen = new Set()) {
  const part = manifest[key];
  if (!part || seen.has(key)) return;
  seen.add(key);
  into.add(part.file);
  for (const style of part.css ?? []) into.add(style);
  for (const next of part.imports ?? []) collect(next, into, seen);
}

collect('index.html', first);
for (const key of AT_ONCE) collect(key, first);
for (const key of Object.keys(manifest)) collect(key, other);

const print = (names) => {
  let sum = 0;
  for (const name of [...names].sort((a, b) => size(b) - size(a))) {
    sum += size(name);
    console.log(`${String(size(name)).padStart(8)}  ${name}`);
  }
  return sum;
};

console.log('first screen');
const sum = print(first);
console.log(`${String(sum).padStart(8)}  of ${BUDGET}\nlater`);
print([...other].filter((name) => !first.has(name) && /\.(js|css)$/.test(name)));
if (sum > BUDGET) {
  console.error(`the first screen is ${sum - BUDGET} bytes above its budget`);
  process.exit(1);
}
