#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worked examples of docs/spec/mechanics, computed with mechanics_arithmetic.py.

    mechanics_examples.py                 compute every example of mechanics_vectors.json again and compare; 0 = all agree
    mechanics_examples.py --markdown      print docs/spec/mechanics/09-examples.md
    mechanics_examples.py --write         put what is computed into mechanics_vectors.json (after a rule has changed on purpose)
A file named as an argument is taken in the place of mechanics_vectors.json.

mechanics_vectors.json is a list of examples: id, title, inputs, outputs and, where the exchange departs from the example, note. Each has a
function here that makes the outputs of the inputs. Units are those of mechanics_arithmetic.py.
"""
import json, os, random, sys, textwrap
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from mechanics_arithmetic import (R8, Perps, Sym, around, cdiv, clamp, dec, effective_rate, fee, fires, funding, hourly_rate, impact, keccak256, liq_price,
                                  liq_qty, mark_step, order_margin, premium, px, recover, removable, rlp, score, sgn, trim, upnl)


# ---- the symbols of the examples -----------------------------------------------------------------------------------------------------

BTC = Sym("BTC-USD", 1, 5, tiers=[(px("4000000", 6), 2000000, 25), (px("10000000", 6), 2500000, 20), (px("50000000", 6), 5000000, 10)])
ETH = Sym("ETH-USD", 2, 4, tiers=[(px("4000000", 6), 2500000, 20), (px("20000000", 6), 5000000, 10)])
SPOT = Sym("vBTC_vUSDC", 1, 5)


def usd(units):
    return dec(units, 6)


def levels_of(rows, symbol=BTC):
    return [(px(price, symbol.pp), px(quantity, symbol.qp)) for price, quantity in rows]


# ---- E1 to E3: spot ------------------------------------------------------------------------------------------------------------------

def e1(i):
    price, rest, rate = px(i["price"], 1), px(i["quantity"], 5), px(i["takerFeeRate"], 8)
    first = hold = SPOT.Nc(price, rest)
    spent, got, rows = 0, 0, []
    for at, quantity in levels_of(i["fills"], SPOT):
        paid, charged = SPOT.N(at, quantity), fee(quantity * 1000, rate)
        rest, spent, got = rest - quantity, spent + paid, got + quantity * 1000 - charged
        refund, hold = hold - SPOT.Nc(price, rest) - paid, SPOT.Nc(price, rest)
        rows.append(dict(price=dec(at, 1), qty=dec(quantity, 5), quotePaid=usd(paid), refund=usd(refund), locked=usd(hold), feeBase=dec(charged, 8)))
    assert first == spent + hold + sum(px(row["refund"], 6) for row in rows)
    return dict(initialHold=usd(first), fills=rows, lockedAfter=usd(hold), quoteSpent=usd(spent), baseReceivedNet=dec(got, 8))


def buy_by_funds(funds, asks, last, deviation):
    left, got, rows = funds, 0, []
    for price, there in asks:
        if price * R8 > last * (R8 + deviation):
            return left, got, rows, "PRICE_BOUND"
        quantity = min(there, left * SPOT.down() // (price * SPOT.up()) // SPOT.step * SPOT.step)
        if quantity:
            paid = SPOT.N(price, quantity)
            left, got = left - paid, got + quantity
            rows.append(dict(price=dec(price, 1), qty=dec(quantity, 5), quote=usd(paid), fundsLeft=usd(left)))
        if quantity < there:
            return left, got, rows, "FUNDS_DUST"
    return left, got, rows, "NO_LIQUIDITY"


def e2(i):
    funds, last, deviation = px(i["funds"], 6), px(i["lastTradePrice"], 1), px(i["marketDeviationRatio"], 8)
    left, got, rows, why = buy_by_funds(funds, levels_of(i["asks"], SPOT), last, deviation)
    deep_left, deep_got, _, deep_why = buy_by_funds(funds, levels_of(i["deepAsks"], SPOT), last, deviation)
    status = {"FUNDS_DUST": "FILLED"}
    return dict(bound=dec(last * (R8 + deviation) // R8, 1), fills=rows, executedQty=dec(got, 5), executedValue=usd(funds - left), refund=usd(left),
                status=status.get(why, "EXPIRED"), stopReason=why,
                deepBook=dict(executedQty=dec(deep_got, 5), refund=usd(deep_left), status=status.get(deep_why, "EXPIRED")))


def e3(i):
    price, quantity = px(i["price"], 1), px(i["quantity"], 5)
    notional, base = SPOT.N(price, quantity), quantity * 1000
    taken, made, paid_back = fee(base, px(i["takerRate"], 8)), fee(notional, px(i["makerRate"], 8)), fee(base, px(i["rebateRate"], 8))
    assert taken + paid_back >= 0
    return dict(notional=usd(notional), takerFee=dec(taken, 8), takerReceives=dec(base - taken, 8), makerFee=usd(made), makerReceives=usd(notional - made),
                vault=dict(vBTC=dec(taken, 8), vUSDC=usd(made)),
                rebate=dict(makerFee=dec(paid_back, 8), vault_vBTC=dec(taken + paid_back, 8), makerReceives=usd(notional)))


# ---- E4 to E7: cost, margins ---------------------------------------------------------------------------------------------------------

def e4(i):
    book = Perps()
    for who in "AM":
        book.deposit(who, px(i["deposit"], 6))
    fills = [(px(quantity, 5), px(price, 1)) for quantity, price in i["fills"]]
    done, costs, p = [], [], book.pos("A", BTC)
    for quantity, price in fills:
        held = p.q
        buyer, seller = ("A", "M") if quantity > 0 else ("M", "A")
        notional, bought, sold = book.trade(BTC, buyer, seller, price, abs(quantity))
        done.append((notional, bought if quantity > 0 else sold, abs(held)))
        costs.append((p.C, p.q))
    entry = Decimal(costs[1][0]) / costs[1][1] / 10
    closed = done[3][2]
    return dict(cost=usd(costs[1][0]), avgEntry=format(entry.quantize(Decimal("0.00001")), "f"), realized1=usd(done[2][1]), costAfter1=usd(costs[2][0]),
                flip=dict(closeQty=dec(closed, 5), closeNotional=usd(done[3][0] * closed // abs(fills[3][0])), realized2=usd(done[3][1]),
                          newSize=dec(p.q, 5), newCost=usd(p.C)),
                walletA=usd(book.W["A"]), invariant=usd(sum(book.W.values()) - sum(row.C for row in book.P.values())))


def e5(i):
    def margin(case):
        return order_margin(BTC, px(case["position"], 5), px(i["mark"], 1), i["leverage"], levels_of(case["buys"]), levels_of(case["sells"]),
                            px(i["takerRate"], 8))
    held, same, flip, required = margin(i)
    _, buys, sells, flat = margin(i["flat"])
    return dict(positionIM=usd(held), sameSide=usd(same), flipSide=usd(flip), required=usd(required), orderFrozen=usd(required - held),
                flatAccountOpenLoss=dict(buySide=usd(buys), sellSide=usd(sells), required=usd(flat)))


def e6(i):
    q, large = px(i["quantity"], 5), px(i["largeQuantity"], 5)
    cost, large_cost = BTC.N(px(i["price"], 1), q), BTC.N(px(i["price"], 1), large)
    bucket, large_bucket = cdiv(cost, i["leverage"]), cdiv(large_cost, i["largeLeverage"])
    prices = {side: liq_price(BTC, side * q, side * cost, bucket) for side in (1, -1)}
    for side, price in prices.items():                  # healthy there, not one price unit further
        health = [bucket + side * (BTC.N(at, q) - cost) - BTC.MM(BTC.N(at, q)) for at in (price, price - side)]
        assert health[0] >= 0 > health[1]
    last = liq_price(BTC, large, large_cost, large_bucket)
    return dict(deductions=[usd(d) for d in BTC.deductions()],
                maintenance=[dict(notional=n, mm=usd(BTC.MM(px(n, 6))), tier=BTC.tier(px(n, 6))) for n in i["notionals"]],
                long=dict(liq=dec(prices[1], 1), bankruptcy=dec(cdiv(cost - bucket, q), 1)),
                short=dict(liq=dec(prices[-1], 1), bankruptcy=dec((cost + bucket) // q, 1)),
                sixtyBTC_20x=dict(bucket=usd(large_bucket), liq=dec(last, 1), tierAtLiq=BTC.tier(BTC.N(last, large))))


def e7(i):
    book = Perps()
    book.deposit("A", px(i["deposit"], 6))
    book.deposit("M", px("1000000", 6))
    book.trade(BTC, "A", "M", px(i["btc"]["price"], 1), px(i["btc"]["quantity"], 5))
    book.trade(ETH, "M", "A", px(i["eth"]["price"], 2), px(i["eth"]["soldQuantity"], 4))
    rows = {"BTC": (BTC, book.pos("A", BTC)), "ETH": (ETH, book.pos("A", ETH))}

    def figures(marks):
        profit = {n: upnl(s, p, marks[n]) for n, (s, p) in rows.items()}
        maintenance = {n: s.MM(s.N(marks[n], abs(p.q))) for n, (s, p) in rows.items()}
        return profit, maintenance, book.W["A"] + sum(profit.values())

    def available(marks):
        profit = sum(figures(marks)[0].values())
        margin = sum(cdiv(s.N(marks[n], abs(p.q)), i["leverage"]) for n, (s, p) in rows.items())
        return dict(uPnL=usd(profit), initialMargin=usd(margin), am=usd(max(0, book.W["A"] + profit - margin)),
                    amw=usd(max(0, book.W["A"] + min(profit, 0) - margin)))

    marks, better = ({"BTC": px(m["btc"], 1), "ETH": px(m["eth"], 2)} for m in (i["marks"], i["marksInProfit"]))
    profit, maintenance, equity = figures(marks)
    prices = {}
    for n, (s, p) in rows.items():
        other = "ETH" if n == "BTC" else "BTC"
        prices[n] = liq_price(s, p.q, p.C, book.W["A"] + profit[other] - maintenance[other])
        for at, healthy in ((prices[n], True), (prices[n] - sgn(p.q), False)):
            _, mm, e = figures({**marks, n: at})
            assert (e >= sum(mm.values())) == healthy
    return dict(uPnL={n: usd(v) for n, v in profit.items()}, equity=usd(equity), mm={n: usd(v) for n, v in maintenance.items()},
                liqPrice=dict(BTC=dec(prices["BTC"], 1), ETH=dec(prices["ETH"], 2)),
                availability=dict(atMarks=available(marks), atProfit=available(better)))


# ---- E8 to E10c: liquidation ---------------------------------------------------------------------------------------------------------

def e8(i):
    book = Perps()
    for who, amount in (("A", i["wallet"]), ("M", "5000000"), ("T", "5000000")):
        book.deposit(who, px(amount, 6))
    book.trade(BTC, "A", "M", px(i["price"], 1), px(i["quantity"], 5))
    p, mark, rate = book.pos("A", BTC), px(i["mark"], 1), px(i["takerFee"], 8)

    def health():
        return book.W["A"] + upnl(BTC, p, mark), BTC.MM(BTC.N(mark, abs(p.q)))

    equity, maintenance = health()
    wanted = left = liq_qty(BTC, equity, maintenance, mark, BTC.tiers[0][1], rate, px(i["buffer"], 8), p.q)
    bound, rows = cdiv(BTC.N(mark, p.q) - equity, p.q), []
    for price, there in levels_of(i["bids"]):
        quantity = min(there, left) if price >= bound else 0
        if quantity:
            result = book.trade(BTC, "T", "A", price, quantity, 0, rate)[2]
            left -= quantity
            rows.append(dict(price=dec(price, 1), qty=dec(quantity, 5), realized=usd(result)))
    equity_after, maintenance_after = health()
    return dict(equity=usd(equity), maintenance=usd(maintenance), trigger=equity < maintenance, closeQty=dec(wanted, 5),
                limitBound_bankruptcy=dec(bound, 1), fills=rows, sizeLeft=dec(p.q, 5), equityAfter=usd(equity_after), maintenanceAfter=usd(maintenance_after),
                healthy=equity_after >= maintenance_after)


def e9(i):
    book = Perps()
    for who, amount in (("A", i["wallet"]), ("M", "1000000"), ("IF", i["insuranceFund"])):
        book.deposit(who, px(amount, 6))
    book.trade(BTC, "A", "M", px(i["btc"]["price"], 1), px(i["btc"]["quantity"], 5))
    book.trade(ETH, "A", "M", px(i["eth"]["price"], 2), px(i["eth"]["quantity"], 4))
    rows = [(s, book.pos("A", s), px(mark, s.pp)) for s, mark in ((BTC, i["marks"]["btc"]), (ETH, i["marks"]["eth"]))]
    values = [s.N(mark, p.q) for s, p, mark in rows]
    margins = [s.MM(value) for (s, _, _), value in zip(rows, values)]
    equity, maintenance = book.W["A"] + sum(upnl(*row) for row in rows), sum(margins)
    first = equity * margins[0] // maintenance
    shares = [first, equity - first]
    prices = [Decimal(value - share) / p.q / 10**s.pp for (s, p, _), value, share in zip(rows, values, shares)]
    before = book.W["IF"]
    for (s, p, _), value in zip(rows, values):
        q = p.q
        book.apply("A", s, -q, value)
        book.apply("IF", s, q, value)
    book.W["IF"], book.W["A"] = book.W["IF"] + book.W["A"], 0
    book.check()
    assert book.W["IF"] - before == equity
    return dict(equity=usd(equity), maintenance=usd(maintenance), threeE_lt_twoMM=3 * equity < 2 * maintenance,
                equityShares=dict(BTC=usd(shares[0]), ETH=usd(shares[1])),
                takeOverPrice=dict(BTC=format(prices[0].quantize(Decimal("0.1")), "f"), ETH=format(prices[1].quantize(Decimal("0.01")), "f")),
                walletA=usd(book.W["A"]), IFcash=usd(book.W["IF"]), IFequity=usd(book.W["IF"] + sum(upnl(s, book.pos("IF", s), mark) for s, _, mark in rows)),
                IFgain=usd(book.W["IF"] - before), btcNotional=usd(values[0]))


def e10(i):
    book, mark = Perps(), px(i["mark"], 1)
    for who, amount in i["wallets"].items():
        book.deposit(who, px(amount, 6))
    bankrupt = book.pos("A", BTC)
    bankrupt.iso, bankrupt.L = True, i["leverage"]
    for buyer, seller, price, quantity in i["trades"]:
        book.trade(BTC, buyer, seller, px(price, 1), px(quantity, 5))
    equity, maintenance = bankrupt.bucket + upnl(BTC, bankrupt, mark), BTC.MM(BTC.N(mark, bankrupt.q))
    subsidy = min(-equity, book.W["IF"])
    book.W["IF"] -= subsidy
    bankrupt.bucket += subsidy
    size, deficit = bankrupt.q, -equity - subsidy
    value = BTC.N(mark, size) + deficit
    rows = [(who, score(BTC, p, mark, e), upnl(BTC, p, mark), e)
            for who, p, e in ((w, book.pos(w, BTC), book.W[w] + upnl(BTC, book.pos(w, BTC), mark)) for w in "BCD")]
    rows = sorted((row for row in rows if row[2] > 0), key=lambda row: (-row[1], row[0]))
    ranked = [(row, 1 + 5 * rank // len(rows)) for rank, row in enumerate(rows)]
    left, used, fills = size, 0, []
    for (who, points, _, _), group in ranked:           # one candidate in each group
        quantity = min(left, abs(book.pos(who, BTC).q))
        if quantity == 0:
            continue
        part = value - used if quantity == left else value * quantity // size
        used, left = used + part, left - quantity
        fills.append(dict(account=who, group=group, score=points, qty=dec(quantity, 5), notional=usd(part), realized=usd(book.apply(who, BTC, quantity, part))))
    assert left == 0
    book.apply("A", BTC, -size, value)
    book.check()
    return dict(equityA=usd(equity), maintenance=usd(maintenance), subsidy=usd(subsidy), deficitLeft=usd(deficit), adlPrice=dec(value // size, 1),
                candidates=[dict(account=who, uPnL=usd(u), equity=usd(e), score=points, group=group) for (who, points, u, e), group in ranked],
                fills=fills, walletA=usd(book.W["A"]), IF=usd(book.W["IF"]),
                invariant=usd(sum(book.W.values()) + sum(p.bucket - p.C for p in book.P.values())))


def e10b(i):
    sizes, wanted = i["lots"], i["wanted"]
    parts = {who: wanted * size // sum(sizes.values()) for who, size in sizes.items()}
    floors, left = dict(parts), wanted - sum(parts.values())
    parts[i["higherScore"]] += left
    return dict(floor=floors, leftover=left, allocation=parts)


def e10c(i):
    q, fund = px(i["quantity"], 5), px(i["fundBudget"], 6)
    cost, bucket, rows = BTC.N(px(i["price"], 1), q), px(i["bucket"], 6), []
    for mark, index in i["prices"]:
        value, worse = BTC.N(px(mark, 1), q), BTC.N(min(px(mark, 1), px(index, 1)), q)
        equity, maintenance, at_worse = bucket + value - cost, BTC.MM(value), bucket + worse - cost
        subsidy = min(max(0, -at_worse), fund)
        price = worse if at_worse >= 0 else worse - (at_worse + subsidy)
        assert bucket + subsidy + price - cost == max(0, at_worse)
        rows.append(dict(mark=mark, index=index, E=usd(equity), MM=usd(maintenance), stage2=3 * equity < 2 * maintenance, E_at_t=usd(at_worse),
                         takeOverAllowed=at_worse >= -fund, adlSubsidy=usd(subsidy), adlPrice=dec(price // q, 1), residualToFund=usd(max(0, at_worse))))
    return dict(rows=rows)


# ---- E11 to E15: funding, stops, prices ----------------------------------------------------------------------------------------------

def e11(i):
    index, notional = px(i["index"], 1), px(i["impactNotional"], 6)
    bid, ask = impact(BTC, notional, levels_of(i["bids"])), impact(BTC, notional, levels_of(i["asks"]))
    rates = []
    for average in i["averages"]:
        eight, hour = hourly_rate(px(average, 12), px(i["interest"], 12), px(i["clamp"], 12), px(i["lowest"], 12), px(i["highest"], 12))
        rates.append(dict(avgPremium=average, rate8h=dec(eight, 12), hourly=dec(hour, 12)))
    paid = {}
    for who, size in i["payment"]["sizes"].items():
        q = px(size, 5)
        paid[who] = funding(BTC.N(px(i["payment"]["mark"], 1), abs(q)), q, px(i["payment"]["hourly"], 12))
    dust = sum(paid.values())
    assert 0 <= dust < len(paid)
    return dict(impactBid=dec(bid, 1), impactAsk=dec(ask, 1), premium=dec(premium(index, bid, ask), 12), rates=rates,
                payments={who: usd(amount) for who, amount in paid.items()}, dustToInsuranceFund=usd(dust))


class Bracket:
    """A long parent with one take-profit and one stop-loss (mechanics 4.3): what each stands at after each event."""

    def __init__(self, quantity):
        self.quantity, self.parent, self.position, self.executed = quantity, "NEW", 0, 0
        self.tp, self.sl, self.tp_left, self.sl_left = "PENDING_NEW", "PENDING_NEW", 0, 0

    def shown(self, event):
        return dict(event=event, parent=self.parent, position=dec(self.position, 5), tp=self.tp, tpQty=dec(self.tp_left, 5), sl=self.sl, slQty=dec(self.sl_left, 5))

    def parent_fills(self, quantity):
        self.executed += quantity
        self.position += quantity
        self.parent = "FILLED" if self.executed == self.quantity else "PARTIALLY_FILLED"
        self.tp = self.sl = "NEW"
        self.tp_left = self.sl_left = self.executed

    def parent_is_canceled(self):
        self.parent = "CANCELED"

    def tp_fires(self):
        self.tp = "TRIGGERED->NEW (resting)"

    def tp_fills(self, quantity):
        self.position -= quantity
        self.tp_left -= quantity
        self.sl_left = self.tp_left
        self.tp = "PARTIALLY_FILLED"

    def sl_fires_and_fills(self):
        self.tp, self.sl = "CANCELED (OCO_SIBLING)", "TRIGGERED->FILLED"
        self.tp_left = self.sl_left = self.position = 0


def e12(i):
    entry, target, sold, first = px(i["price"], 1), px(i["takeProfit"], 1), px(i["stopFilledAt"], 1), px(i["firstFill"], 5)
    total, part = px(i["quantity"], 5), px(i["takeProfitFill"], 5)
    kept, whole = Bracket(total), Bracket(total)
    partial = [kept.shown("placed")]
    kept.parent_fills(first)
    partial.append(kept.shown("the parent fills %s" % i["firstFill"]))
    kept.parent_is_canceled()
    partial.append(kept.shown("the parent is canceled by its owner"))
    whole.parent_fills(first)
    whole.parent_fills(total - first)
    full = [whole.shown("the parent fills %s more" % dec(total - first, 5))]
    whole.tp_fires()
    full.append(whole.shown("mark %s: the take-profit fires and rests; the stop-loss stays armed" % i["takeProfit"]))
    whole.tp_fills(part)
    full.append(whole.shown("the take-profit fills %s" % i["takeProfitFill"]))
    left = whole.position
    whole.sl_fires_and_fills()
    full.append(whole.shown("mark %s: the stop-loss fires; the rest of the take-profit goes, then %s are sold at %s" % (i["stopLoss"], dec(left, 5), i["stopFilledAt"])))
    return dict(partialThenCancel=partial, fullFillPath=full, realizedPnL=usd(part * (target - entry) + left * (sold - entry)))


def e13(i):
    orders = [(name, px(price, 1), px(quantity, 5)) for name, quantity, price in i["orders"]]

    def shown(rows):
        def what(before, after):
            return "unchanged" if before == after else "REPLACED" if after else "CANCELED"
        return [dict(id=name, before=dec(b, 5), after=dec(a, 5), result=what(b, a)) for name, b, a in rows]

    placed = trim(orders, True, px(i["position"], 5))
    fitting = [(name, price, dict((n, a) for n, _, a in placed)[name]) for name, price, _ in orders]
    name, quantity, price = i["betterOrder"]
    return dict(atPlacement=shown(placed), afterPositionDrops=shown(trim(fitting, True, px(i["smallerPosition"], 5))),
                afterBetterOrder=shown(trim(fitting + [(name, px(price, 1), px(quantity, 5))], True, px(i["position"], 5))))


def e14(i):
    index, mark, band, cap, basis, rows = px(i["index"], 1), px(i["markBefore"], 1), px(i["markBand"], 8), px(i["markStepCap"], 8), 0, []
    for t, (mid, bid, ask, last) in enumerate([i["calm"]] * i["calmSeconds"] + [i["spoofed"]] * i["spoofedSeconds"]):
        basis, p1, p2, p3, mark = mark_step(index, px(mid, 1), [px(bid, 1), px(ask, 1), px(last, 1)], px(i["fundingRate"], 12), i["toFundingMs"],
                                            basis, mark, band, cap)
        rows.append(dict(t=t, mid=mid, P1=dec(p1, 1), P2=dec(p2, 1), P3=dec(p3, 1), mark=dec(mark, 1)))
    goal, mark, steps = px(i["gap"]["to"], 1), px(i["gap"]["from"], 1), []
    for _ in range(i["gap"]["seconds"]):
        mark = clamp(goal, *around(mark, cap))
        steps.append(dec(mark, 1))
    return dict(series=rows, indexGap=dict(markPerSecond=steps))


def e15(i):
    q, bucket, rows = px(i["quantity"], 5), px(i["bucket"], 6), []
    cost = BTC.N(px(i["price"], 1), q)
    for text in i["marks"]:
        mark = px(text, 1)
        documented, guard = removable(BTC, q, cost, bucket, i["leverage"], mark)
        rows.append(dict(mark=text, uPnL=usd(BTC.N(mark, q) - cost), docFormula=usd(documented), guard=usd(guard), removable=usd(min(documented, guard))))
    return dict(rows=rows)


# ---- E16 to E24 ----------------------------------------------------------------------------------------------------------------------

def e16(i):
    left, events = i["quantity"], []
    for number, owner, quantity, price in i["bids"]:
        if left and owner == i["taker"]:
            events.append(dict(order=number, canceled="SELF_TRADE"))
        elif left:
            filled = min(left, quantity)
            left -= filled
            events.append(dict(order=number, filled=filled, price=price))

    def replaced(name, quantity, moved=False):
        queue = i["queue"]
        before = dict(queue)[name]
        at_back = moved or quantity > before
        rows = [[n, quantity if n == name else x] for n, x in queue if n != name or not at_back]
        return rows + [[name, quantity]] * (at_back and not moved)

    return dict(stp=events, takerLeft=left, queueAfter={change: replaced(name, quantity, moved) for change, (name, quantity, moved) in i["replaces"].items()})


def typed_digest(name, chain, payload, nonce):
    domain = keccak256(b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
    separator = keccak256(domain + keccak256(name.encode()) + keccak256(b"1") + chain.to_bytes(32, "big") + bytes(32))
    action = keccak256(keccak256(b"ExchangeAction(bytes32 payloadHash,uint64 nonce)") + keccak256(payload) + nonce.to_bytes(32, "big"))
    return keccak256(b"\x19\x01" + separator + action)


def block_hash(parent, number, seconds, transactions_root, millis, i):
    empty = keccak256(rlp(b""))
    return keccak256(rlp([parent, keccak256(rlp([])), bytes(20), keccak256(i["stateRootOf"].encode()), transactions_root, empty, bytes(256), 0, number,
                          30000000, 0, seconds, millis.to_bytes(8, "big"), bytes(32), bytes(8)]))


def e17(i):
    payload, signature, chain, nonce = i["payload"].encode(), bytes.fromhex(i["signature"][2:]), i["chainId"], i["nonce"]
    r, s, odd = int.from_bytes(signature[1:33], "big"), int.from_bytes(signature[33:65], "big"), signature[65]
    digest = typed_digest(i["domain"], chain, payload, nonce)
    signer, to = recover(digest, r, s, odd), bytes.fromhex(i["to"][2:])
    raw = bytes([0x53]) + rlp([chain, nonce, to, 0, payload, 0, odd, r, s])
    tx, empty = keccak256(raw), keccak256(rlp(b""))
    genesis = block_hash(bytes(32), 0, i["seconds"], empty, i["genesisMs"], i)
    block = block_hash(genesis, 1, i["seconds"], keccak256(tx), i["blockMs"], i)
    shown = dict(type="0x53", hash="0x" + tx.hex(), blockHash="0x" + block.hex(), blockNumber="0x1", blockTimestamp=hex(i["seconds"]), transactionIndex="0x0",
                 chainId=hex(chain), nonce=hex(nonce), to=i["to"], value="0x0", gas="0x0", gasPrice="0x0", maxFeePerGas="0x0", maxPriorityFeePerGas="0x0",
                 accessList=[], input="0x" + payload.hex(), v=hex(odd), yParity=hex(odd), r=hex(r), s=hex(s))
    shown["from"] = "0x" + signer.hex()
    return dict(payloadHash="0x" + keccak256(payload).hex(), digest="0x" + digest.hex(), recovered="0x" + signer.hex(), rawTxBytes=len(raw), tx=shown,
                genesisHash="0x" + genesis.hex(), emptyTrieRoot="0x" + empty.hex())


def e18(i):
    def within(price, reference):
        return px(price, 1) * R8 <= px(reference, 1) * (R8 + px(i["buyLimitUpRatio"], 8))
    return dict(spot={price: within(price, i["lastTradePrice"]) for price in i["spotPrices"]},
                perps={price: within(price, i["perpsMark"]) for price in i["perpsPrices"]})


def e19(i):
    day = i["now"] // 86400000
    return dict(utcDay=day, earliestAccepted=i["now"] + i["minDelay"], rejected=i["now"] + i["minDelay"] - 1, nextReset=(day + 1) * 86400000)


def e20(i):
    spot, perps, seen, answers = px(i["spot"], 6), 0, {}, []
    for number, text in i["calls"]:
        amount = px(text, 6)
        if number in seen:
            answers.append([number, "REPEATED" if seen[number] == amount else "TRANSFER_ID_CONFLICT"])
        elif amount > spot:
            answers.append([number, "INSUFFICIENT_BALANCE"])
        else:
            seen[number], spot, perps = amount, spot - amount, perps + amount
            answers.append([number, "OK"])
    return dict(answers=answers, spot=usd(spot), perps=usd(perps))


def e21(i):
    q, price, cap = px(i["quantity"], 5), px(i["mark"], 1), px(i["stepCap"], 8)
    value = BTC.N(price, q)
    maintenance = BTC.MM(value)
    after = maintenance - (value - BTC.N(around(price, cap)[0], q))
    assert after >= 0
    return dict(equityAfter=usd(after), maintenanceBefore=usd(maintenance))


def e22(i):
    return dict(rows=[dict(side=side, stopType=kind, fires={str(r): fires(side, kind, r, i["stopPrice"]) for r in i["references"]})
                      for side in ("SELL", "BUY") for kind in ("TAKE_PROFIT", "STOP_LOSS")])


def e23(i):
    taker, maker, staking, discount = px(i["takerTier"], 8), px(i["makerTier"], 8), px(i["stakingDiscount"], 4), px(i["symbolFeeDiscount"], 4)
    rate = effective_rate(taker, staking, discount)
    return dict(taker=dec(rate, 8), maker=dec(effective_rate(maker, staking, discount), 8),
                withoutSymbol=dict(taker=dec(effective_rate(taker, staking, 0), 8), maker=dec(effective_rate(maker, staking, 0), 8)),
                fee=usd(fee(px(i["notional"], 6), rate)))


def e24(i):
    symbol = Sym("X", i["pricePrecision"], i["quantityPrecision"])
    price, quantity = px(i["price"], symbol.pp), px(i["quantity"], symbol.qp)
    hold, parts = symbol.Nc(price, quantity), [symbol.N(price, px(x, symbol.qp)) for x in i["fills"]]
    assert sum(parts) <= hold
    return dict(exact=dec(price * quantity, symbol.pp + symbol.qp), hold_ceil=usd(hold), fills=[usd(x) for x in parts], sum=usd(sum(parts)),
                released=usd(hold - sum(parts)))


# ---- random flow, comparing, printing ------------------------------------------------------------------------------------------------

def random_flow(trades=4000, seed=7):
    """Trades with fees and rebates, flips, isolated and cross accounts, funding: the ledger must add up after each."""
    r, book, names = random.Random(seed), Perps(), "abcde"
    for who in names:
        book.deposit(who, px("1000000", 6))
    for who in "bd":
        for symbol in (BTC, ETH):
            p = book.pos(who, symbol)
            p.iso, p.L = True, r.randint(2, 20)
    for i in range(trades):
        symbol = r.choice((BTC, ETH))
        buyer, seller = r.sample(names, 2)
        price = r.randint(900000, 1100000) if symbol is BTC else r.randint(350000, 450000)
        book.trade(symbol, buyer, seller, price, r.randint(1, 300000), r.choice((0, 12345, 40000)), r.choice((0, -5000, 15000)))
        if i % 50 == 0:
            fund_all(book, names, symbol, price, r.randint(-5 * 10**9, 5 * 10**9))
    return trades


def fund_all(book, names, symbol, mark, rate):
    total = 0
    for who in names:
        p = book.pos(who, symbol)
        paid = funding(symbol.N(mark, abs(p.q)), p.q, rate)
        total += paid
        if p.iso and p.q:
            p.bucket -= paid
        else:
            book.W[who] -= paid
    assert 0 <= total <= len(names)
    book.IF += total
    book.check()


def laid_out(value, indent=0):
    """JSON in which whatever fits stays on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= 140 or not isinstance(value, (dict, list)):
        return line
    pad, ends = " " * (indent + 1), "{}" if isinstance(value, dict) else "[]"
    items = ["%s: %s" % (json.dumps(k), laid_out(v, indent + 1)) for k, v in value.items()] if isinstance(value, dict) else \
            [laid_out(v, indent + 1) for v in value]
    return "%s\n%s%s\n%s%s" % (ends[0], pad, (",\n" + pad).join(items), " " * indent, ends[1])


def computed(example):
    return {**example, "outputs": globals()[example["id"].lower()](example["inputs"])}


def shown(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def rows_of(value, indent):
    """An object as lines; an object or list that fits stays on its line."""
    for key, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            yield "%s%s:" % (indent, key)
            for row in inner:
                yield "%s  - %s" % (indent, "  ".join("%s=%s" % (k, shown(v)) for k, v in row.items()))
        elif isinstance(inner, dict) and len(shown(inner)) > 90:
            yield "%s%s:" % (indent, key)
            yield from rows_of(inner, indent + "  ")
        elif isinstance(inner, dict):
            yield "%s%s: %s" % (indent, key, "  ".join("%s=%s" % (k, shown(v)) for k, v in inner.items()))
        else:
            yield "%s%s: %s" % (indent, key, shown(inner))


HEAD = """# 9. Worked examples

<a id="mechanics-9"></a>
Printed by `docs/spec/mechanics_examples.py --markdown` from `docs/spec/mechanics_vectors.json`; do not edit by hand. Every number is exact. In the examples
BTC-USD has 1 decimal of price, 5 of quantity, vUSDC 6, and the margin tiers 25x to 4 M, 20x to 10 M, 10x to 50 M; ETH-USD has 2 and 4 decimals, 20x to 4 M, 10x
to 20 M. Prices, quantities and amounts are decimal strings in the units of symbol and coin. `mechanics_examples.py` computes each example from its inputs and
runs 4,000 random trades with fees, rebates, flips, isolated and cross positions and funding, checking the identity of [mechanics 1.5](01-numbers.md#mechanics-1.5)
after each. `ctest -R spec/examples` runs it and compares this page; the engine's tests of the examples read their numbers from the same file.
"""


def markdown(examples):
    parts = [HEAD]
    for example in examples:
        parts.append('<a id="%s"></a>\n## %s. %s\n' % (example["id"], example["id"], example["title"]))
        lines = ["IN", *rows_of(example["inputs"], "  "), "OUT", *rows_of(example["outputs"], "  ")]
        parts.append("```text\n%s\n```\n" % "\n".join(lines))
        if example.get("note"):
            parts.append(textwrap.fill(example["note"], 150) + "\n")
    return "\n".join(parts)


def main():
    path = next((word for word in sys.argv[1:] if not word.startswith("-")), os.path.join(HERE, "mechanics_vectors.json"))
    with open(path, encoding="utf-8") as file:
        examples = json.load(file)
    if "--markdown" in sys.argv:
        print(markdown(examples), end="")
        return 0
    again = [computed(example) for example in examples]
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(laid_out(again) + "\n")
    wrong = [a["id"] for a, b in zip(again, examples) if a["outputs"] != b["outputs"]]
    print("%d examples computed, %d random trades; different: %s" % (len(again), random_flow(), ", ".join(wrong) or "none"))
    return 1 if wrong and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
