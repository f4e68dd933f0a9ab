/* SPDX-License-Identifier: MIT */
#include "api/operator/payload.h"

/* One request on its way to a payload. */
struct making {
    const struct genesis          *genesis;
    const struct shape            *shape;
    const struct operator_request *request;
    uint8_t                       *payload;
    const struct coin             *coin;   /* of the request, once it was looked up */
    const struct symbol           *symbol; /* the same */
    struct failure                *failure;
};

void *operator_command(struct command_room *room, uint16_t kind, size_t bytes)
{
    memset(&room->head, 0, sizeof(room->head));
    room->head.kind = kind;
    room->head.bytes = (uint32_t)align_up(sizeof(room->head) + bytes, 8);
    memset(&room->head + 1, 0, align_up(bytes, 8));
    return &room->head + 1;
}

const struct coin *operator_coin(const struct genesis *genesis, const struct name *name)
{
    for (uint32_t i = 0; i < genesis->coin_count; i++)
        if (memcmp(&genesis->coins[i].name, name, sizeof(*name)) == 0) return &genesis->coins[i];
    return NULL;
}

static const struct symbol *find_symbol(const struct genesis *genesis, uint8_t market, const struct name *name)
{
    const struct symbol *symbols = market == MARKET_PERPS ? genesis->perps : genesis->spot;
    uint32_t             count = market == MARKET_PERPS ? genesis->perps_count : genesis->spot_count;

    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&symbols[i].name, name, sizeof(*name)) == 0) return &symbols[i];
    return NULL;
}

static void put_id(struct making *making, void *into)
{
    struct hash256 hash = keccak256(making->request->id.at, making->request->id.len);

    memcpy(into, hash.bytes, sizeof(struct operator_id));
}

static bool put_coin(struct making *making, void *into)
{
    const struct name *name = &making->request->coin;

    making->coin = operator_coin(making->genesis, name);
    if (making->coin == NULL) {
        fail(making->failure, REJECT_COIN_NOT_FOUND, SLICE("coin"), name_slice(name));
        return false;
    }
    memcpy(into, &making->coin->id, sizeof(making->coin->id));
    return true;
}

/* The fault is in the request's decimal. */
static bool fail_decimal(struct making *making, enum reject reject, struct slice key)
{
    struct out got = out_make(making->failure->got, sizeof(making->failure->got));

    fail(making->failure, reject, key, SLICE(""));
    decimal_write(&got, making->request->amount);
    making->failure->details.got = out_slice(&got);
    return false;
}

static bool put_amount(struct making *making, void *into)
{
    struct decimal amount = making->request->amount;
    uint32_t       precision = making->coin->precision;
    struct out     need = out_make(making->failure->need, sizeof(making->failure->need));
    int64_t        units;

    if (decimal_to_units(amount, (int)precision, AMOUNT_MAX, &units)) {
        memcpy(into, &units, sizeof(units));
        return true;
    }
    if (amount.scale <= precision) return fail_decimal(making, REJECT_SUPPLY_LIMIT, SLICE("amount"));
    (void)fail_decimal(making, REJECT_AMOUNT_DECIMALS, SLICE("amount"));
    out_literal(&need, "at most ");
    out_u64(&need, precision);
    out_literal(&need, " decimals");
    making->failure->details.need = out_slice(&need);
    return false;
}

/* The side that a shape with `engine` names, or NULL. */
static uint8_t *engine_in(const struct making *making)
{
    for (uint32_t i = 0; i < making->shape->field_count; i++)
        if (strcmp(making->shape->fields[i].key, "engine") == 0)
            return making->payload + making->shape->fields[i].offset - offsetof(struct operator_request, deposit);
    return NULL;
}

/* On the side that is named, else on spot, then on perps; the payload names the side on which it was found. */
static bool put_symbol(struct making *making, void *into)
{
    const struct name *name = &making->request->symbol;
    uint8_t           *engine = engine_in(making), side = engine != NULL ? *engine : MARKET_PERPS;

    if (name->len == 0) return true;
    making->symbol = side != MARKET_PERPS ? find_symbol(making->genesis, MARKET_SPOT, name) : NULL;
    if (making->symbol == NULL && side != MARKET_SPOT)
        making->symbol = find_symbol(making->genesis, MARKET_PERPS, name);
    if (making->symbol == NULL) {
        fail(making->failure, REJECT_SYMBOL_NOT_FOUND, SLICE("symbol"), name_slice(name));
        return false;
    }
    memcpy(into, &making->symbol->id, sizeof(making->symbol->id));
    if (engine != NULL) *engine = making->symbol->market;
    return true;
}

static bool put_price(struct making *making)
{
    struct set_index *set = (void *)making->payload;
    struct decimal    price = making->request->amount;
    uint32_t          precision = making->symbol->price_precision;

    set->by_hand = 1;
    if (decimal_to_units(price, (int)precision, PRICE_MAX, &set->price)) return true;
    return fail_decimal(making, price.scale > precision ? REJECT_PRICE_DECIMALS : REJECT_PRICE_MAX, SLICE("price"));
}

/* The engine refuses a time that no clock will reach, by the bound of announcements. */
static void put_time(struct making *making, void *into)
{
    int64_t time = (int64_t)min_u64(max_u64(making->request->time, 1), INT64_MAX);

    memcpy(into, &time, sizeof(time));
}

static bool put(struct making *making, const struct field *field)
{
    void *into = making->payload + field->becomes;

    switch ((enum lookup)field->lookup) {
    case LOOKUP_NONE: break;
    case LOOKUP_ID: put_id(making, into); break;
    case LOOKUP_COIN: return put_coin(making, into);
    case LOOKUP_AMOUNT: return put_amount(making, into);
    case LOOKUP_SYMBOL: return put_symbol(making, into);
    case LOOKUP_PRICE: return put_price(making);
    case LOOKUP_TIME: put_time(making, into); break;
    }
    return true;
}

bool operator_payload(const struct genesis *genesis, uint16_t kind, const struct shape *shape,
                      const struct operator_request *request, struct command_room *room, struct failure *failure)
{
    size_t        bytes = command_row(kind)->payload_bytes;
    struct making making = { .genesis = genesis, .shape = shape, .request = request, .failure = failure };

    assert(shape->size == sizeof(*request) && bytes <= sizeof(*request) - offsetof(struct operator_request, deposit));
    making.payload = operator_command(room, kind, bytes);
    memcpy(making.payload, &request->deposit, bytes);
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (!put(&making, &shape->fields[i])) return false;
    return true;
}
