/* SPDX-License-Identifier: MIT */
#include "api/operator/operator.h"
#include "api/operator/payload.h"
#include "api/operator/second_person.h"

#include <stdio.h>

/* A request name of operators: a row of command_rows.h, or one of the two with a second name. */
struct operator_row {
    const char         *type;
    uint16_t            kind;
    bool                is_offered; /* through the administration socket */
    const struct shape *shape;
};

static const struct {
    const char         *type;
    uint16_t            kind;
    const struct shape *shape;
} second_names[] = {
    { "faucet", CMD_DEPOSIT, &deposit_request_shape },
    { "keep", CMD_SETTLE, &keep_request_shape },
};

#define ROWS (COMMAND_KINDS + ARRAY_COUNT(second_names))

/* `index` below ROWS; false when there is nothing that an operator may ask for. */
static bool row_at(size_t index, struct operator_row *row)
{
    const struct command_row *command;

    row->kind = index < COMMAND_KINDS ? (uint16_t)index : second_names[index - COMMAND_KINDS].kind;
    command = command_row(row->kind);
    row->type = index < COMMAND_KINDS ? command->name : second_names[index - COMMAND_KINDS].type;
    row->shape = index < COMMAND_KINDS ? command->shape : second_names[index - COMMAND_KINDS].shape;
    row->is_offered = command->sender == SENDER_OPERATOR || command->sender == SENDER_OPERATOR_ONCE;
    return row->is_offered || command->sender == SENDER_DEVELOPER;
}

const char *api_operator_offered(size_t index, const struct shape **shape)
{
    struct operator_row row;

    for (size_t i = 0; i < ROWS; i++) {
        if (!row_at(i, &row) || !row.is_offered || index-- != 0) continue;
        *shape = row.shape;
        return row.type;
    }
    return NULL;
}

/* ---- text ---- */

static void write_input(struct out *out, const char *type, const struct shape *shape, const void *request)
{
    out_literal(out, "{\"type\":\"");
    out_text(out, type);
    out_literal(out, "\",\"params\":");
    shape_write(out, shape, request, false);
    out_char(out, '}');
}

/* The text between {"type":"…","params": and the end; a signature comes last. */
static void split(struct slice rest, struct slice *params, struct slice *signature)
{
    static const char between[] = "},\"signature\":\"";
    const char *at = rest.at[rest.len - 1] == '"' ? memmem(rest.at, rest.len, between, sizeof(between) - 1) : NULL;
    size_t      begin = at == NULL ? 0 : (size_t)(at - rest.at) + sizeof(between) - 1;

    *params = at == NULL ? rest : slice_make(rest.at, (size_t)(at - rest.at) + 1);
    *signature =
        at == NULL ? slice_make(NULL, 0) : slice_make(rest.at + begin, rest.len > begin ? rest.len - 1 - begin : 0);
}

/*
 * The row of {"type":"…","params":…} without white space, its params and its signature, whose `at` is NULL where there
 * is none. The row is written into *row; NULL when there is none.
 */
static const struct operator_row *find_row(struct slice text, struct operator_row *row, struct slice *params,
                                           struct slice *signature)
{
    for (size_t i = 0; i < ROWS; i++) {
        char       head[64];
        struct out out = out_make(head, sizeof(head));

        if (!row_at(i, row)) continue;
        out_literal(&out, "{\"type\":\"");
        out_text(&out, row->type);
        out_literal(&out, "\",\"params\":");
        assert(!out.overflow);
        if (text.len <= out.len + 1 || memcmp(text.at, out.at, out.len) != 0 || text.at[text.len - 1] != '}') continue;
        split(slice_make(text.at + out.len, text.len - out.len - 1), params, signature);
        return row;
    }
    return NULL;
}

static void fill_write(struct slice bytes, struct api_write *write)
{
    write->endpoint = NULL;
    write->signed_bytes = bytes;
    memset(&write->signature, 0, sizeof(write->signature));
    write->alone = write->warn_foreign = false;
    write->class = CLASS_RISK;
    write->advance_kind = ADVANCE_NONE;
}

static struct slice canonical(struct api *api, const char *type, const struct shape *shape, const void *request)
{
    struct out out = out_make(api->signed_canonical, sizeof(api->signed_canonical));

    write_input(&out, type, shape, request);
    assert(!out.overflow); /* every member of a request is short */
    return out_slice(&out);
}

/* The canonical command with the second signature as its last member, behind the one without in the same room. */
static struct slice with_signature(struct api *api, struct slice command, const struct signature *signature)
{
    struct out out = out_make(api->signed_canonical + command.len, sizeof(api->signed_canonical) - command.len);
    char       text[SIGNATURE_TEXT];

    assert(command.at == api->signed_canonical);
    signature_write(signature, text);
    out_slice_put(&out, slice_make(command.at, command.len - 1));
    out_literal(&out, ",\"signature\":\"");
    out_slice_put(&out, slice_make(text, sizeof(text)));
    out_literal(&out, "\"}");
    assert(!out.overflow);
    return out_slice(&out);
}

/* The faucet is for local and test deployments; a coin has it where its setting says so (mechanics 7). */
static bool faucet_may(const struct api_shared *shared, const struct operator_request *request, struct failure *failure)
{
    const struct coin *coin = operator_coin(shared->genesis, &request->coin);

    if (coin == NULL || shared->settings.faucet[coin->id] != 0) return true; /* an unknown coin has its own refusal */
    fail(failure, REJECT_NOT_SUPPORTED, SLICE("coin"), name_slice(&request->coin));
    failure->text = "the faucet is off for this coin";
    failure->details.rule = SLICE("the setting faucet in the coin's section of the configuration");
    return false;
}

static bool make(struct api *api, const struct operator_row *row, const struct operator_request *request,
                 struct api_write *write, struct failure *failure)
{
    if (!operator_payload(api->shared->genesis, row->kind, row->shape, request, &write->room, failure)) return false;
    fill_write(canonical(api, row->type, row->shape, request), write);
    return true;
}

bool operator_make(struct api *api, uint16_t kind, const struct operator_request *request, struct api_write *write,
                   struct failure *failure)
{
    struct operator_row row;

    (void)row_at(kind, &row);
    return make(api, &row, request, write, failure);
}

void operator_sign_nothing(struct api *api, struct api_write *write)
{
    const struct command_row *row = command_row(write->room.head.kind);
    struct hash256            payload;

    fill_write(canonical(api, row->name, row->shape, &write->room.head + 1), write);
    payload = keccak256(write->signed_bytes.at, write->signed_bytes.len);
    memcpy(&write->room.head.payload_tag, payload.bytes, sizeof(write->room.head.payload_tag));
}

bool api_operator_read(const struct genesis *genesis, struct slice bytes, struct command_room *room)
{
    struct failure          failure = { 0 };
    struct shape_error      error;
    struct operator_request request;
    struct slice            params, given;
    struct signature        signature;
    struct operator_row     row;

    if (find_row(bytes, &row, &params, &given) == NULL) return false;
    if (given.at != NULL && !(row.is_offered && operator_read_second(given, &signature))) return false;
    return shape_read(row.shape, params, &request, &error) == REJECT_NONE
        && operator_payload(genesis, row.kind, row.shape, &request, room, &failure);
}

/* ---- time ---- */

void operator_advance(enum advance_kind advance_kind, int64_t ms, struct api_write *write)
{
    struct advance_time *payload = operator_command(&write->room, CMD_ADVANCE_TIME, sizeof(*payload));

    payload->offset_ms = ms;
    fill_write((struct slice){ "", 0 }, write);
    write->advance_kind = (uint8_t)advance_kind;
}

void operator_tick(struct api_write *write)
{
    (void)operator_command(&write->room, CMD_TICK, sizeof(struct tick));
    fill_write((struct slice){ "", 0 }, write);
}

/* ---- the administration socket ---- */

/* The pools that this exchange has: how many places are taken, and of how many. */
static void write_pools(struct out *out, const struct api_pools *pools)
{
    for (const struct enum_name *pool = limit_pool_names; pool->name != NULL; pool++) {
        if (pool != limit_pool_names) out_char(out, ',');
        out_literal(out, "{\"name\":\"");
        out_text(out, pool->name);
        out_literal(out, "\",\"used\":");
        out_u64(out, pools->used[pool->value]);
        out_literal(out, ",\"value\":");
        out_u64(out, pools->places[pool->value]);
        out_char(out, '}');
    }
}

/*
 * Facts that the command line needs before a request: the scope of a second signature, the coins, and the faucet's
 * amounts.
 */
static void describe(const struct api *api, const struct api_context *context, struct out *out)
{
    const struct genesis *genesis = api->shared->genesis;

    envelope_begin(out, context->now_ms);
    out_literal(out, "{\"development\":");
    out_text(out, api->shared->settings.development ? "true" : "false");
    out_literal(out, ",\"chainID\":");
    out_u64(out, genesis->chain_ids[0]);
    out_literal(out, ",\"needsSignature\":");
    out_text(out, api->shared->settings.operators.count != 0 ? "true" : "false");
    out_literal(out, ",\"coins\":[");
    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        const struct coin *coin = &genesis->coins[i];
        if (i != 0) out_char(out, ',');
        out_literal(out, "{\"coin\":");
        json_write_string(out, name_slice(&coin->name));
        out_literal(out, ",\"precision\":");
        out_u64(out, coin->precision);
        out_literal(out, ",\"faucet\":\"");
        decimal_write(out, decimal_make(api->shared->settings.faucet[i], (int)coin->precision));
        out_literal(out, "\"}");
    }
    out_literal(out, "]}");
    envelope_end(out);
}

/* How full everything is that has a number of places, the engine's pools and the server's tables. */
static void answer_pools(const struct api *api, const struct api_context *context, struct out *out)
{
    envelope_begin(out, context->now_ms);
    out_literal(out, "{\"limits\":[");
    if (api->shared->pools != NULL) write_pools(out, api->shared->pools);
    out_literal(out, "],\"tables\":[");
    if (api->shared->tables != NULL) api->shared->tables->write(api->shared->tables->self, out);
    out_literal(out, "]}");
    envelope_end(out);
}

static void refuse(const struct api_context *context, const struct failure *failure, struct out *answer)
{
    answer->len = 0;
    envelope_error(answer, context->now_ms, failure);
}

/* The address in a request; every shape with one calls it so. NULL when there is none. */
static const struct address *address_in(const struct operator_row *row, const struct operator_request *request)
{
    for (uint32_t i = 0; i < row->shape->field_count; i++)
        if (row->shape->fields[i].kind == KIND_ADDRESS)
            return (const void *)((const uint8_t *)request + row->shape->fields[i].offset);
    return NULL;
}

/* A request about an unknown address is refused before anything is written. */
static bool knows_owner(const struct api *api, const struct operator_row *row, const struct operator_request *request,
                        struct failure *failure)
{
    const struct address *address = address_in(row, request);
    struct view_account   account;
    struct out            got = out_make(failure->got, sizeof(failure->got));

    if (command_row(row->kind)->whose != WHOSE_USER) return true;
    assert(address != NULL);
    if (views_primary_account(api->shared->views, address, &account)) return true;
    fail(failure, REJECT_UNKNOWN_OWNER, SLICE("address"), SLICE(""));
    out_literal(&got, "0x");
    out_hex(&got, address->bytes, sizeof(address->bytes));
    failure->details.got = out_slice(&got);
    return false;
}

/* Orders that reduce are of positions: a spot symbol trades or does not (apply_set_market refuses it as well). */
static bool has_status(const struct set_market *set, struct failure *failure)
{
    if (set->engine != MARKET_SPOT || set->status != SYMBOL_REDUCE_ONLY) return true;
    fail(failure, REJECT_ENUM_RANGE, SLICE("status"), SLICE("REDUCE_ONLY"));
    failure->details.need = SLICE("TRADING or HALT for a spot symbol");
    return false;
}

/* The error about a misspelt word lists the known ones. */
static void answer_names(const struct shape *shape, const struct shape_error *error, struct failure *failure)
{
    struct out need = out_make(failure->need, sizeof(failure->need));

    for (uint32_t i = 0; i < shape->field_count && error->reject == REJECT_ENUM_RANGE; i++) {
        if (shape->fields[i].kind != KIND_ENUM || strcmp(shape->fields[i].key, error->field) != 0) continue;
        for (const struct enum_name *name = shape->fields[i].names; name->name != NULL; name++) {
            if (need.len != 0) out_literal(&need, ", ");
            out_text(&need, name->name);
        }
        assert(!need.overflow);
        failure->details.need = out_slice(&need);
    }
}

bool api_operator_canonical(struct slice text, struct out *canonical, char id[OPERATOR_ID_MAX + 1],
                            struct shape_error *error)
{
    char                       room[API_OPERATOR_BYTES];
    struct out                 raw = out_make(room, sizeof(room));
    struct operator_request    request;
    struct slice               params, given = { NULL, 0 };
    const struct operator_row *row;
    struct operator_row        found;

    *error = (struct shape_error){ .reject = REJECT_BAD_JSON };
    if (!json_is_valid(text)) return false;
    json_compact(text, &raw);
    row = raw.overflow ? NULL : find_row(out_slice(&raw), &found, &params, &given);
    error->reject = REJECT_MISSING_FIELD;
    (void)snprintf(error->field, sizeof(error->field), "type");
    if (row == NULL || !row->is_offered || given.at != NULL) return false;
    if (shape_read(row->shape, params, &request, error) != REJECT_NONE) return false;
    write_input(canonical, row->type, row->shape, &request);
    (void)snprintf(id, OPERATOR_ID_MAX + 1, "%.*s", (int)request.id.len, request.id.at);
    return !canonical->overflow;
}

/* ---- one line ---- */

/* The types that are offered: {"type":"account, deposit or faucet","params":{…}}. */
static void name_types(struct api *api, struct failure *failure)
{
    struct out need = out_make(api->signed_canonical, sizeof(api->signed_canonical)); /* nothing else is in there yet */
    struct operator_row row;
    uint32_t            offered = 0, count = 0;

    for (size_t i = 0; i < ROWS; i++) offered += row_at(i, &row) && row.is_offered;
    out_literal(&need, "{\"type\":\"");
    for (size_t i = 0; i < ROWS; i++) {
        if (!row_at(i, &row) || !row.is_offered) continue;
        count += 1;
        out_text(&need, count == 1 ? "" : count == offered ? " or " : ", ");
        out_text(&need, row.type);
    }
    out_literal(&need, "\",\"params\":{…}}, in this order");
    assert(!need.overflow);
    failure->details.need = out_slice(&need);
}

/* Money leaves only when every signature before is checked a second time: a redemption cannot be undone. */
static bool may_leave(const struct api *api, struct slice command, struct failure *failure)
{
    const struct api_second_check *check = api->shared->second_check;
    struct hash256                 hash;

    if (check == NULL) return true;
    hash = keccak256(command.at, command.len);
    if (check->has_passed(check->self, &hash)) return true;
    fail(failure, REJECT_BUSY, SLICE(""), SLICE(""));
    failure->text = "the signatures before this redemption are not checked again yet: ask again with the same id";
    failure->details.rule =
        SLICE("nothing leaves before the second check has passed (dojima_signatures_unchecked_seconds)");
    return false;
}

/* A line without white space; false: *failure names the fault. */
static bool take_line(struct api *api, struct slice text, struct api_write *write, struct api_said *said,
                      struct failure *failure)
{
    struct shape_error         error;
    struct operator_request    request;
    struct slice               params, given;
    struct signature           signature;
    struct operator_row        found;
    const struct operator_row *row = find_row(text, &found, &params, &given);

    if (row == NULL || !row->is_offered) {
        fail(failure, REJECT_MISSING_FIELD, SLICE("type"), text);
        name_types(api, failure);
        return false;
    }
    if (shape_read(row->shape, params, &request, &error) != REJECT_NONE) {
        fail_shape(failure, &error);
        answer_names(row->shape, &error, failure);
        return false;
    }
    said->command = canonical(api, row->type, row->shape, &request);
    if (!operator_is_confirmed(api, &request, given, said, &signature, failure)) return false;
    if (!knows_owner(api, row, &request, failure)) return false;
    if (strcmp(row->type, "faucet") == 0 && !faucet_may(api->shared, &request, failure)) return false;
    if (row->kind == CMD_REDEEM && !may_leave(api, said->command, failure)) return false;
    if (!make(api, row, &request, write, failure)) return false;
    if (row->kind == CMD_SET_MARKET && !has_status(&write->room.set_market, failure)) return false;
    if (said->confirmed != NULL) write->signed_bytes = with_signature(api, said->command, &signature);
    return true;
}

enum api_outcome api_operator(struct api *api, const struct api_context *context, struct slice line,
                              struct api_write *write, struct api_said *said, struct out *answer)
{
    struct failure failure = { 0 };
    struct out     text = out_make(api->signed_raw, sizeof(api->signed_raw));
    bool           looks_at_pools = false;

    *said = (struct api_said){ 0 };
    if (json_is_valid(line)) {
        json_compact(line, &text);
        looks_at_pools = slice_is(out_slice(&text), "{\"type\":\"pools\"}");
        said->only_looks = looks_at_pools || slice_is(out_slice(&text), "{\"type\":\"describe\"}");
        if (!said->only_looks && take_line(api, out_slice(&text), write, said, &failure)) return API_COMMAND;
    } else {
        fail(&failure, REJECT_BAD_JSON, SLICE(""), line);
    }
    if (looks_at_pools) answer_pools(api, context, answer);
    else if (said->only_looks) describe(api, context, answer);
    else refuse(context, &failure, answer);
    said->reject = failure.reject;
    if (failure.reject != REJECT_NONE)
        said->text = failure.text != NULL ? failure.text : reject_row(failure.reject)->text;
    return API_ANSWER;
}

void api_operator_refuse(const struct api_context *context, enum reject reject, struct out *answer)
{
    const struct failure failure = { .reject = reject };

    refuse(context, &failure, answer);
}

void api_operator_elsewhere(const struct api_context *context, const char *leader, struct out *answer)
{
    struct failure failure = { .reject = REJECT_NO_LEADER, .text = "this node follows, the command was not executed" };
    char           room[320];
    struct out     need = out_make(room, sizeof(room));

    assert(leader[0] != '\0');
    out_literal(&need, "the folder of ");
    out_text(&need, leader);
    failure.details.need = out_slice(&need);
    refuse(context, &failure, answer);
}

/* The engine's reject, and its details; REJECT_NONE when the command was applied. */
static void operator_failure(const struct api_result *result, struct failure *failure)
{
    const struct event  *event = events_first(&result->events);
    const struct result *said = (const struct result *)event;
    struct out           got = out_make(failure->got, sizeof(failure->got)),
               need = out_make(failure->need, sizeof(failure->need));

    assert(event != NULL);
    if (event->kind == EVENT_REFUSED) {
        failure->reject = (enum reject)((const struct refused *)event)->reject;
        return;
    }
    failure->reject = (enum reject)said->reject;
    if (failure->reject == REJECT_NONE) return;
    if (said->field != FIELD_OF_ROW) failure->details.field = slice_of(item_field_text[said->field]);
    if ((said->said & SAID_GOT) != 0) {
        decimal_write(&got, said->got);
        failure->details.got = out_slice(&got);
    }
    if ((said->said & SAID_NEED) != 0) {
        decimal_write(&need, said->need);
        failure->details.need = out_slice(&need);
    }
}

/* A raise for which there is no memory (the engine itself never
   answers one with CAPACITY): `need` is how many bytes. */
static void answer_memory(struct slice params, struct failure *failure)
{
    struct operator_request request;
    struct shape_error      error;
    char                    room[sizeof(failure->need)];
    struct out              need = out_make(room, sizeof(room));

    if (shape_read(&limit_request_shape, params, &request, &error) != REJECT_NONE) return;
    out_slice_put(&need, failure->details.need);
    out_literal(&need, " bytes of memory for all pools, ");
    out_text(&need, enum_name_of(limit_pool_names, request.raise_limit.pool));
    out_literal(&need, " with so many places");
    assert(!need.overflow);
    memcpy(failure->need, room, need.len);
    failure->details.need = slice_make(failure->need, need.len);
    failure->text = "the machine has not enough memory for so many places";
}

/* The key of the number of a RESULT. */
static const char *const number_keys[] = {
    [GIVES_ACCOUNT] = ",\"accountID\":",
    [GIVES_CANCELED] = ",\"canceled\":",
    [GIVES_VALUE] = ",\"value\":",
};

enum reject api_operator_reply(const struct api_context *context, struct slice input, const struct api_result *result,
                               struct out *answer)
{
    struct failure             failure = { 0 };
    struct slice               params, signature;
    struct operator_row        found;
    const struct operator_row *row = find_row(input, &found, &params, &signature);
    uint8_t                    gives = row != NULL ? command_row(row->kind)->gives : GIVES_NOTHING;

    assert(row != NULL); /* the canonical form that we wrote ourselves */
    assert(gives < ARRAY_COUNT(number_keys));
    operator_failure(result, &failure);
    if (failure.reject == REJECT_CAPACITY && row->kind == CMD_RAISE_LIMIT) answer_memory(params, &failure);
    if (failure.reject != REJECT_NONE) {
        refuse(context, &failure, answer);
        return failure.reject;
    }
    envelope_begin(answer, context->now_ms);
    out_literal(answer, "{\"type\":\"");
    out_text(answer, row->type);
    out_literal(answer, "\",\"params\":");
    out_bytes(answer, params.at, params.len);
    if (number_keys[gives] != NULL) {
        out_text(answer, number_keys[gives]);
        out_u64(answer, ((const struct result *)(const void *)events_first(&result->events))->order_id);
    }
    out_literal(answer, ",\"tx\":\"0x");
    out_hex(answer, result->place.hash.bytes, sizeof(result->place.hash.bytes));
    out_literal(answer, "\",\"block\":");
    out_u64(answer, result->place.block);
    out_literal(answer, ",\"index\":");
    out_u64(answer, result->place.index);
    out_char(answer, '}');
    envelope_end(answer);
    return REJECT_NONE;
}
