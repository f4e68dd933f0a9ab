// SPDX-License-Identifier: MIT
import type { Asked } from '../request';
import { shellWord, webSocketOf } from './texts';

function stream(asked: Asked, origin: string): string {
  const address = webSocketOf(asked, origin).replace(/^ws/, 'http');
  return `# curl opens the stream; to subscribe take one of the other languages.
curl -i -N --http1.1 --max-time 3 -H 'Connection: Upgrade' -H 'Upgrade: websocket' \\
  -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' ${shellWord(address)}
`;
}

/** `dojima sign` prints the headers of a signed write. */
export function curlSample(asked: Asked, origin: string): string {
  if (asked.kind === 'stream') return stream(asked, origin);
  const address = shellWord(origin + asked.target);
  const { body, signing, method } = asked;
  if (body === undefined) return `curl ${method === 'GET' ? '' : `-X ${method} `}${address}\n`;
  const begin = `BODY=${shellWord(body)}\ncurl -X ${method} ${address} \\\n  `;
  if (!signing) return `${begin}-H 'Content-Type: application/json' -d "$BODY"\n`;
  const name = signing.keyName === '' ? '' : `--key ${shellWord(signing.keyName)} `;
  const sign = `dojima sign --chain ${signing.chainId} ${name}${signing.domain} ${signing.type} "$BODY"`;
  return `# bash; DOJIMA_PRIVATE_KEY holds the key, and dojima sign prints the headers
${begin}-d "$BODY" -H @<(${sign})
`;
}
