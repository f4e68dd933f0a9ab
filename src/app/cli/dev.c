/* SPDX-License-Identifier: MIT */
/*
 * dev.c — dojima dev: a whole exchange with funded accounts from one command. Its genesis is a
 * configuration like any other (ruling 31), read by the same rows.
 */
#include "io/clock.h"
#include "io/files.h"
#include "io/signals.h"
#include "app/cli/arguments.h"
#include "app/config.h"
#include "app/dev_accounts.h"
#include "diagnostics/program_log.h"
#include "model/clock_rate.h"
#include "model/interval.h"
#include "app/cli/commands.h"
#include "app/cli/dev_state.h"
#include "app/threads.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define DEV_CONFIG_BYTES 16384
#define HOUR_MS          INT64_C(3600000)
#define TIMESTAMP_MAX    UINT64_C(253402300799) /* the year 9999 ends */
#define SPAN_DIGITS      5                      /* of --history */

#define AS_TEXT(number)  AS_TEXT_(number)
#define AS_TEXT_(number) #number

#define ONLY_HERE       "127.0.0.1"
#define EVERYWHERE      "0.0.0.0"
#define LISTEN_VARIABLE "DOJIMA_LISTEN"

/* clang-format off */
static const char dev_config[] =
    "data = unused\n"
    "chainIds = " AS_TEXT(PUBLIC_CHAIN) ", " AS_TEXT(PUBLIC_CHAIN_TEST) "\n"
    "connections = 1024\n"
    "segmentMiB = 8\n"
    "accounts = 10000\n"
    "orders = 100000\n"
    "levels = 100000\n"
    "signers = 30000\n"
    "deposits = 100000\n"
    "keys = 10000\n"
    "transfers = 100000\n"
    "positions = 10000\n"
    "settlementNoticeMs = 60000\n"
    "settlementWindowMs = 10000\n"
    "[coin vUSDC]\nprecision = 6\nfaucet = 10000\n"
    "[coin vBTC]\nprecision = 8\nfaucet = 0.1\n"
    "[coin vETH]\nprecision = 8\nfaucet = 1\n"
    "[market vBTC_vUSDC]\ndisplayName = BTC/USDC\nbaseCoin = vBTC\nquoteCoin = vUSDC\npricePrecision = 1\n"
    "tickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\nminQuantity = 0.00001\nmaxQuantity = 1000\n"
    "marketMinQuantity = 0.00001\nmarketMaxQuantity = 100\nminNotional = 5\nmaxNotional = 10000000\n"
    "buyLimitUpRatio = 0.05\nsellLimitDownRatio = 0.05\nmarketDeviationRatio = 0.01\nmakerFee = 0.00035\n"
    "takerFee = 0.00065\nlistingReferencePrice = 100000\n"
    "[market vETH_vUSDC]\ndisplayName = ETH/USDC\nbaseCoin = vETH\nquoteCoin = vUSDC\npricePrecision = 2\n"
    "tickSize = 0.01\nquantityPrecision = 4\nstepSize = 0.0001\nminQuantity = 0.0001\nmaxQuantity = 10000\n"
    "marketMinQuantity = 0.0001\nmarketMaxQuantity = 1000\nminNotional = 5\nmaxNotional = 10000000\n"
    "buyLimitUpRatio = 0.05\nsellLimitDownRatio = 0.05\nmarketDeviationRatio = 0.01\nmakerFee = 0.00035\n"
    "takerFee = 0.00065\nlistingReferencePrice = 4000\n"
    "[perps BTC-USD]\nbaseCoin = BTC\npricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\n"
    "stepSize = 0.00001\nminQuantity = 0.00001\nmaxQuantity = 1000\nmarketMinQuantity = 0.00001\n"
    "marketMaxQuantity = 100\nminNotional = 1\nmaxNotional = 50000000\nlistingReferencePrice = 100000\n"
    "marginTiers = 4000000:25, 10000000:20, 50000000:10\nopenInterestCapUSD = 500000000\n"
    "spotMarket = vBTC_vUSDC\n"
    "[perps ETH-USD]\nbaseCoin = ETH\npricePrecision = 2\ntickSize = 0.01\nquantityPrecision = 4\n"
    "stepSize = 0.0001\nminQuantity = 0.0001\nmaxQuantity = 10000\nmarketMinQuantity = 0.0001\n"
    "marketMaxQuantity = 1000\nminNotional = 1\nmaxNotional = 50000000\nlistingReferencePrice = 4000\n"
    "marginTiers = 4000000:20, 20000000:10\nopenInterestCapUSD = 250000000\nspotMarket = vETH_vUSDC\n"
    "[perps SOL-USD]\nbaseCoin = SOL\npricePrecision = 2\ntickSize = 0.01\nquantityPrecision = 2\n"
    "stepSize = 0.01\nminQuantity = 0.01\nmaxQuantity = 1000000\nmarketMinQuantity = 0.01\n"
    "marketMaxQuantity = 100000\nminNotional = 1\nmaxNotional = 50000000\nlistingReferencePrice = 200\n"
    "marginTiers = 2000000:20, 10000000:10\nopenInterestCapUSD = 100000000\n";
/* clang-format on */

static const char dev_balances[] = "vUSDC = 1000000\nvBTC = 10\nvETH = 100\nperps = 1000000\n";

struct dev {
    uint64_t         port, seed, timestamp; /* timestamp: seconds; 0 = not given */
    const char      *state, *data, *market, *admin_socket, *clock, *terminal, *history, *listen;
    int64_t          clock_rate;
    uint8_t          preset; /* enum market_preset; 0 = silent */
    bool             no_limits, no_sandbox, touch_memory, json, quiet, temporary, until_input_ends;
    char             folder[512];
    int64_t          began_ns;
    struct stage    *stage;
    struct instance *instance;
};

/* ---- its genesis ---- */

static void write_section(struct out *out, const char *name, const struct address *address)
{
    out_char(out, '[');
    out_text(out, name);
    out_literal(out, " 0x");
    out_hex(out, address->bytes, sizeof(address->bytes));
    out_literal(out, "]\n");
}

static bool is_open(const struct dev *dev) { return strcmp(dev->listen, EVERYWHERE) == 0; }

static void dev_settings(const struct dev *dev, struct config *config)
{
    char       text[DEV_CONFIG_BYTES], error[256];
    struct out out = out_make(text, sizeof(text) - 1);
    bool       ok;

    out_literal(&out, "[dojima]\n");
    if (is_open(dev)) out_literal(&out, "metrics = 0.0.0.0/0\n");
    out_text(&out, dev_config);
    for (uint32_t i = 0; i < DEV_ACCOUNTS; i++) {
        write_section(&out, "account", &dev_addresses[i]);
        out_text(&out, dev_balances);
    }
    write_section(&out, "feeder", &dev_addresses[DEV_ACCOUNTS - 1]); /* for trying `dojima oracle` */
    assert(!out.overflow);
    text[out.len] = '\0';
    ok = config_read(text, "the development configuration", true, config, error, sizeof(error));
    if (!ok) (void)complain(EXIT_GENERAL, "%s", error);
    assert(ok);
}

/* ---- banner ---- */

/* EIP-55: a letter is upper case where the hash of the lower-case text has a digit of 8 or more. */
static void address_text(const struct address *address, char text[43])
{
    struct out     out = out_make(text, 42);
    struct hash256 hash;

    out_literal(&out, "0x");
    out_hex(&out, address->bytes, sizeof(address->bytes));
    hash = keccak256(text + 2, 40);
    for (int i = 0; i < 40; i++) {
        int digit = i % 2 == 0 ? hash.bytes[i / 2] >> 4 : hash.bytes[i / 2] & 15;
        if (digit >= 8 && text[2 + i] >= 'a') text[2 + i] = (char)(text[2 + i] - 'a' + 'A');
    }
    text[42] = '\0';
}

static void secret_text(const uint8_t secret[32], char text[67])
{
    struct out out = out_make(text, 66);

    out_literal(&out, "0x");
    out_hex(&out, secret, 32);
    text[66] = '\0';
}

/* The development accounts of this folder, in the order of their ids. */
static void each_account(const struct dev *dev,
                         void (*console_log)(uint32_t index, const char *address, const char *secret))
{
    for (uint32_t i = 0; i < DEV_ACCOUNTS && i < dev->instance->genesis.account_count; i++) {
        char address[43], secret[67];
        address_text(&dev->instance->genesis.accounts[i].owner, address);
        secret_text(dev_secrets[i], secret);
        console_log(i, address, secret);
    }
}

static void print_json_account(uint32_t index, const char *address, const char *secret)
{
    (void)printf("%s{\"accountID\":%u,\"address\":\"%s\",\"privateKey\":\"%s\"}", index == 0 ? "" : ",",
                 ACCOUNT_FIRST + index, address, secret);
}

static void print_json(const struct dev *dev)
{
    const struct genesis *genesis = &dev->instance->genesis;
    unsigned              port = instance_port(dev->instance);
    char                  text[2 * sizeof(dev->folder)];
    struct out            data = out_make(text, sizeof(text));

    json_write_string(&data, slice_of(dev->folder));
    (void)printf("{\"url\":\"http://127.0.0.1:%u\",\"spot\":\"http://127.0.0.1:%u/api/v1/spot\",\"perps\":\"http://"
                 "127.0.0.1:%u/api/v1/perps\",",
                 port, port, port);
    (void)printf("\"rpc\":\"http://127.0.0.1:%u/rpc\",\"ws\":\"ws://127.0.0.1:%u/ws\",\"data\":%.*s,\"chainIds\":[",
                 port, port, (int)data.len, text);
    for (uint32_t i = 0; i < CHAIN_IDS_MAX && genesis->chain_ids[i] != 0; i++)
        (void)printf("%s%lu", i == 0 ? "" : ",", (unsigned long)genesis->chain_ids[i]);
    (void)printf("],\"historyMinutes\":%u,\"accounts\":[", genesis->backfill_minutes);
    each_account(dev, print_json_account);
    (void)printf("]}\n");
}

static void print_account(uint32_t index, const char *address, const char *secret)
{
    (void)printf("   %u  %s  %s\n", ACCOUNT_FIRST + index, address, secret);
}

static void print_amount(int64_t amount, const struct coin *coin)
{
    char       text[32];
    struct out out = out_make(text, sizeof(text));

    decimal_write(&out, decimal_make(amount, (int)coin->precision));
    (void)printf("%.*s %.*s", (int)out.len, text, coin->name.len, coin->name.at);
}

static void print_balances(const struct genesis *genesis)
{
    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        if (i != 0) (void)printf(", ");
        print_amount(genesis->accounts[0].spot[i], &genesis->coins[i]);
    }
}

static void print_history(const struct dev *dev)
{
    uint32_t minutes = dev->instance->genesis.backfill_minutes;

    if (minutes == 0) return;
    (void)printf(
        "  History    candles of %u %s before the beginning, synthesized along seed %lu: nothing traded then\n",
        minutes % 1440 == 0 ? minutes / 1440 : minutes / 60, minutes % 1440 == 0 ? "days" : "hours",
        (unsigned long)dev->instance->genesis.backfill_seed);
}

static void print_accounts(const struct dev *dev)
{
    const struct genesis *genesis = &dev->instance->genesis;

    (void)printf("  Accounts   (mnemonic: " DEV_MNEMONIC ")\n");
    (void)printf("   id    address                                     private key\n");
    each_account(dev, print_account);
    (void)printf("   each began with ");
    print_balances(genesis);
    (void)printf(" in spot, ");
    print_amount(genesis->accounts[0].perps, &genesis->coins[COIN_MARGIN]);
    (void)printf(" in perps\n"
                 "   THESE KEYS ARE PUBLIC. Never send real funds to them; never run this on a public address.\n"
                 "\n");
}

static void print_urls(const struct dev *dev)
{
    unsigned port = instance_port(dev->instance);

    if (is_open(dev))
        (void)printf("  Open       on all addresses of this machine: every program that reaches port %u may move time, "
                     "money and prices\n",
                     port);
    (void)printf("  Spot       http://127.0.0.1:%u/api/v1/spot\n", port);
    (void)printf("  Perps      http://127.0.0.1:%u/api/v1/perps\n", port);
    (void)printf("  RPC        http://127.0.0.1:%u/rpc   (eth_*, and for time, money and prices evm_*, dojima_*)\n",
                 port);
    (void)printf("  Streams    ws://127.0.0.1:%u/ws/spot  /ws/perps\n", port);
    (void)printf("  Terminal   http://127.0.0.1:%u/\n", port);
    (void)printf("  API page   http://127.0.0.1:%u/docs   (and /openapi.json)\n", port);
    (void)printf("  Health     http://127.0.0.1:%u/healthz  /readyz  /version\n", port);
}

static void print_market(const struct dev *dev)
{
    const struct genesis *genesis = &dev->instance->genesis;

    if (dev->instance->server.sequencer.dev_prices != NULL)
        (void)printf(
            "  Prices     indexes of perps move a little each second, along seed %lu; --market none stops that\n",
            (unsigned long)dev->seed);
    else if (dev->preset >= MARKET_CALM && dev->preset < MARKET_EMPTY)
        (void)printf("  Market     %s: %u traders with accounts of their own, along seed %lu; --market none sends them "
                     "away\n",
                     dev->market, MARKET_TRADERS, (unsigned long)dev->seed);
    print_history(dev);
    if (dev->no_limits) (void)printf("  Limits     none\n");
    else
        (void)printf("  Limits     %u request weight a minute and address; --no-limits lifts them\n",
                     dev->instance->limiter.settings.weight_per_minute);
    (void)printf("  Chain ids ");
    for (uint32_t i = 0; i < CHAIN_IDS_MAX && genesis->chain_ids[i] != 0; i++)
        (void)printf(" %lu", (unsigned long)genesis->chain_ids[i]);
    (void)printf("\n  Markets   ");
    for (uint32_t i = 0; i < genesis->spot_count; i++)
        (void)printf(" %.*s", genesis->spot[i].name.len, genesis->spot[i].name.at);
    for (uint32_t i = 0; i < genesis->perps_count; i++)
        (void)printf(" %.*s", genesis->perps[i].name.len, genesis->perps[i].name.at);
    (void)printf("\n\n");
}

static void print_examples(const struct dev *dev)
{
    const struct genesis *genesis = &dev->instance->genesis;
    unsigned              port = instance_port(dev->instance);

    (void)printf("  Use it:    curl -s 'localhost:%u/api/v1/spot/markets/%.*s/orderbook?limit=5'\n", port,
                 genesis->spot[0].name.len, genesis->spot[0].name.at);
    (void)printf("             "
                 "B='{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"first-1\",\"side\":2,\"type\":1,"
                 "\"timeInForce\":1,\"price\":\"100000\",\"quantity\":\"0.01\"}]}'\n");
    (void)printf("             curl -s localhost:%u/api/v1/spot/trade/orders/batch -d \"$B\" -H @<(%s sign --account "
                 "1001 spot batchNewOrder \"$B\")\n",
                 port, program_invocation_name);
    (void)printf("             %s faucet --data %s ADDRESS\n", program_invocation_name, dev->folder);
}

static void print_banner(const struct dev *dev)
{
    (void)printf("\n  dojima " DOJIMA_VERSION
                 "  dev mode                  ready in %ld ms   (seed %lu, clock x%s, state in %s%s)\n\n",
                 (long)((clock_mono_ns() - dev->began_ns) / 1000000), (unsigned long)dev->seed, dev->clock, dev->folder,
                 dev->temporary ? " until it stops" : "");
    print_accounts(dev);
    print_urls(dev);
    print_market(dev);
    print_examples(dev);
    (void)printf("  Ctrl-C stops it.\n\n");
}

/* Without its banner nobody knows where the exchange is: it stops, and main() says why. */
static void ready(void *self)
{
    const struct dev *dev = self;

    if (dev->json) print_json(dev);
    else if (!dev->quiet) print_banner(dev);
    if (fflush(stdout) != 0) signals_stop_self();
}

/* ---- its life ---- */

static int choose_folder(struct dev *dev)
{
    int error;

    if (dev->data != NULL) {
        if (strlen(dev->data) >= sizeof(dev->folder))
            return complain(EXIT_USAGE, "dev: the path of the folder is too long");
        (void)snprintf(dev->folder, sizeof(dev->folder), "%s", dev->data);
        return EXIT_FINE;
    }
    error = files_make_temporary(dev->folder, sizeof(dev->folder));
    if (error != 0) return complain(EXIT_GENERAL, "no temporary folder can be made: %s", strerror(error));
    dev->temporary = true;
    return EXIT_FINE;
}

static int run(struct dev *dev, struct config *config)
{
    struct options options = {
        .folder = dev->folder,
        .passing = dev->temporary,
        .admin_socket = dev->admin_socket,
        .host = dev->listen,
        .open_to_all = is_open(dev),
        .port = (uint16_t)dev->port,
        .io_threads = config->io_threads,
        .busy_poll_us = config->busy_poll_us,
        .connections = config->connections,
        .connections_per_address = config->connections_per_address,
        .send_kib = config->send_kib,
        .receive_kib = config->receive_kib,
        .file_bytes = (uint64_t)config->segment_mib << 20,
        .console_log = !dev->quiet && !dev->json && files_is_terminal(1),
        .library_signatures = config->signatures == SIGNATURES_LIBRARY,
        .has_dev_prices = dev->preset == MARKET_EMPTY,
        .market = dev->preset,
        .seed = dev->seed,
        .clock_rate = dev->clock_rate,
        .clock_goes_on = dev->clock_rate == 0 || dev->timestamp != 0,
        .genesis = &config->genesis,
        .faucet = config->faucet,
        .metrics = &config->metrics,
        .sandbox = !dev->no_sandbox,
        .terminal = true,
        .terminal_folder = dev->terminal,
        .touch_memory = dev->touch_memory,
        .audit_seconds = config->audit_seconds,
        .stage = dev->stage,
        .limits = dev->no_limits ? NULL : &config->limits,
    };
    int code;

    dev->instance = instance_take();
    if (dev->instance == NULL) return complain(EXIT_GENERAL, "not enough memory");
    code = instance_open(dev->instance, &options);
    if (code == EXIT_FINE) code = instance_run(dev->instance, ready, dev);
    instance_close(dev->instance);
    return code;
}

/*
 * Engine time of a new exchange. Where the clock stands two runs are to be equal: the hours of funding and the minutes
 * of bars fall alike from any whole hour.
 */
static void begin_at(const struct dev *dev, struct genesis *genesis)
{
    if (dev->timestamp != 0) genesis->time_ms = (int64_t)dev->timestamp * 1000;
    else if (dev->clock_rate == 0) genesis->time_ms -= genesis->time_ms % HOUR_MS;
}

/* False: neither of the two addresses. */
static bool read_listen(struct dev *dev)
{
    if (dev->listen == NULL) dev->listen = getenv(LISTEN_VARIABLE);
    if (dev->listen == NULL || dev->listen[0] == '\0') dev->listen = ONLY_HERE;
    return is_open(dev) || strcmp(dev->listen, ONLY_HERE) == 0;
}

/* 0 is the number of silent, which is no market at all. */
static bool read_market(const char *name, uint8_t *preset)
{
    *preset = 0;
    if (strcmp(name, "silent") == 0) return true;
    for (const struct enum_name *row = market_preset_names; row->name != NULL; row++)
        if (strcmp(name, row->name) == 0) *preset = (uint8_t)row->value;
    return *preset != 0;
}

/* Digits and h or d, as minutes; false: something else, or out of range. */
static bool read_span(const char *text, uint32_t *minutes)
{
    size_t   digits = strspn(text, "0123456789");
    uint32_t unit = text[digits] == 'h' ? 60 : text[digits] == 'd' ? 1440 : 0, count = 0;

    if (digits == 0 || digits > SPAN_DIGITS || unit == 0 || text[digits + 1] != '\0') return false;
    for (size_t i = 0; i < digits; i++) count = count * 10 + (uint32_t)(text[i] - '0');
    *minutes = count * unit;
    return *minutes >= BACKFILL_MINUTES_MIN && *minutes <= BACKFILL_MINUTES_MAX;
}

/* Candles from before the genesis; an exit code. */
static int begin_with_history(const struct dev *dev, struct genesis *genesis)
{
    if (dev->history == NULL) return EXIT_FINE;
    if (!read_span(dev->history, &genesis->backfill_minutes))
        return complain(EXIT_USAGE, "dev: --history %.60s: a number of hours or days is needed, from 1h to 366d",
                        dev->history);
    if (genesis->time_ms < (int64_t)genesis->backfill_minutes * MINUTE_MS)
        return complain(EXIT_USAGE, "dev: --history %.60s: with this --timestamp it would begin before 1970",
                        dev->history);
    genesis->backfill_seed = dev->seed;
    return EXIT_FINE;
}

/* What is wrong with the words of the command line alone; an exit code. */
static int check_words(struct dev *dev)
{
    if (!read_listen(dev))
        return complain(EXIT_USAGE, "dev: --listen %.60s: 127.0.0.1 or 0.0.0.0 is needed", dev->listen);
    if (!read_market(dev->market, &dev->preset))
        return complain(EXIT_USAGE,
                        "dev: --market %.60s: calm, trend, volatile, crash, thin, empty, none or silent is needed",
                        dev->market);
    if (!clock_rate_read(slice_of(dev->clock), &dev->clock_rate))
        return complain(EXIT_USAGE, "dev: --clock %.60s: a number from 0 to 1000 with at most 6 decimals is needed",
                        dev->clock);
    if (dev->state != NULL && dev->data != NULL)
        return complain(EXIT_USAGE, "dev: --state keeps everything in its file; --data is for a folder instead");
    return EXIT_FINE;
}

/* After the end of the exchange, an exit code. What cannot be written into the file stays in the folder. */
static int save_state(struct dev *dev)
{
    int code = dev_state_save(dev->state, dev->folder);

    if (code == EXIT_FINE) return code;
    dev->temporary = false;
    return complain((enum exit_code)code, "dev: the state stays in %s: go on with --data %s", dev->folder, dev->folder);
}

/* The exchange from its genesis to its end; an exit code. */
static int run_exchange(struct dev *dev)
{
    struct config *config = calloc(1, sizeof(*config));
    int            code;

    assert(config != NULL);
    dev_settings(dev, config);
    begin_at(dev, &config->genesis);
    config->genesis.prices_by_hand = strcmp(dev->market, "silent") != 0;
    code = begin_with_history(dev, &config->genesis);
    if (code == EXIT_FINE && dev->state != NULL) code = dev_state_check(dev->state);
    if (code == EXIT_FINE) code = choose_folder(dev);
    if (code == EXIT_FINE && dev->state != NULL)
        code = dev_state_load(dev->state, dev->folder, (uint64_t)config->segment_mib << 20);
    if (code == EXIT_FINE) code = run(dev, config);
    if (code == EXIT_FINE && dev->state != NULL) code = save_state(dev);
    free(config);
    return code;
}

/* The words of the command line; false: `code` is what the program ends with. */
static bool read_words(struct dev *dev, int argc, char **argv, int *code)
{
    /* clang-format off */
    const struct argument rows[] = {
        { "port", ARGUMENT_U64, 65535, &dev->port, "N", "Its port; 8080 when not given, 0 picks a free one." },
        { "listen", ARGUMENT_TEXT, 0, &dev->listen, "ADDRESS",
          "127.0.0.1, the default: only this machine. 0.0.0.0, for containers: every program that reaches the port may "
          "use the public keys, and move time, money and prices. The variable " LISTEN_VARIABLE " is asked where this "
          "is not given." },
        { "state", ARGUMENT_TEXT, 0, &dev->state, "FILE",
          "Begin with the state in this file, if it is there, and keep the state in it at the end; not with --data." },
        { "data", ARGUMENT_TEXT, 0, &dev->data, "DIR",
          "Keep the state in this folder; else in a temporary one that goes away." },
        { "admin-socket", ARGUMENT_TEXT, 0, &dev->admin_socket, "PATH",
          "The administration socket elsewhere, for a folder whose file system has no sockets or whose path is too "
          "long." },
        { "seed", ARGUMENT_U64, UINT64_MAX, &dev->seed, "N",
          "Seed of index prices, traders and synthesized candles; 42 when not given." },
        { "market", ARGUMENT_TEXT, 0, &dev->market, "NAME",
          "calm, the default, trend, volatile, crash and thin: traders with accounts of their own keep books, trade "
          "and are liquidated (docs/market.md). empty: index prices move and nobody trades; none: they stand at their "
          "references until you set or post them; silent: there are no prices, for tests of how symbols begin and "
          "fall back." },
        { "clock", ARGUMENT_TEXT, 0, &dev->clock, "X",
          "How fast engine time runs: 1 like the wall clock, which is the default; 20 is twenty times as fast; 0 "
          "stands, and time moves only when a client says so (evm_increaseTime, dojima_step)." },
        { "timestamp", ARGUMENT_U64, TIMESTAMP_MAX, &dev->timestamp, "SECONDS",
          "Engine time that a new exchange begins at, Unix seconds; now when not given, and with --clock 0 the last "
          "whole hour." },
        { "terminal", ARGUMENT_TEXT, 0, &dev->terminal, "DIR",
          "Folder of the built terminal; else the one beside the program, where ./run builds it (docs/terminal.md)." },
        { "history", ARGUMENT_TEXT, 0, &dev->history, "SPAN",
          "A new exchange has candles of so long before its beginning, 1h to 366d. They are synthesized: the walk of "
          "the market calm, without traders and without trades (docs/market.md). None when not given." },
        { "no-limits", ARGUMENT_FLAG, 0,          &dev->no_limits, "",     "No request limits." },
        { "no-sandbox", ARGUMENT_FLAG, 0, &dev->no_sandbox, "",
          "All system calls but io_uring's stay allowed, for tools that run inside the process." },
        { "touch-memory", ARGUMENT_FLAG, 0, &dev->touch_memory, "",
          "All memory is taken at the start, so that the process stays as large as it is then." },
        { "until-stdin-closes", ARGUMENT_FLAG, 0, &dev->until_input_ends, "",
          "Stop, as with Ctrl-C, when standard input reaches its end: a program that starts the exchange and keeps a "
          "pipe to it leaves nothing behind, however it ends." },
        { "json", ARGUMENT_FLAG, 0, &dev->json, "",
          "One line of JSON on stdout when it is ready, and nothing else there." },
        { "quiet",     ARGUMENT_FLAG, 0,          &dev->quiet,     "",     "No banner, no lines about commands." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "dev", NULL, "A whole exchange with funded accounts on http://127.0.0.1:8080.", rows, ARRAY_COUNT(rows), NULL
    };
    int operand;

    if (!arguments_read(&arguments, argc, argv, &operand, code)) return false;
    *code = check_words(dev);
    return *code == EXIT_FINE;
}

int command_dev(int argc, char **argv)
{
    static struct stage stage; /* it has room for what a scenario says */
    struct dev          dev = {
                 .port = 8080, .seed = 42, .market = "calm", .clock = "1", .began_ns = clock_mono_ns(), .stage = &stage
    };
    int code;

    if (!read_words(&dev, argc, argv, &code)) return code;
    log_init(dev.quiet);
    stage_open(&stage); /* before the first thread: it copies this process */
    code = dev.until_input_ends ? signals_stop_at_end_of_input() : 0;
    if (code != 0) code = complain(EXIT_GENERAL, "no thread can be started: %s", strerror(code));
    else code = run_exchange(&dev);
    stage_close(&stage);
    if (dev.temporary) files_remove_tree(dev.folder);
    return code;
}
