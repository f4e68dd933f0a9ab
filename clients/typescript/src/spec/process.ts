// SPDX-License-Identifier: MIT
// Written by tools/generate.mjs from /openapi.json.
import { Endpoints } from '../endpoints.js';
import type { Health, Ready, Version } from './types.js';

export class ProcessEndpoints extends Endpoints {
  /** The process answers. `GET /healthz` */
  health(): Promise<Health> {
    return this.read('/healthz');
  }

  /** Replay is finished and the log is healthy; else status 503. `GET /readyz` */
  ready(): Promise<Ready> {
    return this.read('/readyz');
  }

  /** Which program this is. `GET /version` */
  version(): Promise<Version> {
    return this.read('/version');
  }

  /**
   * Numbers for Prometheus, each with a sentence (docs/METRICS.md); for the addresses of the setting metrics.
   * `GET /metrics`
   */
  metrics(): Promise<string> {
    return this.text('/metrics');
  }

  /** This contract as OpenAPI 3.1. `GET /openapi.json` */
  openapi(): Promise<unknown> {
    return this.plain('/openapi.json');
  }

  /** Chain ids; in development the accounts whose keys are public. `GET /docs/settings.json` */
  settings(): Promise<unknown> {
    return this.plain('/docs/settings.json');
  }
}
