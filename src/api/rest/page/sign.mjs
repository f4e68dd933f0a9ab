// SPDX-License-Identifier: MIT
// What a signed write needs, in one file without libraries: keccak-256, SHA-256 and HMAC (for RFC 6979), secp256k1,
// and the typed data of the exchange (EIP-712). Numbers are BigInt, bytes Uint8Array, hex has 0x before it.
// Not constant in time: made for keys of development, and for whoever trusts the machine this runs on.

/* ---- bytes ---- */

export const toHex = (bytes) => "0x" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const fromHex = (hex) => {
  const digits = hex.startsWith("0x") ? hex.slice(2) : hex;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw new Error(`not hex: ${hex}`);
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
};
export const utf8 = (text) => new TextEncoder().encode(text);
const join = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
};
const toNumber = (bytes) => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
/** 32 bytes, big endian; negative numbers as two's complement. */
export const word = (number) => {
  let rest = BigInt.asUintN(256, BigInt(number));
  const bytes = new Uint8Array(32);
  for (let i = 31; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
};

/* ---- keccak-256 (the one of Ethereum: padding 01, not SHA-3's 06) ---- */

const MASK = (1n << 64n) - 1n;
const rotate = (x, n) => (n === 0n ? x : ((x << n) | (x >> (64n - n))) & MASK);

// The constants of iota come from a shift register, the offsets of rho from the walk of pi (FIPS 202, 3.2).
const IOTA = [];
const RHO = Array(25).fill(0n);
const PI = Array(25).fill(0);
{
  let bits = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (bits & 1) constant |= 1n << ((1n << BigInt(j)) - 1n);
      bits = bits & 128 ? ((bits << 1) ^ 0x171) & 255 : bits << 1;
    }
    IOTA.push(constant);
  }
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    RHO[x + 5 * y] = BigInt((((t + 1) * (t + 2)) / 2) % 64);
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  for (let i = 0; i < 25; i++) PI[i] = Math.floor(i / 5) + 5 * ((2 * (i % 5) + 3 * Math.floor(i / 5)) % 5);
}

function permute(state) {
  for (const constant of IOTA) {
    const column = [0, 1, 2, 3, 4].map((x) => state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]);
    for (let i = 0; i < 25; i++) state[i] ^= column[(i + 4) % 5] ^ rotate(column[(i + 1) % 5], 1n);
    const moved = Array(25);
    for (let i = 0; i < 25; i++) moved[PI[i]] = rotate(state[i], RHO[i]);
    for (let i = 0; i < 25; i++) {
      const row = 5 * Math.floor(i / 5);
      state[i] = moved[i] ^ (~moved[row + ((i + 1) % 5)] & MASK & moved[row + ((i + 2) % 5)]);
    }
    state[0] ^= constant;
  }
}

export function keccak256(bytes) {
  const rate = 136;
  const padded = new Uint8Array(Math.floor(bytes.length / rate + 1) * rate);
  const state = Array(25).fill(0n);

  padded.set(bytes);
  padded[bytes.length] ^= 0x01;
  padded[padded.length - 1] ^= 0x80;
  for (let block = 0; block < padded.length; block += rate) {
    for (let i = 0; i < rate / 8; i++)
      state[i] ^= toNumber(padded.slice(block + 8 * i, block + 8 * i + 8).reverse());
    permute(state);
  }
  return join(...[0, 1, 2, 3].map((i) => word(state[i]).slice(24).reverse()));
}

/* ---- SHA-256 and HMAC ---- */

const isPrime = (n) => { for (let d = 2; d * d <= n; d++) if (n % d === 0) return false; return n > 1; };
const primes = []; for (let n = 2; primes.length < 64; n++) if (isPrime(n)) primes.push(n);
/** The first 32 bits behind the point of the k-th root of n, exact. */
const fraction = (n, k) => {
  const scaled = BigInt(n) << BigInt(32 * k);
  let low = 0n, high = 1n << 40n;
  while (high - low > 1n) { const middle = (low + high) / 2n; if (middle ** BigInt(k) <= scaled) low = middle; else high = middle; }
  return Number(low & 0xffffffffn);
};
const SHA_START = primes.slice(0, 8).map((n) => fraction(n, 2));
const SHA_ROUND = primes.map((n) => fraction(n, 3));

export function sha256(bytes) {
  const right = (x, n) => (x >>> n) | (x << (32 - n));
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / 64) + 1) * 64);
  const view = new DataView(padded.buffer);
  const hash = Uint32Array.from(SHA_START), w = new Uint32Array(64);

  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (right(a, 7) ^ right(a, 18) ^ (a >>> 3)) + w[i - 7] + (right(b, 17) ^ right(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const first = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUND[i] + w[i]) | 0;
      const second = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => { hash[i] += x; });
  }
  const out = new DataView(new ArrayBuffer(32));
  hash.forEach((x, i) => out.setUint32(4 * i, x));
  return new Uint8Array(out.buffer);
}

function hmac(key, ...parts) {
  const padded = new Uint8Array(64);
  padded.set(key);
  const inner = sha256(join(padded.map((byte) => byte ^ 0x36), ...parts));
  return sha256(join(padded.map((byte) => byte ^ 0x5c), inner));
}

/* ---- secp256k1 (SEC 2, 2.4.1) ---- */

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = [0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
           0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n, 1n];
const modulo = (x, m) => { const rest = x % m; return rest < 0n ? rest + m : rest; };

function inverse(x, m) {
  let [a, b, u, v] = [modulo(x, m), m, 1n, 0n];
  while (b !== 0n) { const q = a / b; [a, b, u, v] = [b, a - q * b, v, u - q * v]; }
  return modulo(u, m);
}

// Points as (X : Y : Z) with x = X / Z², y = Y / Z³; Z = 0 is the point at infinity.
function double([x, y, z]) {
  const yy = modulo(y * y, P), s = modulo(4n * x * yy, P), m = modulo(3n * x * x, P), nx = modulo(m * m - 2n * s, P);
  return [nx, modulo(m * (s - nx) - 8n * yy * yy, P), modulo(2n * y * z, P)];
}

function add(a, b) {
  if (a[2] === 0n) return b;
  if (b[2] === 0n) return a;
  const az = modulo(a[2] * a[2], P), bz = modulo(b[2] * b[2], P);
  const u = modulo(a[0] * bz, P), s = modulo(a[1] * bz * b[2], P);
  const h = modulo(b[0] * az - u, P), r = modulo(b[1] * az * a[2] - s, P);
  if (h === 0n) return r === 0n ? double(a) : [1n, 1n, 0n];
  const hh = modulo(h * h, P), hhh = modulo(h * hh, P), x = modulo(r * r - hhh - 2n * u * hh, P);
  return [x, modulo(r * (u * hh - x) - s * hhh, P), modulo(h * a[2] * b[2], P)];
}

/** k times the generator, as [x, y]. */
function multiply(k) {
  let sum = [1n, 1n, 0n];
  for (let bit = 255n; bit >= 0n; bit--) {
    sum = double(sum);
    if ((k >> bit) & 1n) sum = add(sum, G);
  }
  const z = inverse(sum[2], P), zz = modulo(z * z, P);
  return [modulo(sum[0] * zz, P), modulo(sum[1] * zz * z, P)];
}

function readKey(privateKey) {
  const bytes = fromHex(privateKey.trim()), number = toNumber(bytes);
  if (bytes.length !== 32 || number === 0n || number >= N) throw new Error("not a private key: 0x and 64 hex digits within the order of the curve");
  return number;
}

/** The address of a private key, lower case. */
export function addressOf(privateKey) {
  const [x, y] = multiply(readKey(privateKey));
  return toHex(keccak256(join(word(x), word(y))).slice(12));
}

/** Signs 32 bytes, deterministically (RFC 6979), s in the lower half: r, s and the parity v, 65 bytes. */
export function signDigest(digest, privateKey) {
  const d = readKey(privateKey), z = toNumber(digest), seed = join(word(d), word(modulo(z, N)));
  let v = new Uint8Array(32).fill(1), k = new Uint8Array(32);

  k = hmac(k, v, Uint8Array.of(0), seed); v = hmac(k, v);
  k = hmac(k, v, Uint8Array.of(1), seed); v = hmac(k, v);
  for (;;) {
    v = hmac(k, v);
    const nonce = toNumber(v);
    if (nonce > 0n && nonce < N) {
      const [x, y] = multiply(nonce), r = modulo(x, N), s = modulo(inverse(nonce, N) * (z + r * d), N);
      const high = s > N / 2n, parity = (y & 1n) ^ (high ? 1n : 0n);
      if (r !== 0n && s !== 0n) return join(word(r), word(high ? N - s : s), Uint8Array.of(Number(parity)));
    }
    k = hmac(k, v, Uint8Array.of(0)); v = hmac(k, v);
  }
}

/* ---- the typed data of the exchange ---- */

const hashText = (text) => keccak256(utf8(text));

export function domainSeparator(name, chainId) {
  return keccak256(join(hashText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
    hashText(name), hashText("1"), word(chainId), word(0)));
}

const typedDigest = (separator, struct) => keccak256(join(Uint8Array.of(0x19, 0x01), separator, struct));

/** The digest of ExchangeAction over {"type":type,"params":body}; `body` is the text that is sent. */
export function actionDigest(domain, chainId, type, body, nonce) {
  const payload = hashText(`{"type":"${type}","params":${body}}`);
  const struct = keccak256(join(hashText("ExchangeAction(bytes32 payloadHash,uint64 nonce)"), payload, word(nonce)));
  return typedDigest(domainSeparator(domain, chainId), struct);
}

const KEY_MEMBERS = "uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt";

/** The digest of a key's registration: AddAPIKey, or, with permissions in the body, UserSignedAddPermissionedAPIKeyAction. */
export function grantDigest(chainId, body, nonce) {
  const key = JSON.parse(body);
  const members = [word(key.accountID ?? 0), hashText(key.name), word(key.type), keccak256(fromHex(key.publicKey)), word(key.expiresAt)];
  const struct = key.permissions === undefined
    ? [hashText(`AddAPIKey(${KEY_MEMBERS},uint64 nonce)`), ...members, word(nonce)]
    : [hashText(`UserSignedAddPermissionedAPIKeyAction(uint64 chainID,uint64 nonce,${KEY_MEMBERS},uint64 permissions)`),
       word(chainId), word(nonce), ...members, word(key.permissions)];
  return typedDigest(domainSeparator("universal", chainId), keccak256(join(...struct)));
}

/** X-API-Sign for a write: how it is signed is what openapi.json says of it (x-signed-type, -domain, -as). */
export function signWrite(operation, chainId, body, nonce, privateKey) {
  const domain = operation["x-signed-domain"];
  const digest = operation["x-signed-as"] === "AddAPIKey" ? grantDigest(chainId, body, nonce)
    : actionDigest(domain, chainId, operation["x-signed-type"], body, nonce);
  return toHex(join(Uint8Array.of(domain === "universal" ? 2 : 1), signDigest(digest, privateKey)));
}
