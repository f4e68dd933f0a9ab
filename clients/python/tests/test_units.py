# SPDX-License-Identifier: MIT
"""Amounts, records, books and signatures, without an exchange."""
import json
import pathlib
from decimal import Decimal
from typing import List

import pytest

from dojima import Amount, NewSpotOrder, OrderType, ProtocolError, Refused, Side, Signer, TimeInForce, refusals
from dojima.amount import amount_text
from dojima.answers import OrderBook, OrderResult, PerpsTicker, SpotTicker
from dojima.book import Book
from dojima.clock import NonceClock
from dojima.errors import refusal
from dojima.events import WsBook
from dojima.http import Reply, ReplyParser, place_of, request_bytes
from dojima.record import Level, decoder, encoded
from dojima.signing import action_digest, add_key_digest
from dojima.writes import body_bytes, envelope

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "spec" / "wire_vectors.json"


@pytest.mark.parametrize("value,text", [
    (Decimal("1E+3"), "1000"), (Decimal("1E-7"), "0.0000001"), (Decimal("0.4060"), "0.406"), (Decimal("-0.0"), "0"),
    (Decimal("100"), "100"), (7, "7"), (-3, "-3"), ("0.25", "0.25"), ("10.00", "10"), ("-1.50", "-1.5"), ("0", "0"),
    (10 ** 30, "1" + "0" * 30),
])
def test_amounts_are_written_plainly(value: Amount, text: str) -> None:
    assert amount_text(value) == text


@pytest.mark.parametrize("value", [0.5, 1.0, True, None, b"1", [1]])
def test_what_is_no_amount_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError):
        amount_text(value)


@pytest.mark.parametrize("value", ["1e5", "", " 1", "1\n", "+1", "01", ".5", "5.", "1,000", "١", "NaN", Decimal("NaN"),
                                   Decimal("Infinity")])
def test_text_that_is_no_decimal_is_a_value_error(value: object) -> None:
    with pytest.raises(ValueError):
        amount_text(value)


def test_a_float_in_an_order_is_refused_with_its_cure() -> None:
    order = NewSpotOrder(symbolID=1, clOrdID="a", side=Side.BUY, type=OrderType.LIMIT, timeInForce=TimeInForce.GTC,
                         price=0.1, quantity=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"0\.1 is a float; give a Decimal, an int or a str such as '0\.1'"):
        encoded(order)
    with pytest.raises(TypeError, match="is a float"):
        encoded({"x": [0.1]})


def test_a_body_has_its_keys_in_the_order_of_signing_and_leaves_out_what_is_not_set() -> None:
    order = NewSpotOrder(symbolID=1, clOrdID="a", side=Side.BUY, type=OrderType.LIMIT, timeInForce=TimeInForce.GTC,
                         price=Decimal("9.50"), quantity=1)
    assert body_bytes({"accountID": None, "orders": [order]}) == (
        b'{"orders":[{"symbolID":1,"clOrdID":"a","side":1,"type":1,"timeInForce":1,"price":"9.5","quantity":"1"}]}')


def test_records_hold_decimals_and_ignore_unknown_keys() -> None:
    book = decoder(OrderBook)({"blockTime": 1, "blockHeight": 2, "updateID": 3, "bids": [["99.5", "0.1"]], "asks": [],
                               "later": {}})
    assert book.bids == [Level(Decimal("99.5"), Decimal("0.1"))] and book.asks == []
    assert decoder(OrderResult)({"code": 0, "clOrdID": "x"}).orderID is None
    assert PerpsTicker.__annotations__["changePct"] == "Decimal"


@pytest.mark.parametrize("value", [None, [], {}, {"blockTime": 1}, {"blockTime": 1, "blockHeight": 2, "updateID": 3,
                                                                    "bids": [["x", "1"]], "asks": []}])
def test_what_is_no_record_is_a_protocol_error(value: object) -> None:
    with pytest.raises(ProtocolError, match="OrderBook"):
        decoder(OrderBook)(value)


@pytest.mark.parametrize("value", [None, {}, "x", 7])
def test_what_is_no_list_is_a_protocol_error(value: object) -> None:
    with pytest.raises(ProtocolError, match="not a list"):
        decoder(List[SpotTicker])(value)


@pytest.mark.parametrize("body", [b"[" * 100_000, b"{", b"\xff", b"9" * 5000])
def test_what_is_no_json_is_a_protocol_error(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        envelope(Reply(200, {}, body))


def test_refusals_have_a_class_for_each_code() -> None:
    error = refusal(42001, "insufficient balance", {"field": "quantity", "rule": "enough"})
    assert isinstance(error, refusals.InsufficientBalance) and (error.field, error.rule) == ("quantity", "enough")
    assert type(refusal(49999, "later")) is Refused
    assert refusal(42901, "slow", {"retry_after": 3}, 429).retry_after == 3


def test_every_action_of_the_vectors_is_signed_bit_for_bit() -> None:
    signer = Signer("0x0123456789012345678901234567890123456789012345678901234567890123")
    assert signer.address == "0x14791697260e4c9a71f18484c9f997b308e59325"
    checked = []
    for row in json.loads(VECTORS.read_text()):
        name, chain = row["label"].split(" ")[0], int(row["chainId"])
        if "body" in row:
            action = json.loads(row["json"])["type"]
            digest = action_digest(action, row["body"].encode(), int(row["nonce"]), row["domain"], chain)
        elif name in ("V13", "V15"):
            message = row["message"]
            digest = add_key_digest(int(message["accountID"]), message["name"], int(message["keyType"]),
                                    message["publicKey"], int(message["expiresAt"]), int(message["nonce"]), chain,
                                    int(message["permissions"]) if name == "V15" else None)
        else:
            continue        # of actions that are not offered
        assert "0x" + digest.hex() == row["digest"], name
        assert signer.sign(digest, int(row["xApiSign"][2:4], 16)) == row["xApiSign"], name
        checked.append(name)
    assert {"V1", "V2", "V11", "V13", "V15", "V20"} <= set(checked) and len(checked) >= 24, checked


@pytest.mark.parametrize("key", ["", "0x12", "xyz", "0x" + "g" * 64, "0x" + "0" * 64])
def test_a_wrong_key_is_a_value_error(key: str) -> None:
    with pytest.raises(ValueError):
        Signer(key)


def test_a_signer_never_prints_its_key() -> None:
    assert "0123456789" not in repr(Signer("0x" + "0123456789abcdef" * 4))


def frame(u: int, U: int = 0, bids: tuple = (), asks: tuple = ()) -> WsBook:  # noqa: N803
    def levels(rows: tuple) -> list:
        return [Level(Decimal(price), Decimal(size)) for price, size in rows]
    return WsBook(s="X", u=u, E=1, a=levels(asks), b=levels(bids), U=U or None)


def test_a_book_applies_what_follows_and_nothing_else() -> None:
    book = Book("X", 2)
    book.snapshot(frame(5, bids=(("10", "1"), ("9", "1")), asks=(("11", "1"),)))
    assert book.update(frame(6, 6, bids=(("10.5", "2"),), asks=(("11", "0"), ("12", "4"), ("11.5", "3"))))
    assert [str(level.price) for level in book.bids] == ["10.5", "10"]
    assert [str(level.price) for level in book.asks] == ["11.5", "12"]
    before = (book.bids, book.asks)
    assert book.update(frame(6, 6, bids=(("10.5", "0"),)))      # again: nothing changes
    assert not book.update(frame(8, 8, bids=(("10.5", "0"),)))  # a gap: nothing changes
    assert (book.bids, book.asks, book.update_id) == (*before, 6)


def test_nonces_rise_and_learn_from_refusals() -> None:
    clock = NonceClock()
    first = [clock.next() for _ in range(1000)]
    assert first == sorted(set(first))
    clock.learn({"reason": "too far ahead", "serverTime": 5_000}, first[-1], 0)
    assert 5_000 < clock.next() < 10_000
    clock.learn({"reason": "too small", "need": "more than 7000000"}, 1, 0)
    assert clock.next() == 7_000_001
    clock.learn({"reason": "too small", "need": "more than 5"}, 1, 0)
    assert clock.next() == 7_000_002
    clock.learn({"reason": "used"}, 7_000_002, 2)
    assert clock.next() == 7_000_002 + 257


def test_answers_are_read_byte_by_byte() -> None:
    parser, raw = ReplyParser(), b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b: c\r\n\r\n{}"
    found = [parser.feed(raw[at:at + 1]) for at in range(len(raw))]
    assert found[:-1] == [None] * (len(raw) - 1) and found[-1] is not None
    assert (found[-1].status, found[-1].headers["x-a"], found[-1].body) == (200, "b: c", b"{}")
    assert parser.empty and not parser.closes
    with pytest.raises(ProtocolError):
        ReplyParser().feed(b"garbage\r\n\r\n")


@pytest.mark.parametrize("head", ["X: " + "a" * 70_000, "Content-Length: -1", "Content-Length: 99999999999"])
def test_an_answer_without_end_is_a_protocol_error(head: str) -> None:
    with pytest.raises(ProtocolError):
        ReplyParser().feed(b"HTTP/1.1 200 OK\r\n" + head.encode() + b"\r\n" + b"\r\n" * (head[0] == "C"))


def test_no_line_of_a_request_can_be_forged() -> None:
    place = place_of("http://127.0.0.1:8080/")
    with pytest.raises(ValueError, match="line break"):
        request_bytes(place, "GET", "/x", [("X-API-Key", "a\r\nHost: b")], b"")
    for url in ("127.0.0.1:8080", "ftp://x", "http://", "http://x/?a"):
        with pytest.raises(ValueError):
            place_of(url)
