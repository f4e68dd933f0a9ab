// SPDX-License-Identifier: MIT
// The entry of the terminal.
import './ui/theme.css';
import './ui/base.css';
import '@preact/signals';
import { render } from 'preact';
import { Shell } from './shell/shell';
import { signInByDefault } from './state/account';
import { loadMarkets } from './state/markets';
import { startPortfolio } from './state/portfolio';
import { loadVenue } from './state/venue';
import { startKeys } from './ui/keys';

startKeys();
startPortfolio();
void loadMarkets();
void loadVenue().then(signInByDefault);

const root = document.getElementById('terminal');
if (root) render(<Shell />, root);
