/* SPDX-License-Identifier: MIT */
/* config_value.c — one value of the configuration file into the member its row names. */
#include "app/config_inside.h"

#include "base/fixed.h"

#include <stdio.h>
#include <stdlib.h>

bool config_wrong(const struct value *value, const char *need)
{
    return config_fail(value->reading, value->line, "[%s] %s: \"%.60s\" is not %s", value->section, value->row->key,
                       value->text, need);
}

static bool read_u64(struct slice text, uint64_t max, uint64_t *number)
{
    *number = 0;
    if (text.len == 0 || text.len > 20) return false;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (text.at[i] < '0' || text.at[i] > '9' || digit > max || *number > (max - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return true;
}

bool config_read_units(struct slice text, uint32_t scale, int64_t *units)
{
    struct decimal decimal;

    return decimal_read(text, &decimal) == DECIMAL_OK && decimal_to_units(decimal, (int)scale, AMOUNT_MAX, units);
}

/* Takes the next part off a list: up to `separator`, without the blanks around it. */
static bool take_part(struct slice *rest, char separator, struct slice *part)
{
    size_t len = 0;

    if (rest->at == NULL) return false;
    while (len < rest->len && rest->at[len] != separator) len++;
    *part = slice_make(rest->at, len);
    *rest = len == rest->len ? slice_make(NULL, 0) : slice_make(rest->at + len + 1, rest->len - len - 1);
    while (part->len != 0 && part->at[0] == ' ') *part = slice_make(part->at + 1, part->len - 1);
    while (part->len != 0 && part->at[part->len - 1] == ' ') part->len -= 1;
    return true;
}

static bool set_units(const struct value *value, int64_t *into, uint32_t scale)
{
    struct decimal decimal;
    char           need[64];

    if (config_read_units(slice_of(value->text), scale, into)) return true;
    if (decimal_read(slice_of(value->text), &decimal) == DECIMAL_OK && decimal.scale <= scale)
        (void)snprintf(need, sizeof(need), "a decimal of at most %ld", (long)(AMOUNT_MAX / pow10_i64((int)scale)));
    else (void)snprintf(need, sizeof(need), "a decimal with at most %u decimals", scale);
    return config_wrong(value, need);
}

static bool set_u32(const struct value *value, uint32_t *into)
{
    uint64_t number = 0;
    char     need[64];

    if (read_u64(slice_of(value->text), value->row->max, &number) && number >= value->row->min) {
        *into = (uint32_t)number;
        return true;
    }
    (void)snprintf(need, sizeof(need), "a whole number from %u to %u", value->row->min, value->row->max);
    return config_wrong(value, need);
}

static bool set_part(const struct value *value, uint32_t into[2])
{
    struct slice rest = slice_of(value->text), text;
    uint64_t     part = 0, whole = 0;
    char         need[64];

    if (take_part(&rest, '/', &text) && read_u64(text, value->row->max, &part) && take_part(&rest, '/', &text)
        && rest.at == NULL && read_u64(text, value->row->max, &whole) && whole != 0 && part <= whole) {
        into[0] = (uint32_t)part;
        into[1] = (uint32_t)whole;
        return true;
    }
    (void)snprintf(need, sizeof(need), "PART/WHOLE, with a whole from 1 to %u", value->row->max);
    return config_wrong(value, need);
}

static bool set_enum(const struct value *value, uint8_t *into)
{
    char need[96] = "one of";

    for (const struct enum_name *name = value->row->names; name->name != NULL; name++) {
        size_t len = strlen(need);
        (void)snprintf(need + len, sizeof(need) - len, " %s", name->name);
        if (strcmp(name->name, value->text) != 0) continue;
        *into = name->value;
        return true;
    }
    return config_wrong(value, need);
}

bool config_is_name(struct slice text)
{
    if (text.len == 0 || text.len > NAME_MAX_LEN) return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] <= ' ' || text.at[i] > '~' || text.at[i] == '"' || text.at[i] == '\\') return false;
    return true;
}

static bool set_name(const struct value *value, struct name *into)
{
    if (value->text[0] == '\0') return true;
    if (!config_is_name(slice_of(value->text)))
        return config_wrong(value, "1 to 31 printable characters without blanks, quotes and backslashes");
    *into = name_make(slice_of(value->text));
    return true;
}

const struct coin *config_find_coin(const struct genesis *genesis, struct slice name)
{
    for (uint32_t i = 0; i < genesis->coin_count; i++)
        if (slice_equal(name_slice(&genesis->coins[i].name), name)) return &genesis->coins[i];
    return NULL;
}

static bool set_coin(const struct value *value, uint32_t *into)
{
    const struct coin *coin = config_find_coin(&value->reading->config->genesis, slice_of(value->text));

    if (coin == NULL) return config_wrong(value, "a coin with a section of its own");
    *into = coin->id;
    return true;
}

static bool set_address(const struct value *value, struct config *config)
{
    const char *colon = strrchr(value->text, ':');
    size_t      len = colon != NULL ? (size_t)(colon - value->text) : 0;
    uint64_t    port = 0;

    if (len == 0 || len >= sizeof(config->host) || !read_u64(slice_of(colon + 1), 65535, &port))
        return config_wrong(value, "HOST:PORT");
    memcpy(config->host, value->text, len);
    config->host[len] = '\0';
    if (config->host[0] == '[' && config->host[len - 1] == ']') { /* [::1]:8080 */
        memmove(config->host, config->host + 1, len - 2);
        config->host[len - 2] = '\0';
    }
    config->port = (uint16_t)port;
    return true;
}

static bool set_text(const struct value *value, char *into)
{
    if (value->text[0] == '\0' && value->line == 0) return true; /* it may be absent */
    if (value->text[0] == '\0' || strlen(value->text) >= value->row->max)
        return config_wrong(value, "a text of that length");
    memcpy(into, value->text, strlen(value->text) + 1);
    return true;
}

static bool set_proxies(const struct value *value, struct proxies *proxies)
{
    struct slice rest = slice_of(value->text), part;

    if (value->text[0] == '\0') return true;
    for (; take_part(&rest, ',', &part); proxies->count++)
        if (proxies->count == PROXIES_MAX || !ip_range_read(part, &proxies->ranges[proxies->count]))
            return config_wrong(value,
                                "a list of at most 32 addresses or ADDRESS/BITS, with nothing set behind the bits");
    return true;
}

static bool set_chain_ids(const struct value *value, struct config *config)
{
    struct slice rest = slice_of(value->text), part;
    uint64_t    *ids = config->genesis.chain_ids;
    uint32_t     count = 0;

    for (; take_part(&rest, ',', &part); count++) {
        if (count == CHAIN_IDS_MAX || !read_u64(part, INT64_MAX, &ids[count]) || ids[count] == 0)
            return config_wrong(value, "a list of 1 to 4 chain ids");
        for (uint32_t i = 0; i < count; i++)
            if (ids[i] == ids[count]) return config_wrong(value, "a list of different chain ids");
        if (is_public_chain(ids[count]) && !config->allow_public_chain_ids && !value->reading->development)
            return config_fail(value->reading, value->line,
                               "[%s] chainIds: %lu is the public venue's, where the same signature would be valid too; "
                               "choose an id of your own or set allowPublicChainIds = on",
                               value->section, (unsigned long)ids[count]);
    }
    return true;
}

static bool set_tiers(const struct value *value, struct fee_table *fees)
{
    struct slice rest = slice_of(value->text), tier, volume, maker, taker;
    uint32_t     scale = value->reading->config->genesis.coins[0].precision;

    for (fees->tier_count = 0; take_part(&rest, ',', &tier); fees->tier_count++) {
        struct fee_row *row = &fees->tiers[fees->tier_count];
        if (fees->tier_count == FEE_TIERS_MAX || !take_part(&tier, ':', &volume) || !take_part(&tier, ':', &maker)
            || !take_part(&tier, ':', &taker) || tier.at != NULL || !config_read_units(volume, scale, &row->volume)
            || !config_read_units(maker, RATE_SCALE, &row->maker) || !config_read_units(taker, RATE_SCALE, &row->taker))
            return config_wrong(value, "a list of 1 to 8 volume:maker:taker");
    }
    return true;
}

static bool set_discounts(const struct value *value, struct fee_table *fees)
{
    struct slice rest = slice_of(value->text), part;

    for (fees->staking_count = 0; take_part(&rest, ',', &part); fees->staking_count++)
        if (fees->staking_count == FEE_TIERS_MAX
            || !config_read_units(part, RATE_SCALE, &fees->staking_discount[fees->staking_count]))
            return config_wrong(value, "a list of 1 to 8 fractions");
    return true;
}

static bool set_rebates(const struct value *value, struct fee_table *fees)
{
    struct slice rest = slice_of(value->text), tier, share, rate;

    for (fees->rebate_count = 0; take_part(&rest, ',', &tier); fees->rebate_count++) {
        uint32_t i = fees->rebate_count;
        if (i == FEE_TIERS_MAX || !take_part(&tier, ':', &share) || !take_part(&tier, ':', &rate) || tier.at != NULL
            || !config_read_units(share, RATE_SCALE, &fees->rebate_share[i])
            || !config_read_units(rate, RATE_SCALE, &fees->rebate_rate[i]))
            return config_wrong(value, "a list of 1 to 8 share:rate");
    }
    return true;
}

static bool set_spot(const struct value *value, uint32_t *into)
{
    const struct genesis *genesis = &value->reading->config->genesis;

    if (value->text[0] == '\0') return true;
    for (uint32_t i = 0; i < genesis->spot_count; i++) {
        if (!slice_equal(name_slice(&genesis->spot[i].name), slice_of(value->text))) continue;
        *into = genesis->spot[i].id;
        return true;
    }
    return config_wrong(value, "a spot market with a section of its own");
}

static bool set_margin_tiers(const struct value *value, struct contract *contract)
{
    struct slice rest = slice_of(value->text), part, bound, leverage;
    uint32_t     scale = value->reading->config->genesis.coins[COIN_MARGIN].precision;

    for (contract->tier_count = 0; take_part(&rest, ',', &part); contract->tier_count++) {
        struct margin_tier *tier = &contract->tiers[contract->tier_count];
        uint64_t            number = 0;

        if (contract->tier_count == MARGIN_TIERS_MAX || !take_part(&part, ':', &bound)
            || !take_part(&part, ':', &leverage) || part.at != NULL
            || !config_read_units(bound, scale, &tier->max_notional) || !read_u64(leverage, LEVERAGE_MAX, &number))
            return config_wrong(value, "a list of 1 to 8 maxNotional:maxLeverage, with a leverage of at most 125");
        tier->max_leverage = (uint32_t)number;
    }
    return true;
}

bool config_set_value(const struct value *value, void *base)
{
    void                *into = (char *)base + value->row->offset;
    const struct symbol *symbol = base; /* only looked at by kinds of markets */

    switch ((enum setting_kind)value->row->kind) {
    case SET_TEXT: return set_text(value, into);
    case SET_ADDRESS: return set_address(value, base);
    case SET_U32: return set_u32(value, into);
    case SET_ENUM: return set_enum(value, into);
    case SET_NAME: return set_name(value, into);
    case SET_COIN: return set_coin(value, into);
    case SET_PRICE: return set_units(value, into, symbol->price_precision);
    case SET_QUANTITY: return set_units(value, into, symbol->quantity_precision);
    case SET_VALUE:
        return set_units(value, into, value->reading->config->genesis.coins[symbol->quote_coin_id].precision);
    case SET_MARGIN: return set_units(value, into, value->reading->config->genesis.coins[COIN_MARGIN].precision);
    case SET_SPOT: return set_spot(value, into);
    case SET_MARGIN_TIERS: return set_margin_tiers(value, into);
    case SET_RATE: return set_units(value, into, RATE_SCALE);
    case SET_PART: return set_part(value, into);
    case SET_PROXIES: return set_proxies(value, into);
    case SET_CHAIN_IDS: return set_chain_ids(value, base);
    case SET_TIERS: return set_tiers(value, base);
    case SET_DISCOUNTS: return set_discounts(value, base);
    case SET_REBATES: return set_rebates(value, base);
    }
    return false;
}
