// SPDX-License-Identifier: MIT
// The entry of the terminal.
import '@preact/signals';
import { render } from 'preact';
import { Shell } from './shell/shell';
import { signInByDefault } from './state/account';
import { loadMarkets } from './state/markets';
import { startPortfolio } from './state/portfolio';
import { loadVenue } from './state/venue';
import { startKeys } from './ui/keys';
import './ui/base.css';
import './ui/theme.css';

startKeys();
startPortfolio();
void loadMarkets();
void loadVenue().then(signInByDefault);

const root = document.getElementById('terminal');
if (root) render(<Shell />, root);
