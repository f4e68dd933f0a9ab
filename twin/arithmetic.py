# SPDX-License-Identifier: MIT
"""Random questions to the reference arithmetic of the specification and to src/rules; every answer must be the same to
the unit.

    arithmetic.py PROGRAM [ROUNDS [SEED]]      the reference is docs/spec/mechanics_arithmetic.py
"""
import os, random, subprocess, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "docs", "spec"))
import mechanics_arithmetic


def near(r, centre, width):
    return centre + r.choice((-width, -1, 0, 1, width, r.randint(-width, width)))


def symbol(m, r):
    """A symbol of random precisions and tiers; maintenance rates are 1 / (2 * maxLeverage), as the specification
    derives them."""
    pp, qp = r.choice(((1, 5), (2, 4), (2, 2), (0, 3), (3, 5)))
    levers = sorted(r.sample((100, 50, 40, 25, 20, 10, 8, 5, 4, 2), r.randint(1, 4)), reverse=True)
    bounds = sorted(r.sample(range(10**9, 10**14), len(levers)))
    return m.Sym("X", pp, qp, tiers=[(b, m.R8 // (2 * l), l) for b, l in zip(bounds, levers)])


def told_tiers(s):
    return "%d %s" % (len(s.tiers), " ".join("%d %d" % (b, l) for b, _, l in s.tiers))


def ask_maintain(m, r):
    s = symbol(m, r)
    n = near(r, r.choice(s.tiers)[0], 1000) if r.random() < 0.7 else r.randint(0, 10**15)
    n = max(0, n)
    return "maintain %s %d" % (told_tiers(s), n), (s.MM(n),)


def ask_fill(m, r):
    s, book = symbol(m, r), m.Perps()
    book.deposit("A", 10**15)
    p = book.pos("A", s)
    p.iso, p.L = r.random() < 0.5, r.randint(1, 50)
    if r.random() < 0.8:
        dq = r.choice((-1, 1)) * r.randint(1, 10**8)
        book.apply("A", s, dq, s.N(r.randint(1, 10**7), abs(dq)))
    size, cost, bucket, cash = p.q, p.C, p.bucket, book.W["A"]
    dq = -p.q if p.q and r.random() < 0.3 else r.choice((-1, 1)) * max(1, near(r, abs(p.q) or 1000, 500))
    price = r.randint(1, 10**7)
    value, worst = s.N(price, abs(dq)), r.choice((0, near(r, price, 900) if price > 1000 else price))
    realized = book.apply("A", s, dq, value)
    lost = open_loss(m, s, p, size, dq, value, worst) if p.iso and worst else 0
    text = "fill %d %d %d %d %d %d %d %d %d" % (size, cost, bucket, p.iso, p.L, dq, value, worst, s.k())
    return text, (p.q, p.C, p.bucket + lost, realized, book.W["A"] - cash - lost)


def open_loss(m, s, p, size, dq, value, worst):
    """Ruling 65: an opening takes its loss at the worst price into the bucket beside the margin of its value; a short
    has the margin of the worst price where that is higher. The worst value is rounded against the opening."""
    closed = min(abs(dq), abs(size)) if size and (size > 0) != (dq > 0) else 0
    opened = abs(dq) - closed
    if opened == 0:
        return 0
    value -= value * closed // abs(dq) if closed else 0
    if dq > 0:
        return max(0, value - s.N(worst, opened))
    product = worst * opened
    at_worst = product * 10**s.k() if s.k() >= 0 else m.cdiv(product, 10**-s.k())
    return max(0, at_worst - value) + m.cdiv(max(value, at_worst), p.L) - m.cdiv(value, p.L)


def ask_need(m, r):
    s, mark = symbol(m, r), r.randint(1000, 10**6)
    orders = [[(near(r, mark, 500) if mark > 600 else mark, r.randint(1, 10**6)) for _ in range(r.randint(0, 4))]
              for _ in range(2)]
    orders[0].sort(key=lambda o: -o[0])
    orders[1].sort(key=lambda o: o[0])
    q, lever, rate = r.choice((0, -1, 1)) * r.randint(1, 2 * 10**6), r.randint(1, 50), r.choice((0, 40000, 123))
    low, high = (mark, mark) if r.random() < 0.3 else (mark - r.randint(0, mark // 9), mark + r.randint(0, mark // 9))
    text = "need %d %d %d %d %d %d %d" % (q, mark, low, high, lever, rate, s.k())
    for side in orders:
        text += " %d" % len(side) + "".join(" %d %d" % o for o in side)
    if low == high:
        return text, (m.order_margin(s, q, mark, lever, orders[0], orders[1], rate)[3],)
    # ruling 63: each side at the worst price of its opening part
    held = m.order_margin(s, q, mark, lever, [], [], rate)[0]
    buys = m.order_margin(s, q, low, lever, orders[0], [], rate)[1 if q >= 0 else 2]
    sells = m.order_margin(s, q, high, lever, [], orders[1], rate)[2 if q >= 0 else 1]
    return text, (max(buys + (held if q > 0 else 0), sells + (held if q < 0 else 0)),)


def ask_liquidation(m, r):
    s = symbol(m, r)
    s.tick = r.choice((1, 5, 10))
    q = r.choice((-1, 1)) * r.randint(1, 10**8)
    cost = s.N(r.randint(1000, 10**6), abs(q)) * m.sgn(q)
    cash = r.randint(-abs(cost) // 10, abs(cost) // 2 + 1)
    return "liquidation %s %d %d %d %d %d" % (told_tiers(s), q, cost, cash, s.tick,
                                              s.k()), (m.liq_price(s, q, cost, cash),)


def ask_close(m, r):
    while True:
        s = symbol(m, r)
        if s.k() >= 0:
            break
    s.step = r.choice((1, 10, 100))
    mark, q = r.randint(1000, 10**6), r.choice((-1, 1)) * s.step * r.randint(1, 10**6)
    value = s.N(mark, abs(q))
    mm = s.MM(value)
    mmr, e, f, beta = s.tiers[s.tier(value)][1], near(r, mm,
                                                      mm // 2 + 1), r.choice((0, 40000)), r.choice((10**7, 5 * 10**6))
    return "close %s %d %d %d %d %d %d %d %d" % (told_tiers(s), e, mm, mark, q, f, beta, s.step,
                                                 s.k()), (m.liq_qty(s, e, mm, mark, mmr, f, beta, q),)


def ask_score(m, r):
    s, mark = symbol(m, r), r.randint(1000, 10**6)
    p = m.Pos(q=r.choice((-1, 1)) * r.randint(1, 10**8))
    p.C = m.sgn(p.q) * max(1, s.N(near(r, mark, 900), abs(p.q)))
    e = r.randint(-10**6, 10**12)
    return "score %d %d %d %d" % (m.upnl(s, p, mark), p.C, s.N(mark, abs(p.q)), e), (m.score(s, p, mark, e),)


def ask_removable(m, r):
    s, mark = symbol(m, r), r.randint(1000, 10**6)
    q = r.choice((-1, 1)) * r.randint(1, 10**8)
    cost, lever = m.sgn(q) * s.N(near(r, mark, 900), abs(q)), r.randint(1, 50)
    b = near(r, m.cdiv(abs(cost), lever), 10**6)
    worst = mark - m.sgn(q) * r.choice((0, 1, r.randint(0, mark // 9)))         # ruling 63
    u = m.sgn(q) * s.N(worst, abs(q)) - cost
    spare = b - m.cdiv(abs(cost), lever)
    doc, guard = max(0, min(spare, spare + u)), max(0, b + min(u, 0) - m.cdiv(s.N(mark, abs(q)), lever))       # E15
    return "removable %d %d %d %d %d %d %d" % (worst, mark, q, cost, b, lever, s.k()), (min(doc, guard),)


def ask_funding(m, r):
    interest, cap = r.choice((0, 10000, -5000)), r.choice((1000000, 4000000, 50000))
    count, value = r.randint(1, 720), r.randint(0, 10**15)
    total = r.randint(-10**12, 10**12) * count // r.choice((1, 100, 10000)) + r.randint(-count, count)
    average = m.tdiv(total, count)                                                                             # E11
    rate = max(-cap * 10**4,
               min(cap * 10**4, m.tdiv(average + max(-5 * 10**8, min(5 * 10**8, interest * 10**4 - average)), 8)))
    long_pays = m.cdiv(value * rate, m.F12) if rate > 0 else -(value * -rate // m.F12)
    short_pays = m.cdiv(value * -rate, m.F12) if rate < 0 else -(value * rate // m.F12)
    return "funding %d %d %d %d %d" % (interest, cap, total, count, value), (rate, long_pays, short_pays)


def ask_mark(m, r):
    """E14; the index is a multiple of 100, so that the bands around it are whole price units."""
    index, band, cap = 100 * r.randint(10, 10**6), r.choice((4 * 10**6, 2 * 10**6)), r.choice((10**6, 250000))
    bid = near(r, index, index // 50)
    ask, last = bid + r.randint(1, index // 50 + 1), near(r, index, index // 20)
    rate, left, basis = r.randint(-10**10, 10**10), r.randint(0, 3600000), r.randint(-10**8, 10**8)
    prev = near(r, index, index // 30)
    # from 25 times on half of it is less than 1 %
    mmr = r.choice((4 * 10**6, 2 * 10**6, 10**6, 961538))
    most = index * min(10**6, mmr // 2) // m.R8
    basis_after = basis + m.tdiv(max(-most, min(most, (bid + ask) // 2 - index)) * 10**6 - basis, 150)
    p1 = index + m.tdiv(basis_after, 10**6)
    p2 = max(index * 95 // 100, min(index * 105 // 100, m.median([bid, ask, last])))
    p3 = index + m.tdiv(index * rate * left, m.F12 * 3600000)
    raw = m.median([p1, p2, p3])
    raw = max(index * (m.R8 - band) // m.R8, min(index * (m.R8 + band) // m.R8, raw))
    after = max(prev - prev * cap // m.R8, min(prev + prev * cap // m.R8, raw))
    return "mark %d %d %d %d %d %d %d %d %d %d %d" % (band, cap, index, bid, ask, last, rate, left, basis, mmr,
                                                      prev), (basis_after, p1, p2, p3, after)


def main():
    program, rounds, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000, int(sys.argv[3]) if len(
        sys.argv) > 3 else 7
    m, r = mechanics_arithmetic, random.Random(seed)
    asks = [value for name, value in sorted(globals().items()) if name.startswith("ask_")]
    questions = [asks[i % len(asks)](m, r) for i in range(rounds)]
    done = subprocess.run([program], input="".join(text + "\n" for text, _ in questions), capture_output=True,
                          text=True, check=True)
    answers = done.stdout.splitlines()
    assert len(answers) == rounds, "an answer is missing"
    wrong = [(text, want, got) for (text, want), got in zip(questions, answers)
             if tuple(map(int, got.split())) != tuple(want)]
    for text, want, got in wrong[:10]:
        print("%s\n  reference %s\n  risk      %s" % (text, " ".join(map(str, want)), got))
    print("%d questions of %d kinds, seed %d: %d different" % (rounds, len(asks), seed, len(wrong)))
    return 1 if wrong else 0


sys.exit(main())
