# SPDX-License-Identifier: MIT
"""The address of a private key, without libraries: secp256k1 and Keccak-256. For play money: nothing here is constant
in time."""

P = 2**256 - 2**32 - 977
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)
MASK = 2**64 - 1


def add(a, b):
    """The sum of two points; None is the one at infinity."""
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(number):
    result, power = None, G
    while number:
        if number & 1:
            result = add(result, power)
        power, number = add(power, power), number >> 1
    return result


def rotate(value, bits):
    return ((value << bits) | (value >> (64 - bits))) & MASK


def round_constants():
    """The 24 constants, from the shift register of the standard."""
    register = 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (register & 1) << ((1 << j) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        yield constant


CONSTANTS = tuple(round_constants())


def permute(lanes):
    """Keccak-f[1600] of 25 lanes; lane (x, y) is at x + 5 y."""
    for constant in CONSTANTS:
        column = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        mixed = [column[x - 1] ^ rotate(column[(x + 1) % 5], 1) for x in range(5)]
        lanes = [lane ^ mixed[i % 5] for i, lane in enumerate(lanes)]
        x, y, moved = 1, 0, lanes[1]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            kept = lanes[x + 5 * y]
            lanes[x + 5 * y], moved = rotate(moved, (step + 1) * (step + 2) // 2 % 64), kept
        lanes = [lanes[i] ^ (~lanes[i // 5 * 5 + (i + 1) % 5] & MASK & lanes[i // 5 * 5 + (i + 2) % 5])
                 for i in range(25)]
        lanes[0] ^= constant
    return lanes


def keccak256(data):
    """Of less than 136 bytes: one block."""
    block = bytearray(data) + bytes(136 - len(data))
    block[len(data)] ^= 1
    block[135] ^= 0x80
    lanes = [int.from_bytes(block[8 * i:8 * i + 8], "little") for i in range(17)] + [0] * 8
    return b"".join(lane.to_bytes(8, "little") for lane in permute(lanes)[:4])


def address(key):
    """The address of a private key (a number), with the capitals of EIP-55."""
    x, y = multiply(key)
    text = keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[-20:].hex()
    digits = keccak256(text.encode()).hex()
    return "0x" + "".join(letter.upper() if digit >= "8" else letter for letter, digit in zip(text, digits))
