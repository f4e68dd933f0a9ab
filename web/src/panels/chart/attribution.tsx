// SPDX-License-Identifier: MIT
// The notice and the link that the licence of the chart library asks for: "TradingView Lightweight Charts (TM),
// Copyright (c) 2025 TradingView, Inc. https://www.tradingview.com/". Nothing is fetched from there.
import { say } from './messages';

export function Attribution() {
  return (
    <a class="chart-attribution" href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
      {say.attribution()}
    </a>
  );
}
