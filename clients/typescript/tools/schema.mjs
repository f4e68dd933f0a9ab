// SPDX-License-Identifier: MIT
// Schemas of /openapi.json as the text of TypeScript.
/** The most columns of what is written. */
export const WIDTH = 118;

const name = (reference) => reference.split('/').at(-1);
export const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
const quoted = (values) => values.map(literal).join(' | ');

/** The type of a schema. In a body a decimal may be given as text, bigint or Decimal. */
export function typeOf(schema, inBody) {
  if (schema.$ref) return name(schema.$ref);
  if ('const' in schema) return quoted([schema.const]);
  if (schema.enum) return quoted(schema.enum);
  const one = schema.oneOf ?? schema.anyOf;
  if (one) return [...new Set(one.map((each) => typeOf(each, inBody)))].join(' | ');
  if (schema.format === 'decimal') return inBody ? 'Amount' : 'Text';
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array': {
      if (schema.prefixItems) return `[${schema.prefixItems.map((each) => typeOf(each, inBody)).join(', ')}]`;
      if (!schema.items) return 'unknown[]';
      const item = typeOf(schema.items, inBody);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return schema.properties ? inline(schema, inBody) : 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

const inline = (schema, inBody) => `{ ${members(schema, inBody).join(' ')} }`;

function members(schema, inBody) {
  const needed = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(
    ([key, value]) => `${key}${needed.has(key) ? '' : '?'}: ${typeOf(value, inBody)};`,
  );
}

/** A comment of as many lines as it takes. */
export function comment(text, indent = '') {
  const words = text.replaceAll('*/', '* /').split(/\s+/);
  const lines = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && indent.length + line.length + word.length + 8 > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((each) => `${indent} * ${each}\n`).join('')}${indent} */\n`;
}

/** `name: A | B | C` over several lines where it is long. */
function wrapped(line, indent) {
  if (indent.length + line.length <= WIDTH) return `${indent}${line}\n`;
  const [head, ...parts] = line.split(' | ');
  const at = head.indexOf(': ');
  const all = [head.slice(at + 2), ...parts];
  return `${indent}${head.slice(0, at + 1)}\n${all.map((each) => `${indent}  | ${each}\n`).join('')}`;
}

export function record(title, schema) {
  const head = schema.description ? comment(schema.description) : '';
  if (!schema.properties) return `${head}export type ${title} = ${typeOf(schema, false)};\n`;
  const inBody = title.endsWith('Body');
  const lines = members(schema, inBody).map((line, at) => {
    const { description } = Object.values(schema.properties)[at];
    return (description ? comment(description, '  ') : '') + wrapped(line, '  ');
  });
  return `${head}export interface ${title} {\n${lines.join('')}}\n`;
}
