// SPDX-License-Identifier: MIT

// Package exchange shows a test with an exchange of its own.
package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	seller = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
	buyer  = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	buy    = 1
	sell   = 2
)

type exchange struct {
	t   *testing.T
	url string
}

// start gives a test an exchange, which ends with it.
func start(t *testing.T) *exchange {
	t.Helper()
	image := os.Getenv("DOJIMA_IMAGE")
	if image == "" {
		image = "dojima:latest"
	}
	ctx := context.Background()
	container, err := testcontainers.Run(ctx, image,
		testcontainers.WithCmd("dev", "--market", "none"),
		testcontainers.WithExposedPorts("8080/tcp"),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort("8080/tcp").WithStartupTimeout(time.Minute)))
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	url, err := container.PortEndpoint(ctx, "8080/tcp", "http")
	if err != nil {
		t.Fatal(err)
	}
	e := &exchange{t, url}
	for _, address := range []string{seller, buyer} {
		e.rpc("anvil_impersonateAccount", address)
	}
	return e
}

// send posts a body, or reads when there is none, and decodes the answer.
func (e *exchange) send(path string, body any, as string, into any) {
	e.t.Helper()
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, e.url+path, bytes.NewReader(text))
	if err != nil {
		e.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if as != "" {
		request.Header.Set("X-Dojima-As", as)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		e.t.Fatal(err)
	}
}

func (e *exchange) rpc(method string, params ...any) {
	e.t.Helper()
	var answer struct{ Error any }
	e.send("/rpc", map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, "", &answer)
	if answer.Error != nil {
		e.t.Fatalf("%s: %v", method, answer.Error)
	}
}

func (e *exchange) place(address string, account, side int, price, quantity string) {
	e.t.Helper()
	order := map[string]any{"symbolID": 1, "clOrdID": fmt.Sprintf("%d-1", account), "side": side, "type": 1,
		"timeInForce": 1, "price": price, "quantity": quantity}
	var answer struct {
		Code  int
		Error any
	}
	e.send("/api/v1/spot/trade/orders/batch", map[string]any{"accountID": account, "orders": []any{order}}, address, &answer)
	if answer.Code != 0 {
		e.t.Fatalf("code %d: %v", answer.Code, answer.Error)
	}
}

func TestTwoAccountsTrade(t *testing.T) {
	e := start(t)
	e.place(seller, 1001, sell, "100000", "0.01")
	e.place(buyer, 1002, buy, "100000", "0.01")
	var history struct {
		Data []struct{ Status string }
	}
	e.send("/api/v1/spot/accounts/"+buyer+"/orders/history", nil, "", &history)
	if len(history.Data) != 1 || history.Data[0].Status != "FILLED" {
		t.Fatalf("orders: %+v", history.Data)
	}
}
