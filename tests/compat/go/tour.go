// SPDX-License-Identifier: MIT

//go:build compat

// The spot tour through the public Go SDK, as its users would write it. It uses only functions that all its revisions
// have, so that another one can be chosen without a change here.
//
//	tour URL PRIVATE_KEY ACCOUNT_ID [KEY_NAME OWNER]
//
// With a key's name the private key is the key's, and OWNER is the address whose account it trades for.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/shopspring/decimal"
	"github.com/sodex-tech/sodex-go-sdk-public/client"
	"github.com/sodex-tech/sodex-go-sdk-public/common/enums"
	ctypes "github.com/sodex-tech/sodex-go-sdk-public/common/types"
	stypes "github.com/sodex-tech/sodex-go-sdk-public/spot/types"
)

const market = "vBTC_vUSDC"

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(right bool, what string, seen any) {
	if !right {
		text, _ := json.Marshal(seen)
		panic(fmt.Sprintf("%s: %s", what, text))
	}
}

func main() {
	ctx := context.Background()
	key := must(crypto.HexToECDSA(strings.TrimPrefix(os.Args[2], "0x")))
	account := must(strconv.ParseUint(os.Args[3], 10, 64))
	config := client.Config{BaseURL: os.Args[1], PrivateKey: key}
	owner := crypto.PubkeyToAddress(key.PublicKey).Hex()
	if len(os.Args) > 4 {
		config.APIKeyName, owner = os.Args[4], os.Args[5]
	}
	c := client.New(config)
	reads(ctx, c, owner, account)
	trading(ctx, c, owner, account)
	fmt.Println("ok the Go SDK: reads, place, replace, cancel, schedule, transfer")
}

func reads(ctx context.Context, c *client.Client, owner string, account uint64) {
	symbols := must(c.SpotSymbols(ctx))
	check(len(symbols) == 2 && symbols[0].Symbol == market && symbols[0].DisplayName == "BTC/USDC", "symbols", symbols)
	tickers := must(c.SpotTickers(ctx))
	check(len(tickers) == 2 && tickers[0].Symbol == market, "tickers", tickers)
	must(c.SpotOrderBook(ctx, market, 5))
	must(c.SpotKlines(ctx, market, "1D", client.HistoryFilter{Limit: 10}))
	must(c.SpotPublicTrades(ctx, market, 10))
	info := must(c.SpotAccountInfo(ctx, owner))
	check(info.AccountID == account && info.UserID != 0, "account", info)
	balances := must(c.SpotBalances(ctx, owner))
	check(len(balances) == 3 && balances[0].Coin == "vUSDC", "balances", balances)
	nobody := must(c.SpotAccountInfo(ctx, "0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"))
	check(nobody.AccountID == 0 && nobody.UserID == 0, "an unknown address", nobody)
	_, err := c.SpotPublicTrades(ctx, "none", 10)
	check(err != nil && strings.Contains(err.Error(), "symbol not found"), "an unknown symbol", fmt.Sprint(err))
}

func trading(ctx context.Context, c *client.Client, owner string, account uint64) {
	price, quantity := decimal.RequireFromString("99000.5"), decimal.RequireFromString("0.0100")
	id := func() string { return fmt.Sprintf("go-%d", time.Now().UnixNano()) }
	first := id()
	placed := must(c.PlaceSpotLimitOrder(ctx, account, 1, first, enums.OrderSideBuy, enums.TimeInForceGTC, price, quantity))
	check(len(placed) == 1 && placed[0].ClOrdID == first, "placed", placed)
	open := must(c.SpotOrders(ctx, owner))
	check(len(open) == 1 && open[0].ClOrdID == first && open[0].Price == "99000.5" && open[0].OrigQty == "0.01", "open orders", open)

	order, lower := open[0].OrderID, decimal.NewFromInt(98000)
	must(c.ReplaceSpotOrders(ctx, &ctypes.ReplaceOrderRequest{AccountID: account,
		Orders: []*ctypes.ReplaceParams{{SymbolID: 1, ClOrdID: id(), OrigOrderID: &order, Price: &lower}}}))
	open = must(c.SpotOrders(ctx, owner))
	check(len(open) == 1 && open[0].OrderID == order && open[0].Price == "98000", "replaced", open)
	must(c.CancelSpotOrders(ctx, &stypes.BatchCancelOrderRequest{AccountID: account,
		Cancels: []*stypes.BatchCancelOrderItem{{SymbolID: 1, ClOrdID: id(), OrigClOrdID: &first}}}))
	open = must(c.SpotOrders(ctx, owner))
	check(len(open) == 0, "canceled", open)
	ended := must(c.SpotOrdersHistory(ctx, owner, client.HistoryFilter{Symbol: market, Limit: 1}))
	check(len(ended) == 1 && ended[0].OrderID == order && ended[0].Status == "CANCELED", "history", ended)
	must(c.SpotUserTrades(ctx, owner, client.HistoryFilter{Limit: 10}))

	at := uint64(time.Now().UnixMilli()) + 60000
	check(c.ScheduleSpotCancel(ctx, &ctypes.ScheduleCancelRequest{AccountID: account, ScheduledTimestamp: &at}) == nil, "schedule", at)
	check(c.ScheduleSpotCancel(ctx, &ctypes.ScheduleCancelRequest{AccountID: account}) == nil, "cleared", nil)

	transfer := &ctypes.TransferAssetRequest{ID: uint64(time.Now().UnixMilli()), FromAccountID: account, ToAccountID: 999, CoinID: 0,
		Amount: decimal.RequireFromString("12.50"), Type: enums.TransferAssetType(3)}
	err := c.SpotTransfer(ctx, transfer)
	check(err == nil, "transfer", fmt.Sprint(err))
	check(c.SpotTransfer(ctx, transfer) == nil, "the same transfer again", nil)
	transfer.Amount = decimal.NewFromInt(1)
	check(c.SpotTransfer(ctx, transfer) != nil, "another transfer under the same id was taken", nil)
}
