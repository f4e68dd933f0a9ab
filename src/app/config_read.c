/* SPDX-License-Identifier: MIT */
/* config_read.c — the sections of the configuration file, each into its part of the genesis or the server's own
 * settings. */
#include "app/config_inside.h"

#include "base/hex.h"
#include "base/keccak.h"
#include "core/engine.h"
#include "io/clock.h"
#include "io/files.h"
#include "log/log.h"

#include <stdio.h>
#include <stdlib.h>

#define FILE_BYTES (1024 * 1024)

/* All rows of a section, in the order of the table, into `base`. */
static bool read_rows(struct reading *reading, const char *section, const struct section *kind, void *base)
{
    for (uint32_t i = 0; i < kind->count; i++) {
        const struct setting *row = &kind->rows[i];
        const struct entry   *entry = config_find_entry(reading, section, row->key);
        struct value          value = { reading, row, section, row->standard, 0 };

        if (entry != NULL) {
            value.text = entry->value;
            value.line = entry->line;
        } else if (row->standard == NULL) {
            return config_fail(reading, 0, "[%s] needs the key %s: %s", section, row->key, row->doc);
        }
        if (!config_set_value(&value, base)) return false;
    }
    return true;
}

/* The word behind the section's kind, or NULL when the section is of another kind. */
static const char *section_name(const char *section, const char *kind)
{
    size_t len = strlen(kind);

    if (strncmp(section, kind, len) != 0 || section[len] != ' ') return NULL;
    while (section[len] == ' ') len++;
    return section + len;
}

typedef bool read_section(struct reading *, const struct section *, struct entry *, const char *name);

/* Calls `read` for each section of a kind, in their order in the file. */
static bool each_section(struct reading *reading, const struct section *kind, read_section *read)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        struct entry *entry = &reading->entries[i];
        const char   *name = section_name(entry->section, kind->kind);
        if (entry->key[0] != '\0' || name == NULL) continue;
        entry->used = true;
        if (!read(reading, kind, entry, name)) return false;
    }
    return true;
}

static bool read_coin(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis     *genesis = &reading->config->genesis;
    struct coin        *coin = &genesis->coins[genesis->coin_count];
    const struct entry *gift;

    if (genesis->coin_count == COINS_MAX) return config_fail(reading, entry->line, "more than %d coins", COINS_MAX);
    if (!config_is_name(slice_of(name)))
        return config_fail(reading, entry->line, "[%s]: not a name of 1 to 31 printable characters", entry->section);
    coin->id = genesis->coin_count++;
    coin->name = name_make(slice_of(name));
    if (!read_rows(reading, entry->section, kind, coin)) return false;
    gift =
        config_find_entry(reading, entry->section, "faucet"); /* no part of the genesis: it may be turned on and off */
    if (gift == NULL
        || (config_read_units(slice_of(gift->value), coin->precision, &reading->config->faucet[coin->id])
            && reading->config->faucet[coin->id] >= 0))
        return true;
    return config_fail(reading, gift->line, "[%s] faucet: \"%.60s\" is not an amount with at most %u decimals",
                       entry->section, gift->value, coin->precision);
}

static bool read_market(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis *genesis = &reading->config->genesis;
    struct symbol  *symbol = &genesis->spot[genesis->spot_count];

    if (genesis->spot_count == SYMBOLS_MAX)
        return config_fail(reading, entry->line, "more than %d markets", SYMBOLS_MAX);
    if (!config_is_name(slice_of(name)))
        return config_fail(reading, entry->line, "[%s]: not a name of 1 to 31 printable characters", entry->section);
    symbol->id = ++genesis->spot_count;
    symbol->market = MARKET_SPOT;
    symbol->name = symbol->display_name = name_make(slice_of(name));
    return read_rows(reading, entry->section, kind, symbol);
}

static bool read_perps(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis      *genesis = &reading->config->genesis;
    struct perps_section section = {
        .symbol = { .id = genesis->perps_count + 1, .market = MARKET_PERPS, .quote_coin_id = COIN_MARGIN }
    };

    if (genesis->perps_count == PERPS_MAX)
        return config_fail(reading, entry->line, "more than %d perps markets", PERPS_MAX);
    if (genesis->coin_count == 0)
        return config_fail(reading, entry->line, "[%s] needs a coin to be paid in", entry->section);
    if (!config_is_name(slice_of(name)))
        return config_fail(reading, entry->line, "[%s]: not a name of 1 to 31 printable characters", entry->section);
    section.symbol.name = section.symbol.display_name = name_make(slice_of(name));
    if (!read_rows(reading, entry->section, kind, &section)) return false;
    if (section.contract.base.len == 0)
        return config_fail(reading, entry->line, "[%s] baseCoin: a name of the underlying", entry->section);
    if (section.contract.spot_symbol_id == 0) section.contract.spot_impact_notional = 0;
    genesis->perps[genesis->perps_count] = section.symbol;
    genesis->contracts[genesis->perps_count++] = section.contract;
    return true;
}

static bool read_owner(struct reading *reading, const struct entry *entry, const char *name, struct address *address)
{
    if (strlen(name) == 42 && hex_read_0x(slice_of(name), address->bytes, sizeof(address->bytes))) return true;
    return config_fail(reading, entry->line, "[%s]: not an address of 0x and 40 hex digits", entry->section);
}

static bool read_feeder(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis *genesis = &reading->config->genesis;
    struct feeder  *feeder = &genesis->feeders[genesis->feeder_count];

    if (genesis->feeder_count == FEEDERS_MAX)
        return config_fail(reading, entry->line, "more than %d feeders", FEEDERS_MAX);
    if (!read_owner(reading, entry, name, &feeder->address)) return false;
    genesis->feeder_count += 1;
    return read_rows(reading, entry->section, kind, feeder);
}

static bool read_operator(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    static const struct address nobody;
    struct operator_keys       *operators = &reading->config->operators;
    struct operator_key        *key = &operators->keys[operators->count];

    if (operators->count == OPERATOR_KEYS_MAX)
        return config_fail(reading, entry->line, "more than %d operators", OPERATOR_KEYS_MAX);
    if (!read_owner(reading, entry, name, &key->address)) return false;
    if (address_equal(&key->address, &nobody))
        return config_fail(reading, entry->line, "[%s]: no key exists for this address", entry->section);
    for (uint32_t i = 0; i < operators->count; i++)
        if (address_equal(&operators->keys[i].address, &key->address))
            return config_fail(reading, entry->line, "[%s]: the address has a section already", entry->section);
    operators->count += 1;
    return read_rows(reading, entry->section, kind, key);
}

/* Settings of perps; zero without perps symbols, so that they are no part of the log. */
static bool read_venue(struct reading *reading)
{
    struct genesis *genesis = &reading->config->genesis;

    if (genesis->perps_count != 0) return read_rows(reading, "dojima", &config_sections[AT_VENUE], reading->config);
    for (uint32_t i = 0; i < config_sections[AT_VENUE].count; i++) {
        const struct entry *entry = config_find_entry(reading, "dojima", config_sections[AT_VENUE].rows[i].key);
        if (entry != NULL)
            return config_fail(reading, entry->line, "[dojima] %s: there is no perps market", entry->key);
    }
    return true;
}

static bool read_fees(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    (void)kind;
    if (strcmp(name, "spot") != 0 && strcmp(name, "perps") != 0)
        return config_fail(reading, entry->line, "unknown section [%s]", entry->section);
    return true;
}

static bool read_perps_balance(struct reading *reading, const char *section, struct genesis_account *account)
{
    const struct coin  *coin = &reading->config->genesis.coins[COIN_MARGIN];
    const struct entry *balance = config_find_entry(reading, section, "perps");

    if (balance == NULL
        || (config_read_units(slice_of(balance->value), coin->precision, &account->perps) && account->perps >= 0))
        return true;
    return config_fail(reading, balance->line, "[%s] perps: \"%.60s\" is not an amount with at most %u decimals",
                       section, balance->value, coin->precision);
}

static bool read_account(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis         *genesis = &reading->config->genesis;
    struct genesis_account *account = &genesis->accounts[genesis->account_count];

    (void)kind;
    if (genesis->account_count == GENESIS_ACCOUNTS_MAX)
        return config_fail(reading, entry->line, "more than %d accounts", GENESIS_ACCOUNTS_MAX);
    if (!read_owner(reading, entry, name, &account->owner)) return false;
    for (uint32_t i = 0; i < genesis->account_count; i++)
        if (address_equal(&genesis->accounts[i].owner, &account->owner))
            return config_fail(reading, entry->line, "[%s]: the address has a section already", entry->section);
    genesis->account_count += 1;
    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        const struct coin  *coin = &genesis->coins[i];
        struct slice        coin_name = name_slice(&coin->name);
        char                key[NAME_MAX_LEN + 1] = { 0 };
        const struct entry *balance;

        memcpy(key, coin_name.at, coin_name.len);
        balance = config_find_entry(reading, entry->section, key);
        if (balance == NULL) continue;
        if (!config_read_units(slice_of(balance->value), coin->precision, &account->spot[i]) || account->spot[i] < 0)
            return config_fail(reading, balance->line, "[%s] %s: \"%.60s\" is not an amount with at most %u decimals",
                               entry->section, key, balance->value, coin->precision);
        if (account->spot[i] != 0) account->spot_count = i + 1;
    }
    return read_perps_balance(reading, entry->section, account);
}

/* A limit that no request could ever meet is a mistake. */
static bool check_limits(struct reading *reading)
{
    const struct limiter_settings *limits = &reading->config->limits;

    if (limits->weight_per_minute != 0 && limits->weight_per_minute < WEIGHT_MIN)
        return config_fail(reading, 0,
                           "[limits] weightPerMinute: %u is less than one request may weigh: 0, or %d to %d",
                           limits->weight_per_minute, WEIGHT_MIN, MINUTE_LIMIT_MAX);
    if (limits->orders_per_minute != 0 && limits->orders_per_minute < ORDERS_MIN)
        return config_fail(reading, 0, "[limits] ordersPerMinute: %u is less than one batch may hold: 0, or %d to %d",
                           limits->orders_per_minute, ORDERS_MIN, MINUTE_LIMIT_MAX);
    return true;
}

static bool is_http_url(const char *url)
{
    return strncmp(url, "http://", 7) == 0 && url[7] != '\0' && url[7 + strcspn(url + 7, "/?# \t\r\n")] == '\0';
}

/* Nodes that share a log need names and addresses. */
static bool check_cluster(struct reading *reading)
{
    const struct cluster_settings *cluster = &reading->config->cluster;
    struct slice                   node = slice_of(cluster->node);

    if (cluster->log_url[0] == '\0' && cluster->node[0] == '\0' && cluster->url[0] == '\0') return true;
    if (cluster->log_url[0] == '\0')
        return config_fail(reading, 0,
                           "[log] url: nodes with a name or url in [cluster] share the log of a database; without it "
                           "this one would begin a log of its own");
    if (!log_is_url(cluster->log_url))
        return config_fail(reading, 0,
                           "[log] url: it does not begin with postgres://; use the writer's URL that dojima "
                           "init-log prints");
    if (!config_is_name(node)) return config_fail(reading, 0, "[cluster] node: with [log] url each node has a name");
    if (is_http_url(cluster->url)) return true;
    return config_fail(reading, 0, "[cluster] url: \"%.60s\" is not http://HOST:PORT, where other nodes reach this one",
                       cluster->url);
}

/* A section that no setting asks for is an error. */
static bool refuse_unknown(struct reading *reading)
{
    char hint[CONFIG_HINT];

    for (uint32_t i = 0; i < reading->count; i++) {
        const struct entry *entry = &reading->entries[i];
        if (entry->used) continue;
        if (entry->key[0] == '\0') return config_fail(reading, entry->line, "unknown section [%s]", entry->section);
        return config_fail(reading, entry->line, "unknown key %s in [%s]%s", entry->key, entry->section,
                           config_hint(entry->section, entry->key, hint));
    }
    return true;
}

/* What is wrong with all of it together; of a symbol with its section. */
static bool check_whole(struct reading *reading)
{
    const struct symbol *where;
    const char          *what = genesis_check_where(&reading->config->genesis, &where);
    char                 section[NAME_MAX_LEN + 16];
    const struct entry  *entry;

    if (what == NULL) return true;
    if (where == NULL) return config_fail(reading, 0, "%s", what);
    (void)snprintf(section, sizeof(section), "%s %.*s", where->market == MARKET_SPOT ? "market" : "perps",
                   (int)where->name.len, where->name.at);
    entry = config_find_entry(reading, section, "");
    if (strncmp(what, "market: ", 8) == 0) what += 8;
    else if (strncmp(what, "perps: ", 7) == 0) what += 7;
    return config_fail(reading, entry != NULL ? entry->line : 0, "[%s] %s", section, what);
}

static bool read_sections(struct reading *reading)
{
    /* clang-format off */
    static const struct { enum section_at at; read_section *read; } readers[] = {
        { AT_COIN, read_coin }, { AT_MARKET, read_market }, { AT_PERPS, read_perps }, { AT_FEEDER, read_feeder },
        { AT_OPERATOR, read_operator },
        { AT_SPOT_FEES, read_fees }, { AT_ACCOUNT, read_account },
    };
    /* clang-format on */
    struct config      *config = reading->config;
    const struct entry *entry;
    bool                ok = true;

    (void)config_find_entry(reading, "dojima", "");
    (void)config_find_entry(reading, "limits", "");
    (void)config_find_entry(reading, "log", "");
    (void)config_find_entry(reading, "cluster", "");
    for (size_t i = 0; ok && i < ARRAY_COUNT(readers); i++)
        ok = each_section(reading, &config_sections[readers[i].at], readers[i].read);
    /* The chain ids depend on a switch that may stand behind them: it is looked at first. */
    entry = config_find_entry(reading, "dojima", "allowPublicChainIds");
    if (entry != NULL) config->allow_public_chain_ids = strcmp(entry->value, "on") == 0;
    ok = ok && read_rows(reading, "dojima", &config_sections[AT_SERVER], config) && read_venue(reading)
      && read_rows(reading, "limits", &config_sections[AT_LIMITS], config) && check_limits(reading)
      && read_rows(reading, "log", &config_sections[AT_LOG], config)
      && read_rows(reading, "cluster", &config_sections[AT_CLUSTER], config) && check_cluster(reading)
      && read_rows(reading, "fees spot", &config_sections[AT_SPOT_FEES], &config->genesis.spot_fees)
      && read_rows(reading, "fees perps", &config_sections[AT_PERPS_FEES], &config->genesis.perps_fees);
    if (!ok || !refuse_unknown(reading) || !check_whole(reading)) return false;
    genesis_complete(&config->genesis);
    return true;
}

bool config_read(const char *text, const char *name, bool development, struct config *config, char *error, size_t cap)
{
    struct reading reading = {
        .name = name, .development = development, .config = config, .at = text, .error = error, .cap = cap
    };
    bool ok;

    memset(config, 0, sizeof(*config));
    config->genesis.development = development;
    config->genesis.time_ms = clock_wall_ms();
    if (!development && !files_random(config->genesis.table_secret, sizeof(config->genesis.table_secret)))
        return config_fail(&reading, 0, "there are no random bytes for a new log");
    config->hash = keccak256(text, strlen(text));
    ok = config_entries_read(&reading) && read_sections(&reading);
    config_entries_free(&reading);
    return ok;
}

bool config_read_file(const char *path, struct config *config, char *error, size_t cap)
{
    char  *text = malloc(FILE_BYTES + 1);
    size_t len = 0;
    int    failed;
    bool   ok = false;

    assert(text != NULL);
    failed = files_read(path, text, FILE_BYTES + 1, &len);
    if (failed != 0) (void)snprintf(error, cap, "%s: %s", path, strerror(failed));
    else if (len > FILE_BYTES) (void)snprintf(error, cap, "%s: longer than %d bytes", path, FILE_BYTES);
    else if (memchr(text, '\0', len) != NULL) (void)snprintf(error, cap, "%s: not a text", path);
    else {
        text[len] = '\0';
        ok = config_read(text, path, false, config, error, cap);
    }
    free(text);
    return ok;
}
