// SPDX-License-Identifier: MIT
import type { Asked, Signing } from '../request';
import { formOf, goText, keyOfMember, subscriptionOf, webSocketOf } from './texts';

/** Go is indented by tabs; the texts here by pairs of blanks. */
const tabbed = (text: string): string => text.replace(/^(?: {2})+/gm, (blanks) => '\t'.repeat(blanks.length / 2));

const stream = (asked: Asked, origin: string): string => `package main

import (
  "fmt"

  "github.com/gorilla/websocket"
)

func main() {
  stream, _, err := websocket.DefaultDialer.Dial(${goText(webSocketOf(asked, origin))}, nil)
  if err != nil {
    panic(err)
  }
  defer stream.Close()
  stream.WriteMessage(websocket.TextMessage, []byte(${goText(subscriptionOf(asked))}))
  for i := 0; i < 2; i++ { // the acknowledgement, then what is pushed
    _, text, err := stream.ReadMessage()
    if err != nil {
      panic(err)
    }
    fmt.Println(string(text))
  }
}
`;

const quotedNames = (names: readonly string[]): string => names.map((name) => `  "${name}"`).join('\n');

const imports = (names: readonly string[], others: readonly string[] = []): string =>
  `package main

import (
${quotedNames(names)}${others.length ? '\n\n' : ''}${quotedNames(others)}
)
`;

const send = `  reply, err := http.DefaultClient.Do(request)
  if err != nil {
    panic(err)
  }
  text, _ := io.ReadAll(reply.Body)
  fmt.Println(string(text))
}
`;

const requestOf = (asked: Asked, origin: string): string => {
  const body = asked.body === undefined ? 'nil' : 'strings.NewReader(body)';
  return `  request, _ := http.NewRequest("${asked.method}", ${goText(origin + asked.target)}, ${body})\n`;
};

/** Members of a key's typed form as words of 32 bytes. */
function words(signing: Signing, members: readonly (readonly [string, string])[]): string {
  const lines = members.map(([name, type]) => {
    if (name === 'nonce') return 'word(nonce)';
    if (name === 'chainID') return `word(${signing.chainId})`;
    if (type === 'string') return 'crypto.Keccak256([]byte(key.Name))';
    if (type === 'bytes') return 'crypto.Keccak256(common.FromHex(key.PublicKey))';
    const field = keyOfMember(name);
    return `word(key.${field.charAt(0).toUpperCase()}${field.slice(1)})`;
  });
  return lines.map((line) => `    ${line},`).join('\n');
}

const keyRecord = (hasPermissions: boolean): string => `  var key struct {
    AccountID, Type, ExpiresAt${hasPermissions ? ', Permissions' : ''} uint64
    Name, PublicKey string
  }
  if err := json.Unmarshal([]byte(body), &key); err != nil {
    panic(err)
  }
`;

function signed(asked: Asked, signing: Signing, origin: string): string {
  const { primaryType, members, typeByte } = formOf(signing.as, signing.domain);
  const isAction = signing.as === 'action';
  const names = ['encoding/hex', 'encoding/json', 'fmt', 'io', 'math/big', 'net/http', 'os', 'strings', 'time'];
  const type = `${primaryType}(${members.map(([name, kind]) => `${kind} ${name}`).join(',')})`;
  const fields = isAction
    ? `    crypto.Keccak256([]byte(\`{"type":"${signing.type}","params":\` + body + \`}\`)),
    word(nonce),`
    : words(signing, members);
  const keyName = signing.keyName === '' ? '' : `  request.Header.Set("X-API-Key", ${goText(signing.keyName)})\n`;
  return `${imports(
    isAction ? names.filter((name) => name !== 'encoding/json') : names,
    isAction
      ? ['github.com/ethereum/go-ethereum/crypto']
      : ['github.com/ethereum/go-ethereum/common', 'github.com/ethereum/go-ethereum/crypto'],
  )}
func word(n uint64) []byte { return new(big.Int).SetUint64(n).FillBytes(make([]byte, 32)) }

func main() {
  body := ${goText(asked.body ?? '')}
  nonce := uint64(time.Now().UnixMilli()) // each one once
${isAction ? '' : keyRecord(signing.as === 'permissioned')}  separator := crypto.Keccak256(
    crypto.Keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
    crypto.Keccak256([]byte("${signing.domain}")), crypto.Keccak256([]byte("1")), word(${signing.chainId}), word(0))
  action := crypto.Keccak256(
    crypto.Keccak256([]byte("${type}")),
${fields}
  )
  private, err := crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("DOJIMA_PRIVATE_KEY"), "0x"))
  if err != nil {
    panic(err)
  }
  signature, _ := crypto.Sign(crypto.Keccak256([]byte("\\x19\\x01"), separator, action), private)
${requestOf(asked, origin)}  request.Header.Set("Content-Type", "application/json")
  request.Header.Set("X-API-Nonce", fmt.Sprint(nonce))
  request.Header.Set("X-API-Chain", "${signing.chainId}")
${keyName}  request.Header.Set("X-API-Sign", "0x${typeByte}"+hex.EncodeToString(signature))
${send}`;
}

function plain(asked: Asked, origin: string): string {
  const hasBody = asked.body !== undefined;
  const body = hasBody ? `  body := ${goText(asked.body ?? '')}\n` : '';
  const type = hasBody ? '  request.Header.Set("Content-Type", "application/json")\n' : '';
  return `${imports(hasBody ? ['fmt', 'io', 'net/http', 'strings'] : ['fmt', 'io', 'net/http'])}
func main() {
${body}${requestOf(asked, origin)}${type}${send}`;
}

export function goSample(asked: Asked, origin: string): string {
  if (asked.kind === 'stream') return tabbed(stream(asked, origin));
  return tabbed(asked.signing ? signed(asked, asked.signing, origin) : plain(asked, origin));
}
