// SPDX-License-Identifier: MIT
// Starts an exchange, prints its process, and ends as HOW says. For test/exchange.test.ts, which has it built.
import { startExchange } from '../../dist/index.js';

const exchange = await startExchange();
process.stdout.write(`${exchange.pid}\n`);
if (process.env.HOW === 'exit') setTimeout(() => process.exit(0), 100);
