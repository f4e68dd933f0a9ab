// SPDX-License-Identifier: MIT
import type { Asked, Signing } from '../request';
import { formOf, keyOfMember, quoted, subscriptionOf, webSocketOf } from './texts';

const stream = (asked: Asked, origin: string): string => `import asyncio
import websockets  # pip install websockets


async def main():
    async with websockets.connect(${quoted(webSocketOf(asked, origin))}) as stream:
        await stream.send(${quoted(subscriptionOf(asked))})
        for _ in range(2):  # the acknowledgement, then what is pushed
            print(await stream.recv())


asyncio.run(main())
`;

function message(signing: Signing, members: readonly (readonly [string, string])[]): string {
  if (signing.as === 'action')
    return `{
        "payloadHash": keccak(text='{"type":"${signing.type}","params":' + body + "}"),
        "nonce": nonce,
    }`;
  const of: Readonly<Record<string, string>> = {
    nonce: 'nonce',
    chainID: String(signing.chainId),
    publicKey: 'bytes.fromhex(key["publicKey"][2:])',
  };
  const rows = members.map(([name]) => `        "${name}": ${of[name] ?? `key["${keyOfMember(name)}"]`},`);
  return `{\n${rows.join('\n')}\n    }`;
}

function signed(asked: Asked, signing: Signing, origin: string): string {
  const { primaryType, members, typeByte } = formOf(signing.as, signing.domain);
  const types = members.map(([name, type]) => `        {"name": "${name}", "type": "${type}"},`).join('\n');
  const isAction = signing.as === 'action';
  const imports = isAction ? 'import os' : 'import json\nimport os';
  const keyName = signing.keyName === '' ? '' : `    "X-API-Key": ${quoted(signing.keyName)},\n`;
  return `${imports}
import time
import urllib.request

from eth_account import Account  # pip install eth-account
${isAction ? 'from eth_utils import keccak\n' : ''}
body = ${quoted(asked.body ?? '')}
${isAction ? '' : 'key = json.loads(body)\n'}nonce = int(time.time() * 1000)  # each one once
signed = Account.from_key(os.environ["DOJIMA_PRIVATE_KEY"]).sign_typed_data(
    domain_data={
        "name": "${signing.domain}",
        "version": "1",
        "chainId": ${signing.chainId},
        "verifyingContract": "0x" + "00" * 20,
    },
    message_types={"${primaryType}": [
${types}
    ]},
    message_data=${message(signing, members)},
)
request = urllib.request.Request(${quoted(origin + asked.target)}, body.encode(), method="${asked.method}", headers={
    "Content-Type": "application/json",
    "X-API-Nonce": str(nonce),
    "X-API-Chain": "${signing.chainId}",
${keyName}    "X-API-Sign": "0x${typeByte}" + bytes(signed.signature).hex(),
})
with urllib.request.urlopen(request) as reply:
    print(reply.read().decode())
`;
}

export function pythonSample(asked: Asked, origin: string): string {
  if (asked.kind === 'stream') return stream(asked, origin);
  if (asked.signing) return signed(asked, asked.signing, origin);
  const address = quoted(origin + asked.target);
  const request =
    asked.body === undefined
      ? `with urllib.request.urlopen(${address}) as reply:`
      : `body = ${quoted(asked.body)}
headers = {"Content-Type": "application/json"}
request = urllib.request.Request(${address}, body.encode(), headers, method="${asked.method}")
with urllib.request.urlopen(request) as reply:`;
  return `import urllib.request

${request}
    print(reply.read().decode())
`;
}
