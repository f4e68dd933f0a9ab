/* SPDX-License-Identifier: MIT */
/*
 * apidoc.c — prints docs/api.md from the rows: endpoints, parameters, bodies, records, errors. The test
 * "docs/api" compares what it prints with the file in the repository, so the page cannot be stale.
 */
#include "api/node/rpc.h"
#include "crypto/typed.h"
#include "stream/inside.h"

#include <stdio.h>

#define SHAPES_MAX 128

/* Records to print, each once, in the order in which they were met. */
static const struct shape *shapes[SHAPES_MAX];
static uint32_t            shape_count;

static void meet(const struct shape *shape)
{
    if (shape == NULL) return;
    for (uint32_t i = 0; i < shape_count; i++)
        if (shapes[i] == shape) return;
    assert(shape_count < SHAPES_MAX);
    shapes[shape_count++] = shape;
    for (uint32_t i = 0; i < shape->field_count; i++) meet(shape->fields[i].item);
}

/* The JSON type of a row; requests carry enums as integers. */
static const char *type_of(const struct field *field, bool request)
{
    switch (field->kind) {
    case KIND_BOOL: return "bool";
    case KIND_U64:
    case KIND_U32:
    case KIND_OPTIONAL_U64:
    case KIND_I64: return "number";
    case KIND_WIDE:
    case KIND_DECIMAL: return field->flags & FLAG_NUMBER ? "number" : "decimal string";
    case KIND_ADDRESS: return "0x + 40 hex";
    case KIND_HASH: return "0x + 64 hex";
    case KIND_ENUM: return request && (field->flags & FLAG_ENUM_NAME) == 0 ? "integer" : "string";
    case KIND_OBJECT: return "object";
    case KIND_ITEMS:
    case KIND_LIST: return "array";
    case KIND_REFUSED: return "any";
    default: return "string";
    }
}

static const char *presence_of(const struct field *field, bool request)
{
    switch (field->presence) {
    case REQUIRED: return request ? "required" : "always";
    case DEFAULTED: return request ? "optional" : "always";
    case NULLABLE: return "or null";
    default: return request ? "optional" : "when it applies";
    }
}

/* A table cell: a bar would end it. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

static void print_fields(const struct shape *shape, bool request)
{
    printf("| key | type | %s | meaning |\n|---|---|---|---|\n", request ? "needed" : "present");
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        printf("| `%s` | %s", field->key, type_of(field, request));
        if (field->item != NULL) printf(" of %s", field->item->name);
        printf(" | %s | ", presence_of(field, request));
        print_cell(field->doc);
        printf(" |\n");
    }
    printf("\n");
}

static void print_weight(const struct endpoint *row)
{
    switch (row->weight_kind) {
    case WEIGHT_BOOK: printf("Weight: 5; 10 above 100 levels, 20 above 500."); break;
    case WEIGHT_ROWS: printf("Weight: %u, and 1 more per 20 rows of the answer.", row->weight); break;
    case WEIGHT_BATCH: printf("Weight: %u, and 1 more per 40 items.", row->weight); break;
    case WEIGHT_CALLS: printf("Weight: %u per call.", row->weight); break;
    case WEIGHT_METRICS: printf("Weight: 0, and %u where it is refused.", row->weight); break;
    default: printf("Weight: %u.", row->weight); break;
    }
}

/* What is signed, in which domain, by whom (wire 3.1, 3.4, 3.5). */
static void print_signature(const struct endpoint *row)
{
    switch (row->sender) {
    case SENDER_WALLET:
        printf("Signed by the main wallet in the domain `universal`, type byte 02, as one of");
        for (int i = 0; i < KEY_SPELLINGS; i++)
            printf("%s `%s`", i == 0 ? "" : i + 1 == KEY_SPELLINGS ? " or" : ",", key_spellings[i].primary_type);
        printf(": one that says everything the body says.");
        break;
    case SENDER_WALLET_ANYHOW:
        printf("Signed by the main wallet; `type` of the signed payload: `%s`; in the domain `universal` with type "
               "byte 02, or in that of an engine with 01.",
               endpoint_type(row));
        break;
    case SENDER_FEEDER:
        printf("Signed by a registered feeder in the domain `oracle`, type byte 01, no nonce: typed data "
               "`OraclePrices(uint64 seq,uint64 timestamp,OraclePrice[] prices)` with `OraclePrice(uint32 "
               "symbolID,uint64 price,uint64 perpMid)`, prices as integers in the symbol's price unit "
               "(10^-pricePrecision), an absent `perpMid` as 0.");
        break;
    default: printf("Signed; `type` of the signed payload: `%s`.", endpoint_type(row)); break;
    }
    printf(" Body: %s.\n\n", endpoint_takes(row)->name);
}

static void print_endpoint(const struct endpoint *row)
{
    printf("### `%s`\n\n%s ", row->name, row->doc);
    print_weight(row);
    printf("\n\n");
    if (row->command != 0) print_signature(row);
    else if (row->takes != NULL) print_fields(row->takes, true);
    if (row->answer == answer_rpc) printf("The methods are listed below.\n\n");
    else if (row->content_type != NULL) printf("No envelope: `%s`.\n\n", row->content_type);
    else if (row->gives == NULL) printf("No `data`.\n\n");
    else printf("`data`: %s%s.\n\n", row->gives_list ? "array of " : "", row->gives->name);
}

static void print_base(uint8_t base, const char *title)
{
    bool any = false;

    for (uint32_t i = 0; i < endpoint_count; i++) {
        if ((endpoints[i].bases >> base & 1) == 0) continue;
        if (!any) printf("## %s\n\n", title);
        any = true;
        print_endpoint(&endpoints[i]);
    }
}

/* Parameters are an array, in this order. */
static void print_method(const struct rpc_method *method)
{
    printf("| `%s` | ", method->name);
    for (uint32_t j = 0; j < method->param_count; j++)
        printf("%s%s%s: %s", j == 0 ? "" : "; ", method->params[j].name,
               method->params[j].optional ? " (optional)" : "", rpc_kind_name(method->params[j].kind));
    printf(" | %s | ", method->gives);
    print_cell(method->doc);
    printf(" |\n");
}

static void print_methods(void)
{
    printf("## Methods of `/rpc`\n\n"
           "JSON-RPC 2.0. Quantities are `0x` and hex digits without leading zeros. Errors: -32700 not JSON, -32600 no "
           "request, -32601 no such\n"
           "method, -32602 parameters, -32603 damage, -32000 refused (`data.code` is the exchange's code), 4444 a "
           "transaction whose\n"
           "text was trimmed from the log. Commands (development, this machine): at most 8 in a batch, one after the "
           "other;\n"
           "the rest of the batch is answered behind the last of them.\n\n"
           "| method | params | result | meaning |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < rpc_method_count; i++) print_method(&rpc_methods[i]);
    printf("\n");
}

/* The table of docs/development.md: what only a development exchange has, and what it has not, with the reasons. */
static void print_development(void)
{
    printf("| method | params | result | meaning |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < rpc_method_count; i++)
        if (rpc_methods[i].command != NULL || rpc_methods[i].local || rpc_methods[i].refuses != NULL)
            print_method(&rpc_methods[i]);
}

static void print_paces(const struct channel *channel)
{
    if (channel->paces[0] == 0) {
        printf("as it happens");
        return;
    }
    printf("%ums", channel->paces[0]);
    for (uint32_t i = 1; i < ARRAY_COUNT(channel->paces) && channel->paces[i] != 0; i++)
        printf(", %ums", channel->paces[i]);
}

static void print_channel(const struct channel *channel)
{
    static const char *const takes[] = { "", "`symbols` or `symbol`", "`coins` or `coin`", "`user`, `accountID`?" };

    printf("| `%s` | %s | %s%s%s%s%s | ", channel->name, channel->markets == 3 ? "both" : "perps",
           takes[channel->takes], channel->by_symbol ? ", `symbols`?" : "", channel->interval ? ", `interval`" : "",
           channel->tick_size ? ", `tickSize`?" : "", channel->level ? ", `level`?" : "");
    print_paces(channel);
    printf(" | %s%s, %s", channel->is_list ? "array of " : "", channel->gives[0]->name,
           channel->snapshot != NULL ? "snapshot first" : "update");
    if (channel->gives[1] != NULL) printf("; perps: %s", channel->gives[1]->name);
    printf(" | ");
    print_cell(channel->doc);
    printf(" |\n");
}

/* What the streams say; the records are printed with all others. */
static void print_channels(void)
{
    printf("## Streams, `/ws/spot` and `/ws/perps`\n\n"
           "WebSocket text messages. "
           "`{\"op\":\"subscribe\",\"id\":1,\"params\":{\"channel\":\"trade\",\"symbols\":[\"vBTC_vUSDC\"]}}` is "
           "acknowledged with\n"
           "`{op, id, result, success, connID, error, time_in, time_out}`, once per symbol; `unsubscribe` likewise; "
           "`{\"op\":\"ping\"}` gets\n"
           "`{\"op\":\"pong\"}`. Pushes are `{channel, type, data}` with `type` `snapshot` or `update`. The pace is "
           "the least time between two\n"
           "pushes; where there are several, `pushInterval` chooses one and the first is the default. An address may "
           "have 10 connections,\n"
           "30 new ones a minute, 1000 subscriptions, 10 users, and send 2000 messages a minute. A connection ends "
           "after 60 s with neither a\n"
           "subscription nor a push.\n\n"
           "| channel | path | params | pace | `data` | meaning |\n|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < channel_count; i++) print_channel(&channels[i]);
    printf("\n");
}

static void print_bodies(void)
{
    printf("## Bodies of signed writes\n\n"
           "Keys in the order in which they are signed. Enums are integers, decimals are strings in plain notation.\n"
           "\n");
    shape_count = 0;
    for (uint32_t i = 0; i < endpoint_count; i++)
        if (endpoints[i].command != 0) meet(endpoint_takes(&endpoints[i]));
    for (uint32_t i = 0; i < shape_count; i++) {
        printf("### %s\n\n%s\n\n", shapes[i]->name, shapes[i]->doc);
        print_fields(shapes[i], true);
    }
}

static void print_records(void)
{
    printf("## Records\n\n");
    shape_count = 0;
    for (uint32_t i = 0; i < endpoint_count; i++) meet(endpoints[i].gives);
    meet(&details_shape);
    for (uint32_t i = 0; i < channel_count; i++)
        for (int market = 0; market < 2; market++) meet(channels[i].gives[market]);
    for (uint32_t i = 0; i < shape_count; i++) {
        printf("### %s\n\n", shapes[i]->name);
        if (shapes[i]->doc[0] != '\0') printf("%s\n\n", shapes[i]->doc);
        print_fields(shapes[i], false);
    }
}

static void print_rejects(void)
{
    printf("## Errors\n\n"
           "Several rows may share a code: the code is the contract, `details` says which rule it was.\n\n"
           "| code | HTTP | error | field | rule |\n|---|---|---|---|---|\n");
    for (int i = REJECT_NONE + 1; i < REJECT_COUNT; i++) {
        const struct reject_row *row = reject_row((enum reject)i);
        printf("| %d | %d | %s | %s | ", (int)row->code, (int)row->http, row->text, row->field);
        print_cell(row->rule);
        printf(" |\n");
    }
    printf("\nWhy an accepted order ended (`reason`):");
    for (const struct enum_name *name = end_reason_names; name->name != NULL; name++)
        printf("%s %s", name == end_reason_names ? "" : ",", name->name);
    printf(".\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "development") == 0) {
        print_development();
        return 0;
    }
    printf(
        "# The interface\n\n"
        "Printed by `build/release/apidoc` from the rows the program works with; do not edit.\n\n"
        "Every answer is `{code, timestamp, data}` or `{code, timestamp, error, details}`. `code` 0 is success. What "
        "the rules\n"
        "of the exchange refuse is HTTP 200 with another code; only conditions of the transport have another status.\n"
        "Reads are unsigned; unknown query parameters are ignored, repeated ones are an error. Signed writes carry\n"
        "`X-API-Nonce` (Unix milliseconds), `X-API-Sign` (66 bytes in hex: 01, r, s, v) and optionally `X-API-Chain`. "
        "An API key\n"
        "signs with its name, not its address, in `X-API-Key`; leave that out when the main wallet signs. The signed "
        "text is\n"
        "`{\"type\":…,\"params\":<body>}`, in the domain `spot` or `futures` of its base. A write that became a "
        "transaction is answered\n"
        "with `X-Chain-Tx`, `X-Chain-Block` and `X-Chain-Index`; `X-Dojima-Seq` is the number of its command. A read "
        "(`GET`,\n"
        "`HEAD`, `/rpc`) with that number in `X-Dojima-Min-Seq` shows the write, through whichever node it is sent: it "
        "waits up\n"
        "to 50 ms for the command, then it is refused with status 503 and `Retry-After`. A value that is no number is "
        "refused\n"
        "with status 400.\n"
        "A request costs its weight out of 1200 that a client address has in any 60 seconds; what is not listed weighs "
        "20,\n"
        "`OPTIONS` nothing. One too many is refused with status 429, `Retry-After` and `details` of `limit`, `window` "
        "and\n"
        "`retry_after` (seconds); it costs nothing, and its nonce can be sent again. A key name in `X-API-Key` of "
        "`/rpc` has\n"
        "20 requests a minute and 100000 a calendar month; `X-RateLimit-Limit`, `X-RateLimit-Remaining` and "
        "`X-RateLimit-Reset`\n"
        "(Unix milliseconds) say what is left of the minute.\n\n");
    print_base(BASE_SPOT, "Spot, under `/api/v1/spot`");
    print_base(BASE_PERPS, "Perpetuals, under `/api/v1/perps`");
    print_base(BASE_GATEWAY, "Gateway, under `/api/v1`");
    print_base(BASE_NONE, "The process");
    print_methods();
    print_channels();
    print_bodies();
    print_records();
    print_rejects();
    return 0;
}
