# SPDX-License-Identifier: MIT
"""The arithmetic of docs/spec/mechanics as exact functions over whole numbers.

Every amount is an int in the smallest unit of its scale: prices 10^-pp and quantities 10^-qp of their symbol, quote amounts 10^-6, spot base
amounts 10^-8, rates (fees, margins, ratios) 10^-8, premiums and funding rates 10^-12. mechanics_examples.py computes the worked examples
with them; twin/arithmetic.py asks them random questions and compares src/rules with the answers.
"""
from dataclasses import dataclass, field
from decimal import Decimal, getcontext

getcontext().prec = 60
R8, F12 = 10**8, 10**12


# ---- whole numbers -------------------------------------------------------------------------------------------------------------------

def cdiv(a, b):
    """a / b rounded up, b > 0."""
    return -(-a // b)


def tdiv(a, b):
    """a / b rounded towards zero, as C divides, b > 0."""
    return a // b if a >= 0 else -(-a // b)


def sgn(a):
    return (a > 0) - (a < 0)


def clamp(value, low, high):
    return max(low, min(high, value))


def median(values):
    """The middle of three, the mean (rounded down) of two."""
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) // 2


def px(text, precision):
    """A decimal in units of 10^-precision; more decimals are an error."""
    value = Decimal(str(text)).scaleb(precision)
    assert value == value.to_integral_value(), (text, precision)
    return int(value)


def dec(units, precision):
    """The canonical decimal: no trailing zeros, no -0."""
    text = format(Decimal(units).scaleb(-precision), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("", "-0") else text


# ---- symbols: notional, tiers (mechanics 1.2, 3.2) -----------------------------------------------------------------------------------

@dataclass
class Sym:
    name: str
    pp: int
    qp: int
    quote_prec: int = 6
    base_prec: int = 8
    step: int = 1
    tick: int = 1
    tiers: list = field(default_factory=list)           # (largest notional, maintenance rate, largest leverage)

    def k(self):
        return self.quote_prec - self.pp - self.qp

    def up(self):
        return 10**max(self.k(), 0)

    def down(self):
        return 10**max(-self.k(), 0)

    def N(self, price, quantity):
        """Notional, rounded down where the product has more decimals than the quote coin."""
        return price * quantity * self.up() // self.down()

    def Nc(self, price, quantity):
        """The same rounded up: what is held."""
        return cdiv(price * quantity * self.up(), self.down())

    def deductions(self):
        sums = [0]
        for (bound, rate, _), (_, next_rate, _) in zip(self.tiers, self.tiers[1:]):
            sums.append(sums[-1] + bound * (next_rate - rate) // R8)
        return sums

    def tier(self, notional):
        return next((i for i, (bound, _, _) in enumerate(self.tiers) if notional <= bound), len(self.tiers) - 1)

    def MM(self, notional):
        """Maintenance margin."""
        i = self.tier(notional)
        return max(0, cdiv(notional * self.tiers[i][1], R8) - self.deductions()[i])


def fee(notional, rate):
    """A charge is rounded up, the amount of a rebate down."""
    return cdiv(notional * rate, R8) if rate >= 0 else -(notional * -rate // R8)


# ---- the perps ledger (mechanics 1.5) ------------------------------------------------------------------------------------------------

@dataclass
class Pos:
    q: int = 0              # signed size
    C: int = 0              # signed cost
    iso: bool = False
    bucket: int = 0
    L: int = 10             # leverage


class Perps:
    """Wallets, positions, fund and vault. sum(W) + sum(bucket) - sum(C) + IF + FEES is what was deposited, always."""

    def __init__(self):
        self.W, self.P, self.dep, self.IF, self.FEES = {}, {}, 0, 0, 0

    def deposit(self, who, amount):
        self.W[who] = self.W.get(who, 0) + amount
        self.dep += amount

    def pos(self, who, symbol):
        return self.P.setdefault((who, symbol.name), Pos())

    def check(self):
        rows = self.P.values()
        assert sum(self.W.values()) + sum(p.bucket - p.C for p in rows) + self.IF + self.FEES == self.dep
        for name in {key[1] for key in self.P}:
            assert sum(p.q for key, p in self.P.items() if key[1] == name) == 0, name

    def close(self, who, p, quantity, notional):
        whole, side = quantity == abs(p.q), sgn(p.q)
        cost = abs(p.C) if whole else abs(p.C) * quantity // abs(p.q)
        released = 0 if not p.iso else p.bucket if whole else p.bucket * quantity // abs(p.q)
        result = side * (notional - cost)
        p.C -= side * cost
        p.q -= side * quantity
        p.bucket -= released
        self.W[who] += result + released
        return result

    def open(self, who, p, quantity, notional):
        p.q += quantity
        p.C += sgn(quantity) * notional
        if p.iso:
            margin = cdiv(notional, p.L)
            p.bucket += margin
            self.W[who] -= margin

    def apply(self, who, symbol, dq, notional, charged=0):
        """One leg of a fill of signed quantity dq at a notional; returns the realised result."""
        p, amount, result = self.pos(who, symbol), abs(dq), 0
        closed = min(amount, abs(p.q)) if p.q * dq < 0 else 0
        close_value = notional * closed // amount
        if closed:
            result = self.close(who, p, closed, close_value)
        if amount > closed:
            self.open(who, p, sgn(dq) * (amount - closed), notional - close_value)
        self.W[who] -= charged
        self.FEES += charged
        return result

    def trade(self, symbol, buyer, seller, price, quantity, buyer_rate=0, seller_rate=0):
        notional = symbol.N(price, quantity)
        bought = self.apply(buyer, symbol, quantity, notional, fee(notional, buyer_rate))
        sold = self.apply(seller, symbol, -quantity, notional, fee(notional, seller_rate))
        self.check()
        return notional, bought, sold


def upnl(symbol, p, mark):
    """Unrealised profit."""
    return sgn(p.q) * symbol.N(mark, abs(p.q)) - p.C


# ---- margins (mechanics 3.3 to 3.5) --------------------------------------------------------------------------------------------------

def side_need(symbol, mark, leverage, orders, buys, skip, rate):
    """What the orders of one side need; the first `skip` of their volume closes."""
    total = 0
    for price, quantity in sorted(orders, key=lambda order: -order[0] if buys else order[0]):
        closes = min(skip, quantity)
        skip, rest = skip - closes, quantity - closes
        if rest == 0:
            continue
        value = symbol.N(price if buys else max(price, mark), rest)
        loss = symbol.N(price, rest) - symbol.N(mark, rest)
        total += cdiv(value, leverage) + max(0, loss if buys else -loss) + fee(value, rate)
    return total


def order_margin(symbol, q, mark, leverage, buys, sells, rate):
    """(margin of the position, need of its side, need of the other side, IMreq) of a cross symbol."""
    held = cdiv(symbol.N(mark, abs(q)), leverage)
    buy = side_need(symbol, mark, leverage, buys, True, max(0, -q), rate)
    sell = side_need(symbol, mark, leverage, sells, False, max(0, q), rate)
    same, flip = (buy, sell) if q >= 0 else (sell, buy)
    return held, same, flip, max(held + same, flip) if q else max(buy, sell)


def removable(symbol, q, cost, bucket, leverage, mark):
    """(by the documented formula, by the guard): margin that may leave an isolated bucket; the smaller one counts."""
    profit, spare = sgn(q) * symbol.N(mark, abs(q)) - cost, bucket - cdiv(abs(cost), leverage)
    documented = max(0, min(spare, spare + profit))
    guard = max(0, bucket + min(profit, 0) - cdiv(symbol.N(mark, abs(q)), leverage))
    return documented, guard


# ---- liquidation, deleveraging (mechanics 3.11, 3.12) --------------------------------------------------------------------------------

def liq_price(symbol, q, cost, cash):
    """The mark at which cash + u = MM, to the tick on the early side; 0 = there is none.
    cash: the bucket, or W + the profit of the other positions - their maintenance margins."""
    side, size, deductions = sgn(q), abs(q), symbol.deductions()
    for i, (_, rate, _) in enumerate(symbol.tiers):
        money = abs(cost) - side * (cash + deductions[i])
        if money <= 0:
            return 0
        above, below = money * R8 * symbol.down(), size * (R8 - side * rate) * symbol.up()
        divide = cdiv if side > 0 else lambda a, b: a // b
        price = divide(divide(above, below), symbol.tick) * symbol.tick
        if symbol.tier(symbol.N(price, size)) == i:
            return price
    return 0


def liq_qty(symbol, equity, maintenance, mark, mmr, taker_rate, buffer, q):
    """What must be closed so that E comes back to (1 + buffer) * MM, up to the step; everything when that does not do. k >= 0."""
    short, freed = (R8 + buffer) * maintenance - equity * R8, (R8 + buffer) * mmr // R8 - taker_rate
    if short <= 0:
        return 0
    if freed <= 0:
        return abs(q)
    quantity = cdiv(short, mark * symbol.up() * freed)
    return min(abs(q), cdiv(quantity, symbol.step) * symbol.step)


def score(symbol, p, mark, equity):
    """Profit ratio times effective leverage of a profitable position, each at most 10^9."""
    profit = upnl(symbol, p, mark)
    if profit <= 0:
        return 0
    gained = min(10**9, profit * 10**6 // abs(p.C))
    return gained * min(10**9, symbol.N(mark, abs(p.q)) * 10**6 // max(equity, 1))


# ---- prices, funding (mechanics 3.9, 3.10) -------------------------------------------------------------------------------------------

def around(price, ratio):
    """price * (1 -+ ratio), the distance rounded down."""
    return price - price * ratio // R8, price + price * ratio // R8


def mark_step(index, mid, prices, funding_rate, left_ms, basis, mark, band, cap, mmr=2 * 10**6):
    """One TICK of the mark: (basis, P1, P2, P3, mark). prices: bid, ask and last, of those there are; mmr: the first maintenance rate."""
    most = index * min(10**6, mmr // 2) // R8
    basis += tdiv(clamp(mid - index, -most, most) * 10**6 - basis, 150)
    p1 = index + tdiv(basis, 10**6)
    p2 = clamp(median(prices), *around(index, 5 * 10**6)) if prices else index
    p3 = index + tdiv(index * funding_rate * left_ms, F12 * 3600000)
    raw = clamp(median([p1, p2, p3]), *around(index, band))
    return basis, p1, p2, p3, clamp(raw, *around(mark, cap))


def impact(symbol, notional, levels):
    """The average price of trading a notional into (price, quantity) levels, rounded down; None where they are not that deep."""
    left, base = notional, 0
    for price, quantity in levels:
        value = symbol.N(price, quantity)
        if value >= left:
            whole = base * R8 * 10 + left * R8 * 10 * symbol.down() // (price * symbol.up())
            return notional * R8 * 10 * symbol.down() // (whole * symbol.up())
        left, base = left - value, base + quantity
    return None


def premium(index, bid, ask):
    """A sample; a side without the depth is None and adds nothing."""
    above = max(0, bid - index) if bid is not None else 0
    below = max(0, index - ask) if ask is not None else 0
    return tdiv((above - below) * F12, index)


def hourly_rate(average, interest, limit, low, high):
    """(rate of 8 hours, rate of the hour)."""
    eight = average + clamp(interest - average, -limit, limit)
    return eight, clamp(tdiv(eight, 8), low, high)


def funding(notional, q, rate):
    """What a position of size q pays (> 0), rounded up, or receives (< 0), rounded down."""
    amount = notional * abs(rate)
    return cdiv(amount, F12) if sgn(q) * sgn(rate) > 0 else -(amount // F12)


# ---- rules that are no sums ----------------------------------------------------------------------------------------------------------

def fires(side, kind, reference, stop):
    """Whether a stop's condition holds (mechanics 4.1)."""
    rises = (side == "SELL") == (kind == "TAKE_PROFIT")
    return reference >= stop if rises else reference <= stop


def trim(orders, sells, size):
    """Reduce-only orders (id, price, quantity) within a position: [(id, before, after)] in their order of execution; earlier ones first."""
    left, done = size, []
    for name, price, quantity in sorted(orders, key=lambda order: order[1] if sells else -order[1]):
        done.append((name, quantity, min(quantity, left)))
        left -= done[-1][2]
    return done


def effective_rate(rate, staking, symbol_discount):
    """Discounts in 10^-4; a rebate takes none (mechanics 2.6)."""
    return cdiv(rate * (10**4 - staking) * (10**4 - symbol_discount), R8) if rate > 0 else rate


# ---- keccak, secp256k1, RLP: what E17 is made of (mechanics 8) -----------------------------------------------------------------------

MASK = 2**64 - 1


def round_constants():
    """The constants of Keccak-f[1600] out of its shift register."""
    state, constants = 1, []
    for _ in range(24):
        value = 0
        for j in range(7):
            value |= (state & 1) << ((1 << j) - 1)
            state = state << 1 ^ (0x171 if state >> 7 else 0)
        constants.append(value)
    return constants


CONSTANTS = round_constants()


def rotate(x, n):
    return (x << n | x >> 64 - n) & MASK if n else x


def permute(lanes):
    for constant in CONSTANTS:
        sums = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        lanes = [lane ^ sums[(i + 4) % 5] ^ rotate(sums[(i + 1) % 5], 1) for i, lane in enumerate(lanes)]
        x, y, carried = 1, 0, lanes[1]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            lanes[x + 5 * y], carried = rotate(carried, (t + 1) * (t + 2) // 2 % 64), lanes[x + 5 * y]
        lanes = [lanes[i] ^ ~lanes[i - i % 5 + (i + 1) % 5] & lanes[i - i % 5 + (i + 2) % 5] & MASK for i in range(25)]
        lanes[0] ^= constant
    return lanes


def keccak256(data):
    rate, lanes = 136, [0] * 25
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % rate))
    padded[-1] |= 0x80
    for at in range(0, len(padded), rate):
        for i in range(rate // 8):
            lanes[i] ^= int.from_bytes(padded[at + 8 * i:at + 8 * i + 8], "little")
        lanes = permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


PRIME = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
BASE = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798, 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def point_add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % PRIME == 0:
        return None
    slope = 3 * a[0]**2 * pow(2 * a[1], -1, PRIME) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, PRIME)
    x = (slope**2 - a[0] - b[0]) % PRIME
    return x, (slope * (a[0] - x) - a[1]) % PRIME


def point_times(n, point):
    total = None
    while n:
        total = point_add(total, point) if n & 1 else total
        point, n = point_add(point, point), n >> 1
    return total


def recover(digest, r, s, odd):
    """The address whose key signed the digest."""
    y = pow(r**3 + 7, (PRIME + 1) // 4, PRIME)
    y = PRIME - y if y % 2 != odd else y
    inverse, z = pow(r, -1, ORDER), int.from_bytes(digest, "big")
    x, y = point_add(point_times(s * inverse % ORDER, (r, y)), point_times(-z * inverse % ORDER, BASE))
    return keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:]


def big_endian(n):
    return n.to_bytes((n.bit_length() + 7) // 8, "big")


def rlp(value):
    if isinstance(value, int):
        value = big_endian(value)
    if isinstance(value, bytes):
        return value if len(value) == 1 and value[0] < 0x80 else rlp_head(len(value), 0x80) + value
    body = b"".join(map(rlp, value))
    return rlp_head(len(body), 0xC0) + body


def rlp_head(n, offset):
    return bytes([offset + n]) if n < 56 else bytes([offset + 55 + len(big_endian(n))]) + big_endian(n)
