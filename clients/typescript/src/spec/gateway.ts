// SPDX-License-Identifier: MIT
// Written by tools/generate.mjs from /openapi.json.
import { Endpoints, type Executed, type WriteChoices } from '../endpoints.js';
import type {
  AddAPIKeyRequestBody,
  FeeRate,
  OraclePricesRequestBody,
  RevokeAPIKeyRequestBody,
  ServerTime,
  StatusText,
  Subaccounts,
  UserAPIKeys,
  UserStatus,
  UserTransactionQuota,
} from './types.js';

export class GatewayEndpoints extends Endpoints {
  /** Index prices of a registered feeder; they count from the next second on. `POST /api/v1/oracle` */
  oraclePrices(body: OraclePricesRequestBody, signature: string): Promise<undefined> {
    return this.post('/api/v1/oracle', body, signature);
  }

  /**
   * Registers an API key for both bases; the address in the path is the owner's. `POST
   * /api/v1/user/{userAddress}/api-keys`
   */
  addAPIKey(userAddress: string, body: AddAPIKeyRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'gateway',
      method: 'POST',
      path: `/user/${encodeURIComponent(userAddress)}/api-keys`,
      type: 'addAPIKey',
      domain: 'universal',
    } as const;
    return this.write(action, body, options);
  }

  /**
   * Revokes an API key on both bases; the address in the path is the owner's. `DELETE
   * /api/v1/user/{userAddress}/api-keys`
   */
  revokeAPIKey(
    userAddress: string,
    body: RevokeAPIKeyRequestBody,
    options?: WriteChoices,
  ): Promise<Executed<undefined>> {
    const action = {
      engine: 'gateway',
      method: 'DELETE',
      path: `/user/${encodeURIComponent(userAddress)}/api-keys`,
      type: 'revokeAPIKey',
      domain: 'universal',
    } as const;
    return this.write(action, body, options);
  }

  /** API keys of all accounts of the user or of one, all or one by name. `GET /api/v1/user/{userAddress}/api-keys` */
  apiKeys(userAddress: string, query: { accountID?: number; name?: string } = {}): Promise<UserAPIKeys> {
    return this.read(`/api/v1/user/${encodeURIComponent(userAddress)}/api-keys`, query);
  }

  /** Engine time. `GET /api/v1/time` */
  time(): Promise<ServerTime> {
    return this.read('/api/v1/time');
  }

  /** The exchange answers. `GET /api/v1/status` */
  status(): Promise<StatusText> {
    return this.read('/api/v1/status');
  }

  /** Whether the address is a user. `GET /api/v1/user/{userAddress}/status` */
  userStatus(userAddress: string): Promise<UserStatus> {
    return this.read(`/api/v1/user/${encodeURIComponent(userAddress)}/status`);
  }

  /** Accounts of the user. `GET /api/v1/user/{userAddress}/subaccounts` */
  subaccounts(userAddress: string): Promise<Subaccounts> {
    return this.read(`/api/v1/user/${encodeURIComponent(userAddress)}/subaccounts`);
  }

  /**
   * Fee rates of the user on a market; with a symbol, those that hold there. `GET
   * /api/v1/user/{userAddress}/fee-rate`
   */
  feeRate(userAddress: string, query: { market?: 'spot' | 'perps'; symbol?: string } = {}): Promise<FeeRate> {
    return this.read(`/api/v1/user/${encodeURIComponent(userAddress)}/fee-rate`, query);
  }

  /** What the user did so far, and that no quota limits it. `GET /api/v1/user/{userAddress}/ratelimit` */
  rateLimit(userAddress: string): Promise<UserTransactionQuota> {
    return this.read(`/api/v1/user/${encodeURIComponent(userAddress)}/ratelimit`);
  }
}
