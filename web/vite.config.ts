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

/** Writes NAME.gz beside every file, when all of them are written: plugins of Vite change chunks until then. */
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

/** What the terminal needs at once besides its entry: the chart's library, and reads that every visit makes. */
const EARLY_CHUNK = /panels\/chart\/candle-chart/;
const EARLY_READS = ['/docs/settings.json', '/api/v1/perps/markets/symbols', '/api/v1/spot/markets/symbols'];

/** Lets the browser ask for these before it has read the entry. */
function early(): Plugin {
  return {
    name: 'early',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, path }) {
        if (path !== '/index.html') return html;
        const chunks = Object.values(bundle ?? {}).filter(
          (file) => file.type === 'chunk' && EARLY_CHUNK.test(file.facadeModuleId ?? ''),
        );
        const link = (attrs: Record<string, string | boolean>) => ({ tag: 'link', attrs, injectTo: 'head' as const });
        return [
          ...chunks.map((file) => link({ rel: 'modulepreload', crossorigin: true, href: `/${file.fileName}` })),
          ...EARLY_READS.map((href) => link({ rel: 'preload', as: 'fetch', crossorigin: true, href })),
        ];
      },
    },
  };
}

const served = { target: exchange, changeOrigin: true };

export default defineConfig({
  root: folder,
  plugins: [early(), compress()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    minify: 'terser', // 2.6 kB less for the first screen than esbuild
    terserOptions: { module: true, ecma: 2020, compress: true },
    outDir: 'dist',
    assetsInlineLimit: 0, // the content security policy allows no data: address
    manifest: true,
    modulePreload: { polyfill: false },
    rollupOptions: { input: pages.map((page) => resolve(folder, page)) },
  },
  server: {
    fs: { allow: [folder, resolve(folder, '../clients/typescript/src')] },
    proxy: {
      '/api': served,
      '/rpc': served,
      '/openapi.json': served,
      '/docs/settings.json': served,
      '/ws': { ...served, ws: true },
    },
  },
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    environment: 'node',
    setupFiles: ['test/setup.ts'],
  },
});
