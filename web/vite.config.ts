// SPDX-License-Identifier: MIT
// How the terminal is built: every *.html of this folder is a page, and each file gets its gzip form beside it.
// `DOJIMA_URL=http://127.0.0.1:8080 npm run dev` serves the sources against a running exchange.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const folder = dirname(fileURLToPath(import.meta.url));
const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));
const exchange = process.env.DOJIMA_URL ?? 'http://127.0.0.1:8080';

/** Writes NAME.gz beside every file of the build, when all of them are written: plugins of Vite change chunks until then. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle(options, bundle) {
      for (const name of Object.keys(bundle)) {
        const file = resolve(options.dir ?? '', name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
      }
    },
  };
}

const served = { target: exchange, changeOrigin: true };

export default defineConfig({
  root: folder,
  plugins: [compress()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    outDir: 'dist',
    assetsInlineLimit: 0, // the content security policy allows no data: address
    manifest: true,
    modulePreload: { polyfill: false },
    rollupOptions: { input: pages.map((page) => resolve(folder, page)) },
  },
  server: {
    proxy: {
      '/api': served,
      '/rpc': served,
      '/openapi.json': served,
      '/docs/settings.json': served,
      '/ws': { ...served, ws: true },
    },
  },
  test: { include: ['test/**/*.test.ts', 'test/**/*.test.tsx'], environment: 'node' },
});
