# SPDX-License-Identifier: MIT
"""Two accounts trade in an exchange of this test's own."""
import json
import os
import urllib.request

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

IMAGE = os.environ.get("DOJIMA_IMAGE", "dojima:latest")
SELLER, BUYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
BUY, SELL = 1, 2


class Exchange:
    def __init__(self, url):
        self.url = url

    def post(self, path, body, **headers):
        headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)["data"]

    def rpc(self, method, *params):
        answer = self.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert "error" not in answer, answer
        return answer["result"]

    def place(self, address, account, side, price, quantity):
        order = {"symbolID": 1, "clOrdID": f"{account}-1", "side": side, "type": 1, "timeInForce": 1,
                 "price": price, "quantity": quantity}
        answer = self.post("/api/v1/spot/trade/orders/batch", {"accountID": account, "orders": [order]},
                           **{"X-Dojima-As": address})
        assert answer["code"] == 0, answer


@pytest.fixture
def exchange():
    container = DockerContainer(IMAGE).with_command("dev --market none").with_exposed_ports(8080)
    with container.waiting_for(HttpWaitStrategy(8080, "/readyz").for_status_code(200)):
        one = Exchange(f"http://{container.get_container_host_ip()}:{container.get_exposed_port(8080)}")
        for address in (SELLER, BUYER):
            one.rpc("anvil_impersonateAccount", address)
        yield one


def test_two_accounts_trade(exchange):
    exchange.place(SELLER, 1001, SELL, "100000", "0.01")
    exchange.place(BUYER, 1002, BUY, "100000", "0.01")
    orders = exchange.get(f"/api/v1/spot/accounts/{BUYER}/orders/history")
    assert [order["status"] for order in orders] == ["FILLED"]


def test_the_exchange_of_another_test_knows_nothing_of_it(exchange):
    assert exchange.get(f"/api/v1/spot/accounts/{BUYER}/orders/history") == []
