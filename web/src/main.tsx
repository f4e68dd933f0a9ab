// SPDX-License-Identifier: MIT
// The entry of the terminal.
import '@preact/signals';
import { render } from 'preact';
import { loadMarkets } from './state/markets';
import { loadVenue } from './state/venue';
import { startKeys } from './ui/keys';
import { Layout } from './ui/layout';
import './ui/base.css';
import './ui/theme.css';

startKeys();
void loadVenue();
void loadMarkets();

const root = document.getElementById('terminal');
if (root) render(<Layout />, root);
