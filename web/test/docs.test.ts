// SPDX-License-Identifier: MIT
// The API page: requests as they are shown and sent, examples as programs, and the key with rights, whose typed form
// only this page signs.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addKeyDigest, signDigest } from '../src/core/curve';
import { type Endpoint, type Operation, anchorOf, found, typeOf, wordsOf } from '../src/docs/contract';
import { askedOf, examplesOf, targetOf } from '../src/docs/request';
import { LANGUAGES, sampleOf } from '../src/docs/samples';

interface Vector {
  readonly primaryType?: string;
  readonly chainId: number;
  readonly digest: string;
  readonly xApiSign: string;
  readonly message: Record<string, string | number>;
}
const KEY = '0x0123456789012345678901234567890123456789012345678901234567890123';
const vectors = JSON.parse(readFileSync('../docs/spec/wire_vectors.json', 'utf8')) as Vector[];
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

const TRADES = '/api/v1/spot/markets/{symbol}/trades';

const endpoint = (more: Partial<Operation> = {}, method = 'GET', path = TRADES): Endpoint => ({
  method,
  path,
  operation: {
    operationId: 'spot GET /markets/{symbol}/trades',
    tags: ['spot'],
    summary: 'The newest trades of a symbol.',
    'x-weight': { weight: 20 },
    parameters: [
      { name: 'symbol', in: 'path', required: true, description: '', schema: {}, example: 'vBTC_vUSDC' },
      { name: 'limit', in: 'query', required: false, description: '', schema: {}, example: 5 },
      { name: 'X-API-Key', in: 'header', required: false, description: '', schema: {} },
    ],
    responses: {},
    ...more,
  },
});

const signed = (type: string, as: string, domain: string, body: unknown): Endpoint =>
  endpoint(
    {
      'x-signed-type': type,
      'x-signed-as': as,
      'x-signed-domain': domain,
      parameters: [],
      requestBody: { content: { 'application/json': { schema: {}, example: body } } },
    },
    'POST',
    '/api/v1/spot/trade/orders/batch',
  );

const filled = (at: Endpoint, keyName = '') => ({ ...examplesOf(at), chainId: 286623, keyName });

describe('a key with rights', () => {
  const of = (name: string) => vectors.filter((vector) => vector.primaryType === name);
  const both = [...of('AddAPIKey'), ...of('UserSignedAddPermissionedAPIKeyAction')];
  it.each(both)('is signed as the vector of $primaryType', (vector) => {
    const { message } = vector;
    const key = {
      accountID: Number(message['accountID']),
      name: String(message['name']),
      type: Number(message['keyType']),
      publicKey: String(message['publicKey']),
      expiresAt: Number(message['expiresAt']),
      ...(message['permissions'] === undefined ? {} : { permissions: Number(message['permissions']) }),
    };
    const digest = addKeyDigest(key, Number(message['nonce']), vector.chainId);
    expect(hex(digest)).toBe(vector.digest);
    expect(signDigest(digest, KEY, 2)).toBe(vector.xApiSign);
  });
  it('is in the vectors', () => expect(of('UserSignedAddPermissionedAPIKeyAction').length).toBeGreaterThan(0));
});

describe('a request', () => {
  it('has its parameters in path and query, and no empty one', () => {
    expect(targetOf(endpoint(), { symbol: 'a/b?c', limit: '' })).toBe('/api/v1/spot/markets/a%2Fb%3Fc/trades');
    expect(targetOf(endpoint(), { symbol: 'x', limit: '5&y=1' })).toBe('/api/v1/spot/markets/x/trades?limit=5%26y%3D1');
    expect(targetOf(endpoint(), { symbol: '$&' })).toBe('/api/v1/spot/markets/%24%26/trades');
  });
  it('begins with the examples of what is required', () => {
    expect(examplesOf(endpoint()).parameters).toEqual({ symbol: 'vBTC_vUSDC', limit: '', 'X-API-Key': '' });
  });
  it('sends the body without blanks, the text that is signed', () => {
    const asked = askedOf(signed('newOrder', 'ExchangeAction', 'futures', { a: [1, 'b c'] }), {
      ...filled(endpoint()),
      body: ' { "a" : [ 1, "b c" ] } ',
    });
    expect(asked.body).toBe('{"a":[1,"b c"]}');
    expect(asked.signing).toMatchObject({ as: 'action', domain: 'futures', type: 'newOrder' });
  });
  it('throws at a body that is none', () => {
    const at = signed('newOrder', 'ExchangeAction', 'futures', {});
    expect(() => askedOf(at, { ...filled(at), body: '{' })).toThrow();
  });
  it('chooses the typed form of a key by its rights', () => {
    const plain = signed('addAPIKey', 'AddAPIKey', 'universal', { name: 'a' });
    const rights = signed('addAPIKey', 'AddAPIKey', 'universal', { name: 'a', permissions: 1 });
    expect(askedOf(plain, filled(plain)).signing?.as).toBe('key');
    expect(askedOf(rights, filled(rights)).signing?.as).toBe('permissioned');
  });
});

describe('an example', () => {
  it('keeps quotes of a body inside its own', () => {
    const body = { name: `it's "quoted" \`so\` \\ $(touch x)` };
    const at = signed('newOrder', 'ExchangeAction', 'spot', body);
    const asked = askedOf(at, filled(at));
    const text = JSON.stringify(body);
    expect(sampleOf('curl', asked, 'http://127.0.0.1')).toContain(`BODY='${text.replaceAll("'", "'\\''")}'`);
    for (const language of ['Python', 'TypeScript', 'Go'] as const)
      expect(sampleOf(language, asked, 'http://127.0.0.1')).toContain(JSON.stringify(text));
  });
  it('never has the private key in it, and names the API key', () => {
    const at = signed('newOrder', 'ExchangeAction', 'spot', {});
    for (const language of LANGUAGES) {
      const text = sampleOf(language, askedOf(at, filled(at, 'bot-1')), 'http://127.0.0.1');
      expect(text).toContain('DOJIMA_PRIVATE_KEY');
      expect(text).toContain('bot-1');
    }
  });
});

describe('the contract', () => {
  it('is searched by words, all of which must be there', () => {
    const words = wordsOf(endpoint());
    expect(found(words, 'TRADES newest')).toBe(true);
    expect(found(words, 'trades oldest')).toBe(false);
    expect(found(words, '')).toBe(true);
  });
  it('says types in words', () => {
    expect(typeOf({ type: 'array', items: { $ref: '#/components/schemas/Trade' } })).toBe('array of Trade');
    expect(typeOf({ enum: [1, 2], 'x-enum-names': ['BUY', 'SELL'] })).toBe('1 = BUY, 2 = SELL');
    expect(typeOf({ type: 'integer', format: 'uint32', default: 500 })).toBe('uint32, 500 when absent');
  });
  it('gives each operation an anchor', () => expect(anchorOf(endpoint())).toBe('spot-GET-markets-symbol-trades'));
});
