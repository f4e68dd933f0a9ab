/* SPDX-License-Identifier: MIT */
/*
 * openapi.c — GET /openapi.json: the contract in OpenAPI 3.1, printed from the rows the program works with: endpoints,
 * shapes, rejects, the methods of /rpc. Written here: examples of parameters and bodies, which a test sends to a
 * running exchange, and facts that hold for every request.
 */
#include "api/rest/openapi.h"
#include "api/rest/openapi_shapes.h"
#include "api/rest/terminal_page.h"
#include "api/node/rpc.h"
#include "wire/json_members.h"

/* ---- examples ---- */

/* clang-format off */
static const struct { const char *key, *value; } parameter_examples[] = {
    { "symbol", "vBTC_vUSDC" }, { "coin", "vUSDC" }, { "interval", "1m" }, { "limit", "5" }, { "market", "spot" },
    { "userAddress", "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266" }, { "accountID", "1001" }, { "name", "example" },
    { "startTime", "1" }, { "endTime", "4102444800000" }, { "orderID", "1" }, { "fromID", "1000000" },
      { "receiptID", "1" }, { "liquidationID", "1" },
};
/* clang-format on */

/* In an order that a development exchange accepts, with placements before cancels. */
/* clang-format off */
static const struct { uint8_t bases; const char *name, *body; } body_examples[] = {
    { BASES_SPOT, "POST /trade/orders/batch",
      "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"example-1\",\"side\":1,\"type\":1,"
          "\"timeInForce\":1,\"price\":\"99000\",\"quantity\":\"0.01\"}]}" },
    { BASES_SPOT, "POST /trade/orders/replace",
      "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"example-2\",\"origClOrdID\":\"example-1\","
          "\"price\":\"98000\"}]}" },
    { BASES_SPOT, "DELETE /trade/orders/batch",
      "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"example-3\",\"origClOrdID\":\"example-1\"}]}" },
    { BASES_PERPS, "POST /trade/orders",
      "{\"accountID\":1001,\"symbolID\":1,\"orders\":[{\"clOrdID\":\"example-1\",\"modifier\":1,\"side\":1,\"type\":1,"
          "\"timeInForce\":1,"
      "\"price\":\"1000\",\"quantity\":\"0.001\",\"reduceOnly\":false,\"positionSide\":1},{\"clOrdID\":\"example-3\","
          "\"modifier\":2,\"side\":1,\"type\":2,\"timeInForce\":3,"
      "\"quantity\":\"0.001\",\"stopPrice\":\"120000\",\"stopType\":1,\"triggerType\":2,\"reduceOnly\":false,"
          "\"positionSide\":1}]}" },
    { BASES_PERPS, "POST /trade/orders/replace",
      "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"example-2\",\"origClOrdID\":\"example-1\","
          "\"price\":\"1100\"}]}" },
    { BASES_PERPS, "POST /trade/orders/modify",
      "{\"accountID\":1001,\"symbolID\":1,\"clOrdID\":\"example-3\",\"stopPrice\":\"125000\"}" },
    { BASES_PERPS, "POST /trade/leverage", "{\"accountID\":1001,\"symbolID\":2,\"leverage\":10,\"marginMode\":1}" },
    { BASES_PERPS, "POST /trade/margin", "{\"accountID\":1001,\"symbolID\":3,\"amount\":\"10\"}" },
    { BASES_PERPS, "DELETE /trade/orders",
      "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"example-1\"}]}" },
    { BASES_SPOT | BASES_PERPS, "POST /trade/orders/schedule-cancel", "{\"accountID\":1001}" },
    { BASES_SPOT, "POST /accounts/transfers",
      "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"10\",\"type\":3}" },
    { BASES_PERPS, "POST /accounts/transfers",
      "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"10\",\"type\":5}" },
    { BASES_SPOT, "POST /accounts/api-keys",
      "{\"accountID\":1001,\"name\":\"example\",\"type\":1,"
          "\"publicKey\":\"0x00000000000000000000000000000000000e7a01\",\"expiresAt\":0}" },
    { BASES_PERPS, "POST /accounts/api-keys",
      "{\"accountID\":1001,\"name\":\"example-2\",\"type\":1,"
          "\"publicKey\":\"0x00000000000000000000000000000000000e7a02\",\"expiresAt\":0}" },
    { BASES_GATEWAY, "POST /user/{userAddress}/api-keys",
      "{\"accountID\":1001,\"name\":\"example-3\",\"type\":1,"
          "\"publicKey\":\"0x00000000000000000000000000000000000e7a03\",\"expiresAt\":0}" },
    { BASES_SPOT, "DELETE /accounts/api-keys", "{\"accountID\":1001,\"name\":\"example\"}" },
    { BASES_PERPS, "DELETE /accounts/api-keys", "{\"accountID\":1001,\"name\":\"example-2\"}" },
    { BASES_GATEWAY, "DELETE /user/{userAddress}/api-keys", "{\"accountID\":1001,\"name\":\"example-3\"}" },
    { BASES_GATEWAY, "POST /oracle",
      "{\"seq\":1,\"timestamp\":1760000000000,\"prices\":[{\"symbolID\":1,\"price\":\"100000.5\","
          "\"perpMid\":\"100001\"},{\"symbolID\":2,\"price\":\"4000\"}]}" },
    { BASES_NONE, "POST /rpc",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getTransactionByBlockNumberAndIndex\",\"params\":[\"latest\","
          "\"0x0\"]}" },
};
/* clang-format on */

static const char *example_of_parameter(const char *key)
{
    for (size_t i = 0; i < ARRAY_COUNT(parameter_examples); i++)
        if (strcmp(parameter_examples[i].key, key) == 0) return parameter_examples[i].value;
    return NULL;
}

static const char *example_of_body(const struct endpoint *row, uint8_t base)
{
    for (size_t i = 0; i < ARRAY_COUNT(body_examples); i++)
        if ((body_examples[i].bases >> base & 1) != 0 && strcmp(body_examples[i].name, row->name) == 0)
            return body_examples[i].body;
    return NULL;
}

/* ---- what every answer has in common ---- */

static const char fixed_schemas[] =
    ",\"Error\":{\"type\":\"object\",\"required\":[\"code\",\"timestamp\",\"error\"],\"properties\":{"
    "\"code\":{\"type\":\"integer\",\"not\":{\"const\":0},\"description\":\"Which rule it was; see x-errors.\"},"
    "\"timestamp\":{\"type\":\"integer\",\"description\":\"Engine time, Unix milliseconds.\"},"
    "\"error\":{\"type\":\"string\",\"description\":\"One sentence.\"},"
    "\"message\":{\"type\":\"string\",\"description\":\"The same, of a rate limit.\"},"
    "\"details\":{\"anyOf\":[{\"$ref\":\"#/components/schemas/Details\"},{\"$ref\":\"#/components/schemas/"
    "RateLimit\"}],\"description\":\"What was wrong, and what was needed.\"}},"
    "\"additionalProperties\":false}"
    ",\"RpcId\":{\"type\":[\"string\",\"number\",\"null\"]}"
    ",\"RpcCall\":{\"type\":\"object\",\"required\":[\"jsonrpc\",\"method\"],\"properties\":{\"jsonrpc\":{\"const\":"
    "\"2.0\"},"
    "\"id\":{\"$ref\":\"#/components/schemas/RpcId\",\"description\":\"Echoed; without it nothing is answered.\"},"
    "\"method\":{\"type\":\"string\",\"description\":\"See "
    "x-methods.\"},\"params\":{\"type\":\"array\",\"description\":\"By position.\"}}}"
    ",\"RpcAnswer\":{\"oneOf\":[{\"type\":\"object\",\"required\":[\"jsonrpc\",\"id\",\"result\"],\"properties\":{"
    "\"jsonrpc\":{\"const\":\"2.0\"},"
    "\"id\":{\"$ref\":\"#/components/schemas/RpcId\"},\"result\":{}},\"additionalProperties\":false},"
    "{\"type\":\"object\",\"required\":[\"jsonrpc\",\"id\",\"error\"],\"properties\":{\"jsonrpc\":{\"const\":\"2.0\"},"
    "\"id\":{\"$ref\":\"#/components/schemas/"
    "RpcId\"},\"error\":{\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
    "\"code\":{\"enum\":[-32700,-32600,-32601,-32602,-32603,-32000]},\"message\":{\"type\":\"string\"},\"data\":{"
    "\"type\":\"object\","
    "\"properties\":{\"code\":{\"type\":\"integer\"}},\"required\":[\"code\"],\"additionalProperties\":false}},"
    "\"additionalProperties\":false}},"
    "\"additionalProperties\":false}]}";

static void write_errors(struct out *out)
{
    json_open(out, "x-errors", '[');
    for (int i = REJECT_NONE + 1; i < REJECT_COUNT; i++) {
        const struct reject_row *row = reject_row((enum reject)i);
        json_begin(out, '{');
        json_number(out, "code", (uint64_t)row->code);
        json_number(out, "http", (uint64_t)row->http);
        json_text(out, "error", row->text);
        json_text(out, "field", row->field);
        json_text(out, "rule", row->rule);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void write_methods(struct out *out)
{
    json_open(out, "x-methods", '[');
    for (uint32_t i = 0; i < rpc_method_count; i++) {
        const struct rpc_method *method = &rpc_methods[i];
        json_begin(out, '{');
        json_text(out, "name", method->name);
        json_text(out, "description", method->doc);
        json_text(out, "result", method->gives);
        json_plain(out, "development", method->command != NULL ? "true" : "false");
        json_open(out, "params", '[');
        for (uint32_t j = 0; j < method->param_count; j++) {
            json_begin(out, '{');
            json_text(out, "name", method->params[j].name);
            json_text(out, "kind", rpc_kind_name(method->params[j].kind));
            json_plain(out, "required", method->params[j].optional ? "false" : "true");
            json_text(out, "description", method->params[j].doc);
            json_close(out, '}');
        }
        out_literal(out, "]}");
    }
    json_close(out, ']');
}

/* ---- operations ---- */

static void parameter(struct out *out, const char *name, const char *in, bool required, const char *doc)
{
    json_begin(out, '{');
    json_text(out, "name", name);
    json_text(out, "in", in);
    json_plain(out, "required", required ? "true" : "false");
    json_text(out, "description", doc);
}

static void parameter_example(struct out *out, const char *name, uint8_t base, bool is_number)
{
    const char *example = base == BASE_PERPS && strcmp(name, "symbol") == 0 ? "BTC-USD" : example_of_parameter(name);

    if (example == NULL) return;
    if (is_number) json_plain(out, "example", example);
    else json_text(out, "example", example);
}

static void path_parameters(struct out *out, const char *path, uint8_t base)
{
    const char *from = strchr(path, '{'), *to = from != NULL ? strchr(from, '}') : NULL;
    char        name[32];
    bool        address;

    if (to == NULL) return;
    assert((size_t)(to - from) < sizeof(name));
    memcpy(name, from + 1, (size_t)(to - from - 1));
    name[to - from - 1] = '\0';
    address = strcmp(name, "userAddress") == 0;
    parameter(out, name, "path", true, address ? "Address of the owner, in any case of letters." : "Name of a symbol.");
    json_open(out, "schema", '{');
    if (address) openapi_pattern(out, "^0x[0-9a-fA-F]{40}$");
    else json_plain(out, "type", "\"string\"");
    json_close(out, '}');
    parameter_example(out, name, base, false);
    json_close(out, '}');
}

static bool is_number(const struct field *field)
{
    return field->kind == KIND_U32 || field->kind == KIND_U64 || field->kind == KIND_I64
        || field->kind == KIND_OPTIONAL_U64;
}

static void query_parameters(struct out *out, const struct endpoint *row, uint8_t base)
{
    for (uint32_t i = 0; row->takes != NULL && i < row->takes->field_count; i++) {
        const struct field *field = &row->takes->fields[i];
        bool                is_limit = row->limit_max != 0 && strcmp(field->key, "limit") == 0;
        parameter(out, field->key, "query", field->presence == REQUIRED, field->doc);
        json_open(out, "schema", '{');
        openapi_kind(out, field, true);
        if (is_limit) {
            json_number(out, "default", row->limit_default);
            json_number(out, "x-cut-to", row->limit_max);
        }
        json_close(out, '}');
        parameter_example(out, field->key, base, is_number(field));
        json_close(out, '}');
    }
}

static void header_parameter(struct out *out, const char *name, bool required, const char *expression, const char *doc)
{
    parameter(out, name, "header", required, doc);
    json_open(out, "schema", '{');
    openapi_pattern(out, expression);
    out_literal(out, "}}");
}

static void sign_parameters(struct out *out, const struct endpoint *row)
{
    /* clang-format off */
    static const char *const how[] = {
        [SENDER_KEY] = "0x01, r, s and v in hex: ExchangeAction(bytes32 payloadHash,uint64 nonce) in the domain of "
            "the base (spot, futures).",
        [SENDER_WALLET] = "0x02, r, s and v in hex: AddAPIKey in the domain universal, by the main wallet.",
        [SENDER_WALLET_ANYHOW] = "0x02, r, s and v in hex: ExchangeAction in the domain universal, by the main "
            "wallet; 0x01 in that of the base does too.",
        [SENDER_FEEDER] = ("0x01, r, s and v in hex: OraclePrices(uint64 seq,uint64 timestamp,OraclePrice[] prices) "
            "with "
                         "OraclePrice(uint32 symbolID,uint64 price,uint64 perpMid), integers in price units, in the "
                             "domain oracle, by a feeder."),
    };
    /* clang-format on */

    if (row->sender == SENDER_FEEDER) { /* its seq is in the body, and keys sign nothing here */
        header_parameter(out, "X-API-Sign", true, "^(0x)?01[0-9a-fA-F]{130}$", how[row->sender]);
        header_parameter(out, "X-API-Chain", false, "^[1-9][0-9]{0,19}$",
                         "Chain id of the domain, when the exchange has more than one; see /version.");
        return;
    }
    header_parameter(out, "X-API-Nonce", true, "^(0|[1-9][0-9]{0,19})$",
                     "Unix milliseconds, each once; within two days before and one day after the server's time.");
    header_parameter(out, "X-API-Sign", true, "^(0x)?0[12][0-9a-fA-F]{130}$", how[row->sender]);
    header_parameter(out, "X-API-Key", false, "^[0-9a-zA-Z_-]{0,36}$",
                     "Name of the API key that signed; without it, or `default`: the main wallet.");
    header_parameter(out, "X-API-Chain", false, "^[1-9][0-9]{0,19}$",
                     "Chain id of the domain, when the exchange has more than one; see /version.");
}

static void write_weight(struct out *out, const struct endpoint *row)
{
    /* clang-format off */
    static const char *const more[] = {
        [WEIGHT_FIXED] = "", [WEIGHT_BOOK] = "10 above 100 levels, 20 above 500",
            [WEIGHT_ROWS] = "and 1 more per 20 rows of the answer",
        [WEIGHT_BATCH] = "and 1 more per 40 items", [WEIGHT_CALLS] = "for each call",
        [WEIGHT_METRICS] = "0 for the addresses of the setting metrics",
    };
    /* clang-format on */

    json_open(out, "x-weight", '{');
    json_number(out, "weight", row->weight);
    if (more[row->weight_kind][0] != '\0') json_text(out, "more", more[row->weight_kind]);
    json_close(out, '}');
}

static void success_schema(struct out *out, const struct endpoint *row)
{
    out_literal(out, "{\"type\":\"object\",\"required\":[\"code\",\"timestamp\"");
    if (row->gives != NULL) out_literal(out, ",\"data\"");
    out_literal(out, "],\"properties\":{\"code\":{\"const\":0},\"timestamp\":{\"type\":\"integer\",\"description\":"
                     "\"Engine time, Unix milliseconds.\"}");
    if (row->gives != NULL) {
        out_literal(out, ",\"data\":");
        if (row->gives_list) out_literal(out, "{\"type\":\"array\",\"items\":");
        openapi_reference(out, row->gives->name, false);
        if (row->gives_list) out_char(out, '}');
    }
    out_literal(out, "},\"additionalProperties\":false}");
}

static void content(struct out *out, const char *type)
{
    json_open(out, "content", '{');
    json_open(out, type, '{');
    json_key(out, "schema");
}

static void write_responses(struct out *out, const struct endpoint *row)
{
    bool envelope = row->answer != answer_rpc && row->content_type == NULL;

    json_open(out, "responses", '{');
    if (row->answer == answer_stream) {
        out_literal(out, "\"101\":{\"description\":\"From here on a "
                         "WebSocket.\"},\"default\":{\"$ref\":\"#/components/responses/Transport\"}}");
        return;
    }
    if (row->answer == answer_root) {
        out_literal(
            out, "\"200\":{\"description\":\"The terminal.\",\"content\":{\"text/html\":{\"schema\":{}}}},"
                 "\"302\":{\"description\":\"Go on at /docs.\"},\"429\":{\"$ref\":\"#/components/responses/TooMany\"},"
                 "\"default\":{\"$ref\":\"#/components/responses/Transport\"}}");
        return;
    }
    json_open(out, "200", '{');
    json_text(out, "description", envelope ? "The result, or why the rules of the exchange refuse it." : "The result.");
    content(out, row->content_type != NULL ? row->content_type : "application/json");
    if (row->answer == answer_rpc)
        out_literal(out, "{\"oneOf\":[{\"$ref\":\"#/components/schemas/"
                         "RpcAnswer\"},{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/RpcAnswer\"}}]}");
    else if (!envelope) out_literal(out, "{}");
    else {
        out_literal(out, "{\"oneOf\":[");
        success_schema(out, row);
        out_literal(out, ",{\"$ref\":\"#/components/schemas/Error\"}]}");
    }
    out_literal(out, "}}}");
    if (row->answer == answer_rpc) out_literal(out, ",\"204\":{\"description\":\"Notifications alone.\"}");
    out_literal(out, ",\"429\":{\"$ref\":\"#/components/responses/TooMany\"},\"default\":{\"$ref\":\"#/components/"
                     "responses/Transport\"}}");
}

static void write_body(struct out *out, const struct endpoint *row, uint8_t base)
{
    const char *example = example_of_body(row, base);

    if (row->command == 0 && row->answer != answer_rpc) return;
    json_open(out, "requestBody", '{');
    json_plain(out, "required", "true");
    content(out, "application/json");
    if (row->command != 0) openapi_reference(out, endpoint_takes(row)->name, true);
    else
        out_literal(out, "{\"oneOf\":[{\"$ref\":\"#/components/schemas/"
                         "RpcCall\"},{\"type\":\"array\",\"minItems\":1,\"maxItems\":100,\"items\":{\"$ref\":\"#/"
                         "components/schemas/RpcCall\"}}]}");
    if (example != NULL) json_plain(out, "example", example);
    out_literal(out, "}}}");
}

static const char *const method_keys[] = { [HTTP_GET] = "get", [HTTP_POST] = "post", [HTTP_DELETE] = "delete" };
static const char *const tags[BASE_COUNT] = { "process", "gateway", "spot", "perps" };

static const char *signed_domain(const struct endpoint *row, uint8_t base)
{
    if (row->sender == SENDER_FEEDER) return "oracle";
    return row->sender != SENDER_KEY ? "universal" : base == BASE_PERPS ? "futures" : "spot";
}

static void write_operation(struct out *out, const struct endpoint *row, uint8_t base)
{
    json_open(out, method_keys[row->method], '{');
    json_key(out, "operationId");
    out_char(out, '"');
    out_text(out, tags[base]);
    out_char(out, ' ');
    out_text(out, row->name);
    out_char(out, '"');
    json_open(out, "tags", '[');
    json_write_string(out, slice_of(tags[base]));
    json_close(out, ']');
    json_text(out, "summary", row->doc);
    write_weight(out, row);
    if (row->command != 0) json_text(out, "x-signed-type", endpoint_type(row));
    if (row->command != 0) json_text(out, "x-signed-domain", signed_domain(row, base));
    if (row->command != 0)
        json_text(out, "x-signed-as",
                  row->sender == SENDER_WALLET   ? "AddAPIKey"
                  : row->sender == SENDER_FEEDER ? "OraclePrices"
                                                 : "ExchangeAction");
    json_open(out, "parameters", '[');
    path_parameters(out, row->path, base);
    if (row->command == 0) query_parameters(out, row, base);
    else sign_parameters(out, row);
    json_close(out, ']');
    write_body(out, row, base);
    write_responses(out, row);
    if (row->answer == answer_rpc) write_methods(out);
    json_close(out, '}');
}

/* All rows of this path on this base; rows of one path need not stand together. */
static void write_path(struct out *out, const struct routes *routes, const struct endpoint *first, uint8_t base)
{
    char       path[160];
    struct out full = out_make(path, sizeof(path) - 1);

    out_text(&full, base_path[base]);
    out_text(&full, first->path);
    path[full.len] = '\0';
    json_open(out, path, '{');
    for (uint32_t i = 0; i < routes->row_count; i++)
        if ((routes->rows[i].bases >> base & 1) != 0 && strcmp(routes->rows[i].path, first->path) == 0)
            write_operation(out, &routes->rows[i], base);
    json_close(out, '}');
}

static bool is_first_of_path(const struct routes *routes, uint32_t index, uint8_t base)
{
    for (uint32_t i = 0; i < index; i++)
        if ((routes->rows[i].bases >> base & 1) != 0 && strcmp(routes->rows[i].path, routes->rows[index].path) == 0)
            return false;
    return true;
}

static void write_paths(struct out *out, const struct routes *routes)
{
    static const uint8_t order[] = { BASE_SPOT, BASE_PERPS, BASE_GATEWAY, BASE_NONE };

    json_open(out, "paths", '{');
    for (size_t b = 0; b < ARRAY_COUNT(order); b++)
        for (uint32_t i = 0; i < routes->row_count; i++)
            if ((routes->rows[i].bases >> order[b] & 1) != 0 && is_first_of_path(routes, i, order[b]))
                write_path(out, routes, &routes->rows[i], order[b]);
    json_close(out, '}');
}

static const char description[] =
    "Every answer is `{code, timestamp, data}` or `{code, timestamp, error, details}`; "
    "`code` 0 is success. What the rules of the exchange refuse is HTTP 200 with another code; only conditions of the "
    "transport have another status. Decimals are strings in plain notation, ids and times "
    "numbers, times Unix milliseconds. Requests carry enums as integers, answers as names. Reads are unsigned. A write "
    "is "
    "signed over the keccak256 of `{\"type\":…,\"params\":<body>}`, byte for byte as it is sent; keys in the order of "
    "the schema are "
    "always right. A write that became a transaction is answered with X-Chain-Tx, X-Chain-Block and X-Chain-Index. "
    "X-Dojima-Seq is the number of its command; a read with that number in X-Dojima-Min-Seq shows the write.";

void openapi_write(struct out *out, const struct routes *routes, struct slice version)
{
    out_literal(out, "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"dojima\",\"version\":");
    json_write_string(out, version);
    json_text(out, "description", description);
    out_literal(
        out, "},\"servers\":[{\"url\":\"/"
             "\"}],\"tags\":[{\"name\":\"spot\"},{\"name\":\"perps\"},{\"name\":\"gateway\"},{\"name\":\"process\"}]");
    write_paths(out, routes);
    out_literal(
        out,
        ",\"components\":{\"responses\":{"
        "\"TooMany\":{\"description\":\"The weight of the rolling minute is used up; Retry-After gives the time to "
        "come "
        "back.\","
        "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Error\"}}}},"
        "\"Transport\":{\"description\":\"A condition of the transport: 400, 404, 405, 408, 413, 414, 431, 503.\","
        "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Error\"}}}}},\"schemas\":{");
    openapi_shapes(out, routes);
    out_text(out, fixed_schemas);
    out_literal(out, "}}");
    write_errors(out);
    json_close(out, '}');
}

void answer_openapi(struct call *call) { openapi_write(call->body, &call->api->routes, call->api->shared->version); }
