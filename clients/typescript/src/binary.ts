// SPDX-License-Identifier: MIT
// Where the program is: DOJIMA_BINARY, or the package of this platform.
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Platforms with a package of their own, and that package. */
export const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@dojima/linux-x64',
  'linux-arm64': '@dojima/linux-arm64',
};

/** Machines of ELF programs by their numbers. */
const MACHINES: Readonly<Record<number, string>> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' };

/** There is no program for this platform, or it cannot be executed. */
export class NoBinary extends Error {
  override readonly name = 'NoBinary';
}

const executable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** The path of the program; throws NoBinary. */
export function findBinary(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform = `${process.platform}-${process.arch}`,
): string {
  const given = env['DOJIMA_BINARY'];
  if (given !== undefined && given !== '') {
    if (executable(given)) return given;
    throw new NoBinary(`DOJIMA_BINARY=${given}: there is no program that can be executed`);
  }
  const name = PACKAGES[platform];
  if (name === undefined)
    throw new NoBinary(
      `there is no dojima for ${platform}, only for ${Object.keys(PACKAGES).join(' and ')}; ` +
        'build one from its sources and name it in DOJIMA_BINARY',
    );
  let path: string;
  try {
    path = createRequire(import.meta.url).resolve(`${name}/bin/dojima`);
  } catch {
    throw new NoBinary(
      `the package ${name} is not installed: install dojima with optional dependencies ` +
        '(npm install --include=optional), or name a program in DOJIMA_BINARY',
    );
  }
  if (executable(path)) return path;
  throw new NoBinary(`${path} cannot be executed: reinstall ${name}`);
}

/** The architecture that a program was made for, when it is another one than this; undefined when it may run here. */
export function foreignArchitecture(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.readUInt32BE(0) !== 0x7f454c46) return undefined; // no ELF program: perhaps a script
  const number = header[5] === 2 ? header.readUInt16BE(18) : header.readUInt16LE(18);
  const machine = MACHINES[number] ?? `machine ${number}`;
  return machine === process.arch ? undefined : machine;
}
