// SPDX-License-Identifier: MIT

//go:build compat

// The streams through a Go client: every channel of both engines, decoded by encoding/json into structs as Go clients of
// this interface have them. Go takes an exact key first and any spelling of its letters second, so an extra key, or one
// in the wrong order, sets the field of another; the older structs here would show it.
//
//	tour WS_URL USER
//
// Prints "ready" when everything is acknowledged, and ends when every channel has sent its messages.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

type level = [2]string

type ticker struct {
	E             int64
	S             string  `json:"s"`
	Last          string  `json:"c"`
	LastSize      string  `json:"Q"`
	Average       string  `json:"w"`
	Ask           string  `json:"a"`
	AskSize       string  `json:"A"`
	Bid           string  `json:"b"`
	BidSize       string  `json:"B"`
	Change        string  `json:"p"`
	ChangePercent float64 `json:"P"`
	Open          string  `json:"o"`
	High          string  `json:"h"`
	Low           string  `json:"l"`
	Volume        string  `json:"v"`
	QuoteVolume   string  `json:"q"`
	OpenTime      int64   `json:"O"`
	CloseTime     int64   `json:"C"`
}

// Without O and C: a key of that letter would hit o and c and fail the whole array.
type miniTicker struct {
	E           int64
	S           string `json:"s"`
	Last        string `json:"c"`
	Open        string `json:"o"`
	High        string `json:"h"`
	Low         string `json:"l"`
	Volume      string `json:"v"`
	QuoteVolume string `json:"q"`
}

type bookTicker struct {
	E       int64
	S       string `json:"s"`
	U       int64  `json:"u"`
	Ask     string `json:"a"`
	AskSize string `json:"A"`
	Bid     string `json:"b"`
	BidSize string `json:"B"`
}

type markPrice struct {
	E            int64
	S            string `json:"s"`
	OpenInterest string `json:"oi"`
	Mark         string `json:"p"`
	Index        string `json:"i"`
	Rate         string `json:"r"`
	Next         int64  `json:"T"`
}

type coinPrice struct {
	ID    int64  `json:"i"`
	Name  string `json:"a"`
	Price string `json:"p"`
	Ratio string `json:"mr"`
	E     int64
}

type trade struct {
	E, T     int64
	ID       int64  `json:"t"`
	Symbol   string `json:"s"`
	Side     string `json:"S"`
	Price    string `json:"p"`
	Quantity string `json:"q"`
	Buyer    int64  `json:"bi"`
	Seller   int64  `json:"si"`
}

// The old struct: there is no field for U, which sets u when it comes after it.
type oldBook struct {
	S    string `json:"s"`
	U    int64  `json:"u"`
	E    int64
	Asks []level `json:"a"`
	Bids []level `json:"b"`
}

type newBook struct {
	S     string `json:"s"`
	First int64  `json:"U"`
	U     int64  `json:"u"`
	E     int64
	Asks  []level `json:"a"`
	Bids  []level `json:"b"`
}

type candle struct {
	Open   int64  `json:"t"`
	End    int64  `json:"T"`
	S      string `json:"s"`
	I      string `json:"i"`
	O      string `json:"o"`
	H      string `json:"h"`
	L      string `json:"l"`
	C      string `json:"c"`
	V      string `json:"v"`
	Q      string `json:"q"`
	N      int64  `json:"n"`
	Closed bool   `json:"x"`
}

type balance struct {
	ID     int64  `json:"i"`
	Name   string `json:"a"`
	Total  string `json:"t"`
	Locked string `json:"l"`
	Wallet string `json:"wb"`
	Counts string `json:"co"`
}

type position struct {
	ID          int64   `json:"i"`
	Symbol      string  `json:"s"`
	Size        string  `json:"sz"`
	Entry       string  `json:"ep"`
	Isolated    *string `json:"iw"`
	Side        string  `json:"ps"`
	Mark        string  `json:"mp"`
	Liquidation string  `json:"lp"`
	Created     int64   `json:"ct"`
	Updated     int64   `json:"ut"`
}

type state struct {
	User      string     `json:"user"`
	Account   int64      `json:"aid"`
	UserID    int64      `json:"uid"`
	Balances  []balance  `json:"B"`
	Orders    []order    `json:"O"`
	Positions []position `json:"P"`
	Twaps     []any      `json:"TO"`
}

type accountUpdate struct {
	E, T      int64
	Height    int64      `json:"h"`
	Balances  []balance  `json:"B"`
	Positions []position `json:"P"`
	Twaps     []any      `json:"TO"`
}

type order struct {
	E, T        int64
	Symbol      string  `json:"s"`
	Client      string  `json:"c"`
	ID          int64   `json:"i"`
	Side        string  `json:"S"`
	Type        string  `json:"o"`
	TimeInForce string  `json:"f"`
	Price       *string `json:"p"`
	Quantity    *string `json:"q"`
	Funds       *string `json:"F"`
	Status      string  `json:"X"`
	Executed    string  `json:"z"`
	Value       string  `json:"v"`
	Frozen      string  `json:"M"`
	Trade       int64   `json:"t"`
	LastSize    string  `json:"l"`
	LastPrice   string  `json:"L"`
	Fee         string  `json:"n"`
	Maker       bool    `json:"m"`
	Exec        string  `json:"x"`
	Reason      string  `json:"r"`
	Reduce      bool    `json:"R"`
}

// Without M: its string is decoded into the bool, and the whole message is lost. Known; newer clients therefore have M.
type oldOrder struct {
	ID    int64 `json:"i"`
	Maker bool  `json:"m"`
}

// Without R, which spot must not send: it would be decoded into the string.
type oldSpotOrder struct {
	ID     int64  `json:"i"`
	Frozen string `json:"M"`
	Maker  bool   `json:"m"`
	Reason string `json:"r"`
}

type fill struct {
	E, T     int64
	ID       int64  `json:"t"`
	Symbol   string `json:"s"`
	Order    int64  `json:"i"`
	Client   string `json:"c"`
	Side     string `json:"S"`
	Price    string `json:"p"`
	Quantity string `json:"q"`
	Fee      string `json:"f"`
	Maker    bool   `json:"m"`
	Way      string `json:"d"`
}

type event struct {
	Type        string `json:"type"`
	E           int64
	Liquidator  int64      `json:"lid"`
	ID          int64      `json:"liquidationID"`
	Account     int64      `json:"aid"`
	Value       string     `json:"av"`
	Mode        string     `json:"mm"`
	Maintenance string     `json:"maintenanceMargin"`
	Balances    []balance  `json:"B"`
	Positions   []position `json:"P"`
}

func check(right bool, what string, seen any) {
	if right {
		return
	}
	text, _ := json.Marshal(seen)
	panic(fmt.Sprintf("%s: %s", what, text))
}

func decode[T any](data []byte) T {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		panic(fmt.Sprintf("%T: %v: %s", value, err, data))
	}
	return value
}

func decimal(text string) bool { return text != "" && strings.Trim(text, "-.0123456789") == "" }

type push struct {
	Channel, Type string
	Data          json.RawMessage
}

func judgeBook(data []byte, update bool) {
	known, old := decode[newBook](data), decode[oldBook](data)
	check(old.U == known.U, "u is what an old struct ends up with", old)
	check(update == (known.First != 0) && known.First <= known.U, "U and u", known)
	for _, row := range append(known.Asks, known.Bids...) {
		check(decimal(row[0]) && decimal(row[1]), "level", row)
	}
}

func judgeOrder(engine string, data []byte) {
	one := decode[order](data)
	check(one.ID > 0 && decimal(one.Frozen) && one.Exec != "" && one.T > 0, "order", one)
	var old oldOrder
	check(json.Unmarshal(data, &old) != nil, "M folds onto m, as the interface document says", old)
	if engine == "spot" {
		check(decode[oldSpotOrder](data).ID == one.ID, "an old struct without R", one)
	}
}

func judge(engine string, message push) {
	data, update := message.Data, message.Type == "update"
	switch message.Channel {
	case "ticker", "allTicker":
		for _, row := range decode[[]ticker](data) {
			check(row.S != "" && decimal(row.Last) && row.OpenTime < row.CloseTime, "ticker", row)
		}
	case "miniTicker", "allMiniTicker":
		for _, row := range decode[[]miniTicker](data) {
			check(row.S != "" && decimal(row.Last) && decimal(row.Open), "miniTicker", row)
		}
	case "bookTicker", "allBookTicker":
		for _, row := range decode[[]bookTicker](data) {
			check(row.S != "" && decimal(row.Ask) && decimal(row.BidSize), "bookTicker", row)
		}
	case "markPrice", "allMarkPrice":
		for _, row := range decode[[]markPrice](data) {
			check(decimal(row.Mark) && decimal(row.Rate) && row.Next > 0, "markPrice", row)
		}
	case "coinPrice", "allCoinPrice":
		for _, row := range decode[[]coinPrice](data) {
			check(decimal(row.Price) && decimal(row.Ratio) && row.Name != "", "coinPrice", row)
		}
	case "trade":
		for _, row := range decode[[]trade](data) {
			check(row.ID > 0 && row.T > 0 && row.Buyer > 0 && row.Seller > 0, "trade", row)
		}
	case "l2Book":
		judgeBook(data, false)
	case "l4Book":
		judgeBook(data, update)
	case "candle":
		row := decode[candle](data)
		check(row.I == "1m" && row.End-row.Open == 59999 && row.N >= 0, "candle", row)
	case "accountState":
		one := decode[state](data)
		check(one.Account > 0 && len(one.User) == 42 && len(one.Balances) > 0 && one.Orders != nil && one.Twaps != nil, "state", one)
	case "accountUpdate":
		one := decode[accountUpdate](data)
		check(one.T > 0 && one.Height > 0 && one.Balances != nil && one.Twaps != nil, "accountUpdate", one)
	case "accountOrderUpdate":
		judgeOrder(engine, data)
	case "accountTrade":
		one := decode[fill](data)
		check(decimal(one.Price) && decimal(one.Fee) && (one.Way != "") == (engine == "perps"), "accountTrade", one)
	case "accountEvent":
		one := decode[event](data)
		check(one.Type == "liquidation" && one.ID > 0 && one.Account > 0 && decimal(one.Value) && len(one.Positions) > 0, "accountEvent", one)
	default:
		panic("a push of an unknown channel: " + message.Channel)
	}
}

type wish struct {
	params map[string]any
	types  []string // what has to come
}

func wishes(engine, symbol, user string) []wish {
	list := []string{symbol}
	of := func(channel string, more ...any) map[string]any {
		params := map[string]any{"channel": channel}
		for i := 0; i < len(more); i += 2 {
			params[more[i].(string)] = more[i+1]
		}
		return params
	}
	both, first, later := []string{"snapshot", "update"}, []string{"snapshot"}, []string{"update"}
	all := []wish{
		{of("ticker", "symbols", list, "pushInterval", "1000ms"), both}, {of("allTicker"), both}, {of("miniTicker", "symbols", list), both}, {of("allMiniTicker"), both},
		{of("bookTicker", "symbols", list), both}, {of("allBookTicker"), both}, {of("trade", "symbol", symbol), both}, {of("l2Book", "symbol", symbol, "level", 5), first},
		{of("l4Book", "symbol", symbol, "level", 20), both}, {of("candle", "symbol", symbol, "interval", "1m"), later},
		{of("accountState", "user", user), first}, {of("accountUpdate", "user", user), later}, {of("accountOrderUpdate", "user", user), later}, {of("accountTrade", "user", user), later},
	}
	if engine == "perps" {
		all = append(all, []wish{{of("markPrice", "symbols", list), both}, {of("allMarkPrice"), both}, {of("coinPrice", "coins", []string{"vUSDC"}), first},
			{of("allCoinPrice"), first}, {of("accountEvent", "user", user), later}}...)
	}
	return all
}

type stream struct {
	engine  string
	socket  *websocket.Conn
	missing map[string]bool // "channel type"
}

func open(url, engine, symbol, user string) *stream {
	socket, _, err := websocket.DefaultDialer.Dial(url+"/"+engine, nil)
	if err != nil {
		panic(err)
	}
	s := &stream{engine, socket, map[string]bool{}}
	for id, one := range wishes(engine, symbol, user) {
		if err := socket.WriteJSON(map[string]any{"op": "subscribe", "id": id + 1, "params": one.params}); err != nil {
			panic(err)
		}
		for _, kind := range one.types {
			s.missing[one.params["channel"].(string)+" "+kind] = true
		}
		for !s.read(uint64(id + 1)) {
		}
	}
	return s
}

// Reads a message; true when it acknowledges `id`.
func (s *stream) read(id uint64) bool {
	s.socket.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, text, err := s.socket.ReadMessage()
	check(err == nil, s.engine+": nothing came any more", s.missing)
	message := decode[struct {
		push
		Op              string
		ID              uint64
		Success         *bool
		Result          map[string]any
		ConnID          string
		Error           *string
		TimeIn, TimeOut int64
	}](text)
	if message.Channel == "" {
		check(message.Op == "subscribe" && message.ID == id && message.Success != nil && *message.Success && len(message.ConnID) == 34, "acknowledgement", string(text))
		return true
	}
	judge(s.engine, message.push)
	delete(s.missing, message.Channel+" "+message.Type)
	return false
}

// The trap exists: the same keys the other way round are decoded wrong.
func trap() {
	check(decode[oldBook]([]byte(`{"u":9,"U":3}`)).U == 3 && decode[oldBook]([]byte(`{"U":3,"u":9}`)).U == 9, "how Go folds letters", nil)
	var mini miniTicker
	check(json.Unmarshal([]byte(`{"o":"1","O":5}`), &mini) != nil, "how Go folds letters", mini)
}

func main() {
	trap()
	spot, perps := open(os.Args[1], "spot", "vBTC_vUSDC", os.Args[2]), open(os.Args[1], "perps", "BTC-USD", os.Args[2])
	fmt.Println("ready")
	for _, s := range []*stream{spot, perps} {
		for len(s.missing) != 0 {
			s.read(0)
		}
	}
	fmt.Println("ok the streams in Go: every channel of both engines, and no letter in the wrong field")
}
