// SPDX-License-Identifier: MIT
// /openapi.json as far as the page reads it, and what it says of an operation, a parameter and a record.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly 'x-enum-names'?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
}

export interface RpcMethod {
  readonly name: string;
  readonly description: string;
  readonly result: string;
  readonly development: boolean;
  readonly params: readonly { readonly name: string; readonly kind: string; readonly required: boolean }[];
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly 'x-weight': { readonly weight: number; readonly more?: string };
  readonly 'x-signed-type'?: string;
  readonly 'x-signed-domain'?: string;
  readonly 'x-signed-as'?: string;
  readonly 'x-methods'?: readonly RpcMethod[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

export interface ErrorRow {
  readonly code: number;
  readonly http: number;
  readonly error: string;
  readonly field: string;
  readonly rule: string;
}

export interface Contract {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly 'x-errors': readonly ErrorRow[];
}

export interface Settings {
  readonly chainIds: readonly number[];
  readonly accounts: readonly { readonly accountID: number; readonly address: string; readonly privateKey: string }[];
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation, in the order of the contract. */
export const endpointsOf = (contract: Contract): Endpoint[] =>
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The text of an operation in an address: letters, digits and dashes. */
export const anchorOf = (endpoint: Endpoint): string =>
  endpoint.operation.operationId.replace(/[^A-Za-z0-9]+/g, '-').replace(/-+$/, '');

const nameOf = (schema: Schema): string | undefined => schema.$ref?.split('/').pop();

export function follow(contract: Contract, schema: Schema): Schema {
  const name = nameOf(schema);
  return name === undefined ? schema : (contract.components.schemas[name] ?? {});
}

/** The type of a value in words. */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  if (schema.enum) {
    const names = schema['x-enum-names'];
    return schema.enum.map((value, at) => (names ? `${value} = ${names[at]}` : String(value))).join(', ');
  }
  const kind = schema.format ?? schema.type ?? 'any';
  return schema.default === undefined ? kind : `${kind}, ${String(schema.default)} when absent`;
}

export interface RecordTable {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly rows: readonly { key: string; type: string; required: boolean; meaning: string }[];
}

/** The records of a schema: its own fields, then those of the records in it, each record once. */
export function recordsOf(contract: Contract, schema: Schema, seen = new Set<string>()): RecordTable[] {
  const name = nameOf(schema);
  if (name !== undefined) {
    if (seen.has(name)) return [];
    seen.add(name);
  }
  const record = follow(contract, schema);
  if (record.type === 'array' && record.items && !record.prefixItems) return recordsOf(contract, record.items, seen);
  if (!record.properties) return [];
  const fields = Object.entries(record.properties);
  const inner = fields
    .flatMap(([, field]) => [field, ...(field.anyOf ?? [])])
    .map((field) => field.items ?? field)
    .filter((field) => field.$ref !== undefined);
  const rows = fields.map(([key, field]) => ({
    key,
    type: typeOf(field),
    required: record.required?.includes(key) ?? false,
    meaning: field.description ?? '',
  }));
  return [{ name, description: record.description, rows }, ...inner.flatMap((one) => recordsOf(contract, one, seen))];
}

/** The schema of the body, without the list form of /rpc. */
export function bodyOf(operation: Operation): Media | undefined {
  const media = operation.requestBody?.content['application/json'];
  return media && { ...media, schema: media.schema.oneOf?.[0] ?? media.schema };
}

/** The schema of `data` in a good answer; undefined where an answer has no envelope. */
export function dataOf(operation: Operation): Schema | undefined {
  const [media] = Object.values(operation.responses['200']?.content ?? {});
  return media?.schema.oneOf?.[0]?.properties?.['data'];
}

/** Words by which a search finds it. */
export const wordsOf = ({ method, path, operation }: Endpoint): string =>
  [
    method,
    path,
    operation.summary,
    operation['x-signed-type'] ?? '',
    ...(operation.parameters ?? []).map((parameter) => parameter.name),
    typeOf(dataOf(operation) ?? {}),
    ...(operation['x-methods'] ?? []).map((method) => method.name),
  ]
    .join(' ')
    .toLowerCase();

export const found = (words: string, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
