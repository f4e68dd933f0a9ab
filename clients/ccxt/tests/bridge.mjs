// SPDX-License-Identifier: MIT
// The JavaScript class, driven by a test in Python: one JSON object a line, {id, method, args} in, {id, result} or
// {id, error: {name, message}} out. The first line is the configuration of the exchange. It ends with its input.
import ccxt from 'ccxt';
import { pro } from 'dojima-ccxt';
import { createInterface } from 'node:readline';

const plain = (_key, value) => {
  if (typeof value === 'function') return value.name;
  return value === undefined ? null : value;
};
const say = (answer) => process.stdout.write(JSON.stringify(answer, plain) + '\n');
let exchange;

async function serve({ id, method, args }) {
  try {
    const given = args.map((argument) => argument ?? undefined);
    const result = method === 'ccxtVersion' ? ccxt.version : await exchange[method](...given);
    say({ id, result: result === undefined ? null : result });
  } catch (error) {
    say({ id, error: { name: error.constructor.name, message: error.message } });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    if (exchange === undefined) exchange = new pro.dojima(message);
    else serve(message);
  })
  .on('close', async () => {
    await exchange?.close();
    process.exit(0);
  });
