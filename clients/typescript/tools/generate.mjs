// SPDX-License-Identifier: MIT
// node tools/generate.mjs FILE.json|URL|PROGRAM [--check] — writes src/spec/ from the /openapi.json of an exchange
// (a PROGRAM is started as a development exchange): the records, a method for every operation, the codes of errors and
// the methods of /rpc. With --check it writes nothing and fails when a file is not what it would write. An operation
// without a name in names.mjs is an error: every one has a method.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { METHODS, PAGES } from './names.mjs';
import { WIDTH, comment, literal, record, typeOf } from './schema.mjs';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'spec');
const HEAD = '// SPDX-License-Identifier: MIT\n// Written by tools/generate.mjs from /openapi.json.\n';

const recordsFile = ({ components }) =>
  `${HEAD}import type { Amount, Text } from '../amount.js';\n\n` +
  Object.entries(components.schemas)
    .map(([title, schema]) => record(title, schema))
    .join('\n');

/** Keys of bodies that are decimals; a key is one everywhere or nowhere. */
export function decimalKeys({ components }) {
  const decimals = new Set();
  const others = new Set();
  for (const [title, schema] of Object.entries(components.schemas)) {
    if (!title.endsWith('Body')) continue;
    for (const [key, value] of Object.entries(schema.properties ?? {}))
      (value.format === 'decimal' ? decimals : others).add(key);
  }
  for (const key of decimals)
    if (others.has(key)) throw new Error(`${key} is a decimal in one body and none in another`);
  return [...decimals].sort();
}

const answered = (operation) => {
  const schema = operation.responses['200']?.content?.['application/json']?.schema;
  const success = schema?.oneOf?.[0];
  return { enveloped: success?.properties?.code !== undefined, data: success?.properties?.data, plain: schema };
};

const template = (path) => {
  const text = path.replace(/\{(\w+)\}/g, '${encodeURIComponent($1)}');
  return text.includes('${') ? `\`${text}\`` : `'${text}'`;
};

const used = new Set();
const note = (type) => {
  for (const [word] of type.matchAll(/\b[A-Z]\w+\b/g)) used.add(word);
  return type;
};

const cut = (path, engine) => path.replace(engine === 'gateway' ? '/api/v1' : `/api/v1/${engine}`, '');

/** The arguments in parentheses, one a line where they are long. */
function signature(title, parameters, result) {
  const line = `  ${title}(${parameters.join(', ')}): ${result} {`;
  if (line.length <= WIDTH) return `${line}\n`;
  return `  ${title}(\n${parameters.map((each) => `    ${each},\n`).join('')}  ): ${result} {\n`;
}

/** An object as the text of a constant, over several lines where it is long. */
function constant(title, fields) {
  const line = `    const ${title} = { ${fields.join(', ')} } as const;\n`;
  if (line.length <= WIDTH) return line;
  return `    const ${title} = {\n${fields.map((each) => `      ${each},\n`).join('')}    } as const;\n`;
}

function signed(engine, verb, path, operation, title, inPath, data) {
  const body = `body: ${note(typeOf(operation.requestBody.content['application/json'].schema, true))}`;
  const [type, domain] = [operation['x-signed-type'], operation['x-signed-domain']];
  if (domain === 'oracle') {
    const head = signature(title, [body, 'signature: string'], 'Promise<undefined>');
    return `${head}    return this.post(${template(path)}, body, signature);\n  }\n`;
  }
  const result = data ? note(typeOf(data, false)) : 'undefined';
  const head = signature(title, [...inPath, body, 'options?: WriteChoices'], `Promise<Executed<${result}>>`);
  const action = constant('action', [
    `engine: '${engine}'`,
    `method: '${verb.toUpperCase()}'`,
    `path: ${template(cut(path, engine))}`,
    `type: '${type}'`,
    ...(domain === 'universal' ? [`domain: '${domain}'`] : []),
  ]);
  return `${head}${action}    return this.write(action, body, options);\n  }\n`;
}

function method(engine, path, verb, operation, title) {
  const parameters = operation.parameters ?? [];
  const inPath = parameters.filter((each) => each.in === 'path').map((each) => `${each.name}: string`);
  const query = parameters.filter((each) => each.in === 'query');
  const { enveloped, data, plain } = answered(operation);
  const about = comment(`${operation.summary} \`${verb.toUpperCase()} ${path}\``, '  ');
  const target = template(path);
  if (operation['x-signed-type']) return about + signed(engine, verb, path, operation, title, inPath, data);
  const fields = query.map((each) => `${each.name}${each.required ? '' : '?'}: ${typeOf(each.schema, false)}`);
  const optional = query.every((each) => !each.required);
  const asked = query.length > 0 ? [`query: { ${fields.join('; ')} }${optional ? ' = {}' : ''}`] : [];
  if (asked[0] && asked[0].length + 4 > WIDTH - 4)
    asked[0] = `query: {\n${fields.map((each) => `      ${each};\n`).join('')}    }${optional ? ' = {}' : ''}`;
  const type = note(enveloped ? typeOf(data ?? {}, false) : plain ? typeOf(plain, false) : 'string');
  const reader = enveloped ? 'read' : plain ? 'plain' : 'text';
  const last = query.length > 0 ? ', query' : '';
  const head = signature(title, [...inPath, ...asked], `Promise<${type}>`);
  return `${about}${head}    return this.${reader}(${target}${last});\n  }\n`;
}

const TITLES = {
  spot: 'SpotEndpoints',
  perps: 'PerpsEndpoints',
  gateway: 'GatewayEndpoints',
  process: 'ProcessEndpoints',
};

function endpointsFile(document, engine) {
  used.clear();
  const methods = [];
  let writes = false;
  for (const [path, verbs] of Object.entries(document.paths)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      if (operation.tags[0] !== engine) continue;
      const id = operation.operationId;
      if (PAGES.has(id)) continue;
      const title = METHODS[id];
      if (title === undefined) throw new Error(`${id} has no method: name it in tools/names.mjs`);
      writes ||= operation['x-signed-type'] !== undefined;
      methods.push(method(engine, path, verb, operation, title));
    }
  }
  const records = [...used].filter((each) => document.components.schemas[each]).sort();
  const flat = `import type { ${records.join(', ')} } from './types.js';\n`;
  const long = `import type {\n${records.map((each) => `  ${each},\n`).join('')}} from './types.js';\n`;
  const types = flat.length <= WIDTH ? flat : long;
  const more = writes ? ', type Executed, type WriteChoices' : '';
  return (
    `${HEAD}import { Endpoints${more} } from '../endpoints.js';\n${types}\n` +
    `export class ${TITLES[engine]} extends Endpoints {\n${methods.join('\n')}}\n`
  );
}

function errorsFile(document) {
  const codes = new Map();
  for (const { code, error } of document['x-errors']) if (!codes.has(code)) codes.set(code, error);
  const lines = [...codes]
    .sort(([a], [b]) => a - b)
    .map(([code, error]) => `  ${code}: '${error.replaceAll("'", "\\'")}',\n`);
  const decimals = decimalKeys(document).map(literal).join(', ');
  const methods = document.paths['/rpc'].post['x-methods'];
  const isOfDevelopment = (one) => one.development || one.description.startsWith('Development:');
  const list = (development) =>
    methods
      .filter((one) => isOfDevelopment(one) === development && one.result !== '-32601')
      .map((one) => `\n  | '${one.name}'`)
      .join('');
  return (
    `${HEAD}\n/** Each code of the interface and the first of its texts. */\n` +
    `export const CODES = {\n${lines.join('')}} as const;\n\n` +
    `export type Code = keyof typeof CODES;\n\n/** Keys of bodies that are decimals. */\n` +
    `export const DECIMALS: ReadonlySet<string> = new Set([${decimals}]);\n\n` +
    `/** Methods of /rpc of every exchange. */\nexport type ChainMethod =${list(false)};\n\n` +
    `/** Methods of /rpc of a development exchange. */\nexport type DevelopmentMethod =${list(true)};\n`
  );
}

/** File names below src/spec/ and their texts. */
export function filesOf(document) {
  const known = new Set([...Object.keys(METHODS), ...PAGES]);
  for (const verbs of Object.values(document.paths))
    for (const { operationId } of Object.values(verbs)) known.delete(operationId);
  if (known.size > 0) throw new Error(`names.mjs names what is not there: ${[...known].join(', ')}`);
  return {
    'types.ts': recordsFile(document),
    'codes.ts': errorsFile(document),
    ...Object.fromEntries(Object.keys(TITLES).map((engine) => [`${engine}.ts`, endpointsFile(document, engine)])),
  };
}

/** The files that are not as `document` makes them. */
export function differences(document) {
  return Object.entries(filesOf(document))
    .filter(([file, text]) => {
      try {
        return readFileSync(join(folder, file), 'utf8') !== text;
      } catch {
        return true;
      }
    })
    .map(([file]) => file);
}

const fetched = async (url) => (await fetch(`${url}/openapi.json`)).json();

/** The contract of a program: it runs until standard input closes. */
async function contractOf(program) {
  const options = ['dev', '--port', '0', '--json', '--market', 'none', '--until-stdin-closes'];
  const child = spawn(program, options, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('close', done));
  try {
    const line = await new Promise((done, fail) => {
      createInterface({ input: child.stdout }).once('line', done);
      child.once('close', () => fail(new Error(`${program} ended before its first line`)));
      child.once('error', fail);
    });
    return await fetched(JSON.parse(line).url);
  } finally {
    child.stdin.end();
    await ended;
  }
}

function documentOf(source) {
  if (/^https?:/.test(source)) return fetched(source);
  return source.endsWith('.json') ? JSON.parse(readFileSync(source, 'utf8')) : contractOf(source);
}

async function main([source, option]) {
  const document = await documentOf(source);
  if (option !== '--check') {
    for (const [file, content] of Object.entries(filesOf(document))) writeFileSync(join(folder, file), content);
    return;
  }
  const other = differences(document);
  for (const file of other) console.error(`clients/typescript/src/spec/${file} is not what its script writes`);
  if (other.length === 0) return;
  console.error('write it anew: node clients/typescript/tools/generate.mjs build/release/dojima');
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
