// SPDX-License-Identifier: MIT
// The entry of the terminal.
import './ui/theme.css';
import './ui/base.css';
import '@preact/signals';
import { render } from 'preact';
import { Shell } from './shell/shell';
import { signInByDefault } from './state/account';
import { openBookEarly } from './state/book';
import { loadMarkets, nameInAddress } from './state/markets';
import { startPortfolio } from './state/portfolio';
import { streamOf } from './state/streams';
import { loadVenue } from './state/venue';
import { startKeys } from './ui/keys';

startKeys();
// The link and the book of the address's symbol first: everything else may come a moment later.
for (const engine of ['perps', 'spot'] as const) streamOf(engine);
const named = nameInAddress();
if (named !== undefined) openBookEarly(named.includes('_') ? 'spot' : 'perps', named);
startPortfolio();
void loadMarkets();
void loadVenue().then(signInByDefault);

const root = document.getElementById('terminal');
if (root) render(<Shell />, root);
