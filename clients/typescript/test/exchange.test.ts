// SPDX-License-Identifier: MIT
// Starting and ending: what goes wrong is told, and no process and no folder stays.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { ExchangeProcessError, NoBinary, findBinary, startExchange } from '../src/index.js';
import { Pool } from '../src/pool.js';
import { binary } from './binary.js';

const gone = async (what: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 400 && !what(); tries++) await new Promise((done) => setTimeout(done, 25));
  expect(what()).toBe(true);
};
const ended = (pid: number): boolean => !existsSync(`/proc/${pid}/fd/0`);

describe('the program', () => {
  test('is named by DOJIMA_BINARY, which must be one', () => {
    expect(findBinary({ DOJIMA_BINARY: process.execPath })).toBe(process.execPath);
    expect(() => findBinary({ DOJIMA_BINARY: '/nowhere/dojima' })).toThrow(/DOJIMA_BINARY=\/nowhere\/dojima/);
    expect(() => findBinary({ DOJIMA_BINARY: tmpdir() })).toThrow(/DOJIMA_BINARY=.*no program/);
  });
  test('that is a folder is told', async () => {
    await expect(startExchange({ binary: tmpdir() })).rejects.toBeInstanceOf(NoBinary);
  });
  test('that is another one is told, and ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dojima-test-'));
    const [file, number] = [join(folder, 'program'), join(folder, 'pid')];
    for (const line of ['{}', '[]', 'null', '{"url":"nowhere","data":"","chainIds":[],"accounts":[]}', 'hello']) {
      writeFileSync(file, `#!/bin/sh\necho $$ > ${number}\necho '${line}'\nexec sleep 600\n`, { mode: 0o755 });
      await expect(startExchange({ binary: file })).rejects.toThrow(/did not start: .*not that of an exchange/);
      await gone(() => ended(Number(readFileSync(number, 'utf8'))));
    }
    rmSync(folder, { recursive: true });
  });
  test('is in no package for another platform', () => {
    expect(() => findBinary({}, 'win32-x64')).toThrow(/no dojima for win32-x64.*DOJIMA_BINARY/);
    expect(() => findBinary({}, 'linux-arm64')).toThrow(/@dojima\/linux-arm64 is not installed/);
  });
  test('of another architecture is told', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dojima-test-'));
    const file = join(folder, 'program');
    // The header of an ELF program for s390x, and nothing behind it.
    const header = Buffer.alloc(64);
    header.set([0x7f, 0x45, 0x4c, 0x46, 2, 2, 1]);
    header.writeUInt16BE(22, 18);
    writeFileSync(file, header, { mode: 0o755 });
    const start = startExchange({ binary: file });
    await expect(start).rejects.toBeInstanceOf(NoBinary);
    await expect(start).rejects.toThrow(/architecture/);
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!binary)('an exchange', () => {
  test('says which port is taken', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const start = startExchange({ port });
    await expect(start).rejects.toBeInstanceOf(ExchangeProcessError);
    await expect(start).rejects.toThrow(new RegExp(`cannot listen on 127.0.0.1:${port}`));
    server.close();
  });

  test('says which option is wrong', async () => {
    await expect(startExchange({ clock: -1 })).rejects.toThrow(/--clock/);
  });

  test('two at once are two', async () => {
    const [one, other] = await Promise.all([startExchange(), startExchange()]);
    expect(one.url).not.toBe(other.url);
    await one.account().spot.buy({ symbol: 'vBTC_vUSDC', price: '99000', quantity: '0.1' });
    expect(await other.account().spot.openOrders()).toEqual([]);
    await Promise.all([one.stop(), other.stop()]);
    expect(existsSync(one.data) || existsSync(other.data)).toBe(false);
    expect(await one.ended).toBeUndefined();
  });

  test('that dies says so, and leaves no folder', async () => {
    const exchange = await startExchange();
    process.kill(exchange.pid, 'SIGKILL');
    expect(String(await exchange.ended)).toMatch(/was ended by SIGKILL/);
    expect(existsSync(exchange.data)).toBe(false);
    const late = exchange.client().spot.symbols();
    await expect(late).rejects.toMatchObject({ name: 'NoAnswer', message: expect.stringMatching(/ended by SIGKILL/) });
    await exchange.stop();
  });

  test('that dies under a write: the outcome is unknown, and nobody waits', async () => {
    const exchange = await startExchange();
    const account = exchange.account();
    await account.client.symbolID('spot', 'vBTC_vUSDC');
    await exchange.chaos({ fault: 'delay', path: 'trade/orders', ms: 3000 });
    const order = account.spot.buy({ symbol: 'vBTC_vUSDC', price: '99000', quantity: '0.1' });
    setTimeout(() => process.kill(exchange.pid, 'SIGKILL'), 100);
    await expect(order).rejects.toMatchObject({ name: 'OutcomeUnknown', message: expect.stringMatching(/SIGKILL/) });
    await exchange.stop();
  });

  test('ends with the process that started it, also by SIGKILL', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dojima-test-'));
    const program = resolve('test', 'node', 'parent.mjs');
    for (const how of ['SIGKILL', 'SIGTERM', 'exit'] as const) {
      const env = { ...process.env, TMPDIR: folder, HOW: how };
      const parent: ChildProcess = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const lines = createInterface({ input: parent.stdout as NodeJS.ReadableStream });
      const pid = Number(await new Promise<string>((done) => lines.once('line', done)));
      expect(pid).toBeGreaterThan(1);
      if (how !== 'exit') parent.kill(how);
      await gone(() => ended(pid) && readdirSync(folder).length === 0);
    }
    rmSync(folder, { recursive: true });
  });

  test('of a pool is fresh in milliseconds, and one more when two are wanted at once', async () => {
    const pool = new Pool();
    const times: number[] = [];
    const first = await pool.take();
    await first.exchange.chaos({ fault: '503' });
    first.release();
    for (let turn = 0; turn < 20; turn++) {
      const { exchange, took, started, release } = await pool.take();
      expect(started).toBe(false);
      const account = exchange.account();
      expect(await account.spot.openOrders()).toEqual([]);
      await account.spot.buy({ symbol: 'vBTC_vUSDC', price: '99000', quantity: '0.1' });
      times.push(took);
      release();
    }
    const [one, other] = await Promise.all([pool.take(), pool.take()]);
    expect(one.exchange.url).not.toBe(other.exchange.url);
    times.sort((a, b) => a - b);
    const tenths = (time = 0) => Math.round(time * 10) / 10;
    const [began, median, most] = [tenths(first.took), tenths(times[10]), tenths(times[19])];
    process.stdout.write(`fresh exchange: started ${began} ms; gone back median ${median}, at most ${most} ms\n`);
    await pool.close();
  });

  test('of a pool has nothing of the test before', async () => {
    const pool = new Pool({ clock: 0 });
    for (let turn = 0; turn < 3; turn++) {
      const { exchange, release } = await pool.take();
      const { accountID, address } = exchange.accounts[2]!;
      const order = { symbolID: 1, clOrdID: 'a', side: 1, type: 1, timeInForce: 1, price: '99000', quantity: '0.01' };
      const write = {
        method: 'POST',
        path: '/api/v1/spot/trade/orders/batch',
        headers: { 'X-Dojima-As': address },
        body: { accountID, orders: [order] },
      };
      const explained = () => exchange.call('dojima_explainOrder', write);
      const time = async () => (await exchange.client().gateway.time()).serverTime;
      const began = await time();
      await new Promise((done) => setTimeout(done, 30));
      expect(await time()).toBe(began);
      expect(await explained()).toMatchObject({ accepted: false });
      await exchange.setClock(100);
      await exchange.call('anvil_impersonateAccount', address);
      if (turn % 2) await exchange.call('anvil_autoImpersonateAccount', true);
      expect(await explained()).toMatchObject({ accepted: true });
      await exchange.call('dojima_scenarioStart', 'flash-crash');
      release();
    }
    await pool.close();
  });

  test('of a pool that dies is replaced', async () => {
    const pool = new Pool();
    const first = await pool.take();
    process.kill(first.exchange.pid, 'SIGKILL');
    await first.exchange.ended;
    first.release();
    const second = await pool.take();
    expect(await second.exchange.client().gateway.status()).toBeDefined();
    await pool.close();
  });

  test('of a pool that is killed in the last line of a test is replaced, too', async () => {
    const pool = new Pool();
    const first = await pool.take();
    process.kill(first.exchange.pid, 'SIGKILL');
    first.release();
    const second = await pool.take();
    expect(second.exchange.url).not.toBe(first.exchange.url);
    expect(await second.exchange.client().gateway.status()).toBeDefined();
    await pool.close();
  });
});
