// SPDX-License-Identifier: MIT
// The style of the sources, as far as a program can see it: prints each line at fault and fails.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const MOST_COLUMNS = 120;
const MOST_LINES = 300;

/** A pattern, why it is refused, and the files where it is allowed. */
const REFUSED = [
  [/innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write/, 'markup from data'],
  [/\beval\(|new Function\(/, 'code from data'],
  [/:\s*any\b|<any>|\bas any\b/, '`any` hides what a value is'],
  [/@ts-(ignore|nocheck|expect-error)/, 'a check that is turned off'],
  [/\b(TODO|FIXME|XXX)\b/, 'unfinished'],
  [/https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)[a-z]/i, 'a request to another place', /attribution|docs\//],
  [/parseFloat\(|\.toFixed\(/, 'a decimal as a float', /chart|drawing/],
  [/\bdebugger\b|console\.log/, 'left from debugging', /^tools\/|docs\/samples/],
];

/** What the files of a folder of src may import, besides their own folder and packages. */
const LAYERS = {
  core: /^src\/core\/|^\.\.\/clients\/typescript\/src\//,
  rules: /^src\/(core|rules)\/|^src\/ui\/i18n/,
  ui: /^src\/(core|ui)\//,
  state: /^src\/(core|rules|state)\/|^src\/ui\/i18n/,
  panels: /^src\/(core|rules|state|ui|panels)\//,
};

/** The imported files of a line, from the root of web/. */
const importsOf = (file, line) =>
  [...line.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map((match) => normalize(join(dirname(file), match[1])));

const files = ['src', 'test', 'tools']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
  .filter((name) => /\.(tsx?|mjs|css)$/.test(name) && name !== 'tools/style.mjs');

let faults = 0;
const fault = (where, why) => {
  faults++;
  console.error(`${where}: ${why}`);
};

for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (!/SPDX-License-Identifier: MIT/.test(lines[0] ?? '')) fault(`${file}:1`, 'the first line names the licence');
  const written = file.startsWith('src/spec/'); // by a program, in the package dojima
  if (lines.length > MOST_LINES + 1 && !file.endsWith('types.ts') && !written) fault(file, `more than ${MOST_LINES} lines`);
  lines.forEach((line, at) => {
    const where = `${file}:${at + 1}`;
    if (line.length > MOST_COLUMNS && !written) fault(where, `more than ${MOST_COLUMNS} columns`);
    if (/[ \t]+$/.test(line) || line.includes('\t')) fault(where, 'a tab or space at the end');
    const layer = LAYERS[file.split('/')[1]];
    for (const target of file.startsWith('src/') && layer ? importsOf(file, line) : [])
      if (!layer.test(target)) fault(where, `imports ${target}, which lies above it`);
    for (const [pattern, why, allowed] of REFUSED)
      if (pattern.test(line) && !(allowed && allowed.test(file))) fault(where, why);
  });
}
if (faults > 0) process.exit(1);
