// SPDX-License-Identifier: MIT
import type { Asked, Signing } from '../request';
import { formOf, keyOfMember, quoted, subscriptionOf, webSocketOf } from './texts';

const stream = (asked: Asked, origin: string): string => `// A browser, or Node.js 22 or later
const stream = new WebSocket(${quoted(webSocketOf(asked, origin))});
stream.onopen = () => stream.send(${quoted(subscriptionOf(asked))});
let count = 0;
stream.onmessage = ({ data }) => {
  console.log(data); // the acknowledgement, then what is pushed
  if (++count === 2) stream.close();
};
`;

function message(signing: Signing, members: readonly (readonly [string, string])[]): string {
  if (signing.as === 'action')
    return `{
    payloadHash: keccak256(toHex('{"type":"${signing.type}","params":' + body + '}')),
    nonce: BigInt(nonce),
  }`;
  const rows = members.map(([name, type]) => {
    if (name === 'nonce') return '    nonce: BigInt(nonce),';
    if (name === 'chainID') return `    chainID: ${signing.chainId}n,`;
    const value = `key.${keyOfMember(name)}`;
    return `    ${name}: ${type === 'uint64' ? `BigInt(${value})` : value},`;
  });
  return `{\n${rows.join('\n')}\n  }`;
}

function signed(asked: Asked, signing: Signing, origin: string): string {
  const { primaryType, members, typeByte } = formOf(signing.as, signing.domain);
  const isAction = signing.as === 'action';
  const types = members.map(([name, type]) => `      { name: '${name}', type: '${type}' },`).join('\n');
  const keyName = signing.keyName === '' ? '' : `    'X-API-Key': ${quoted(signing.keyName)},\n`;
  const hashes = isAction ? "import { keccak256, toHex } from 'viem';\n" : '';
  return `${hashes}import { privateKeyToAccount } from 'viem/accounts'; // npm install viem

const account = privateKeyToAccount(process.env.DOJIMA_PRIVATE_KEY as \`0x\${string}\`);
const body = ${quoted(asked.body ?? '')};
${isAction ? '' : 'const key = JSON.parse(body);\n'}const nonce = Date.now(); // each one once
const signature = await account.signTypedData({
  domain: {
    name: '${signing.domain}',
    version: '1',
    chainId: ${signing.chainId},
    verifyingContract: '0x0000000000000000000000000000000000000000',
  },
  types: {
    ${primaryType}: [
${types}
    ],
  },
  primaryType: '${primaryType}',
  message: ${message(signing, members)},
});
const reply = await fetch(${quoted(origin + asked.target)}, {
  method: '${asked.method}',
  headers: {
    'Content-Type': 'application/json',
    'X-API-Nonce': String(nonce),
    'X-API-Chain': '${signing.chainId}',
${keyName}    'X-API-Sign': '0x${typeByte}' + signature.slice(2),
  },
  body,
});
console.log(await reply.text());
`;
}

export function typescriptSample(asked: Asked, origin: string): string {
  if (asked.kind === 'stream') return stream(asked, origin);
  if (asked.signing) return signed(asked, asked.signing, origin);
  const address = quoted(origin + asked.target);
  const options =
    asked.body === undefined
      ? ''
      : `, {
  method: '${asked.method}',
  headers: { 'Content-Type': 'application/json' },
  body: ${quoted(asked.body)},
}`;
  return `const reply = await fetch(${address}${options});
console.log(await reply.text());
`;
}
