// SPDX-License-Identifier: MIT
// node tools/samples.mjs URL — prints the examples of the API page for every operation of the exchange at URL, as JSON:
// [{id, method, path, kind, signed, texts: {curl, Python, TypeScript, Go}}]. TypeScript has its types taken off too,
// as `JavaScript`. For tests/e2e/samples.py.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const origin = process.argv[2];
const scratch = mkdtempSync(join(tmpdir(), 'dojima-samples-'));

/** The page's own modules. */
async function load(name) {
  const outfile = join(scratch, `${name}.mjs`);
  await build({
    entryPoints: [join(folder, 'src/docs', `${name}.ts`)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  }).catch(() => process.exit(1));
  return import(pathToFileURL(outfile).href);
}

async function textsOf(samples, asked) {
  const texts = Object.fromEntries(
    samples.LANGUAGES.map((language) => [language, samples.sampleOf(language, asked, origin)]),
  );
  texts.JavaScript = (await transform(texts.TypeScript, { loader: 'ts', target: 'es2022' })).code;
  return texts;
}

try {
  const [contracts, requests, samples] = [
    await load('contract'),
    await load('request'),
    await load('samples/index'),
  ];
  const read = async (path) => (await fetch(origin + path)).json();
  const [contract, settings] = [await read('/openapi.json'), await read('/docs/settings.json')];
  const all = [];
  for (const endpoint of contracts.endpointsOf(contract)) {
    const filled = { ...requests.examplesOf(endpoint), chainId: settings.chainIds[0], keyName: '' };
    const asked = requests.askedOf(endpoint, filled);
    const { method, path } = endpoint;
    const texts = await textsOf(samples, asked);
    const what = { id: contracts.anchorOf(endpoint), method, path, kind: asked.kind };
    all.push({ ...what, signed: asked.signing?.as ?? '', texts });
    if (asked.signing?.as !== 'key') continue;
    const publicKey = `0x${String(all.length).padStart(40, '1')}`;
    const rights = { name: `rights-${all.length}`, publicKey, permissions: 1 };
    const body = JSON.stringify({ ...JSON.parse(filled.body), ...rights });
    const permissioned = requests.askedOf(endpoint, { ...filled, body });
    all.push({ ...what, signed: 'permissioned', texts: await textsOf(samples, permissioned) });
  }
  process.stdout.write(JSON.stringify(all));
} finally {
  rmSync(scratch, { recursive: true });
}
