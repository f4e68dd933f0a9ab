// SPDX-License-Identifier: MIT
// Requests for dojima_explainSignature and dojima_explainOrder: the last one of this page, or a pasted one.
import type { SentWrite } from '../../core/last-write';

export interface Facts {
  accepted: boolean;
  type?: string;
  hashed?: string;
  payloadHash?: string;
  domain?: { name: string; version: string; chainId: number };
  digest?: string;
  nonce?: number;
  recovered?: string;
  expected?: { accountID?: number; address?: string };
  causes: string[];
  answer?: { code: number; error?: string; details?: unknown } | null;
}

export interface Trial {
  accepted: boolean;
  judge: 'request' | 'engine';
  answer: { code: number; error?: string; details?: unknown; data?: unknown };
  causes: string[];
}

/** The request that a text describes: JSON {method, path, headers, body}. Throws a sentence that says what is wrong. */
export function requestOf(text: string): SentWrite {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(
      '{"method":"POST","path":"/api/v1/…","headers":{"X-API-Sign":"0x01…","X-API-Nonce":"…"},"body":"{…}"}',
    );
  }
  return value as SentWrite;
}

/** The text of a request, as requestOf reads it. */
export function textOf(request: SentWrite): string {
  const { method, path, headers, body } = request;
  return JSON.stringify({ method, path, headers, body }, null, 2);
}

/** Facts as rows for a table, those that are there. */
export function rowsOf(facts: Facts): [name: string, value: string][] {
  const { domain, expected } = facts;
  const rows: [string, string | undefined][] = [
    ['type', facts.type],
    ['hashed', facts.hashed],
    ['payloadHash', facts.payloadHash],
    ['domain', domain && `${domain.name} ${domain.version}, chain ${domain.chainId}`],
    ['nonce', facts.nonce?.toString()],
    ['digest', facts.digest],
    ['recovered', facts.recovered],
    ['expected', expected && [expected.address, expected.accountID].filter(Boolean).join(', ')],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}
