/* SPDX-License-Identifier: MIT */
#include "app/cli/asking.h"

#include "api/api.h"
#include "base/hex.h"
#include "io/files.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdio.h>

/* ---- asking ---- */

static int no_exchange(const struct asking *asking, const struct local_fault *fault)
{
    if (fault->code == ENAMETOOLONG) return complain(EXIT_USAGE, "%s: %s", asking->command, fault->text);
    if (fault->code == ENOENT || fault->code == ECONNREFUSED)
        return complain(EXIT_GENERAL,
                        "%s: no exchange is running on %.200s; start one with dojima dev --data DIR or dojima serve",
                        asking->command, asking->data);
    return complain(EXIT_GENERAL, "%s: %s", asking->command, fault->text);
}

static int connect_to(struct asking *asking)
{
    struct local_fault fault;
    char               path[1024];

    if (!admin_path(asking->data, path, sizeof(path)))
        return complain(EXIT_USAGE, "%s: the path of the folder is too long", asking->command);
    asking->handle = local_connect(path, &fault);
    return asking->handle >= 0 ? EXIT_FINE : no_exchange(asking, &fault);
}

int asking_line(const struct asking *asking, struct slice line, const char *id, char text[LOCAL_LINE_MAX],
                json_t **answer)
{
    size_t len;
    int    error = local_ask(asking->handle, line, text, &len);

    *answer = NULL;
    if (error == ENODATA)
        return complain(EXIT_GENERAL,
                        "%s: the exchange ended the connection without an answer%s%s; it answers its own user only, "
                        "and gives no answer while it stops",
                        asking->command, id[0] != '\0' ? "; ask again with --id " : "", id);
    if (error != 0) return complain(EXIT_GENERAL, "%s: no answer: %s", asking->command, strerror(error));
    text[len] = '\0';
    *answer = json_loadb(text, len, 0, NULL);
    return *answer != NULL ? EXIT_FINE : complain(EXIT_GENERAL, "%s: the answer is not JSON", asking->command);
}

/* ---- outcome ---- */

static int say_no(const struct asking *asking, const json_t *answer)
{
    const json_t *details = json_object_get(answer, "details");
    const char   *field = text_at(details, "field"), *got = text_at(details, "got"), *need = text_at(details, "need"),
               *rule = text_at(details, "rule");

    return complain(EXIT_GENERAL, "%s: refused with %lld: %s%s%s%s%s%s%s", asking->command, number_at(answer, "code"),
                    text_at(answer, "error"), field[0] != '\0' ? "; " : "", field, got[0] != '\0' ? " is " : "", got,
                    need[0] != '\0' || rule[0] != '\0' ? "; needed: " : "", need[0] != '\0' ? need : rule);
}

/* The outcome for a symbol. */
static void say_market(const char *type, const json_t *params)
{
    const char *symbol = text_at(params, "symbol");

    if (strcmp(type, "settle") == 0)
        (void)printf("%s only takes orders that reduce, and is settled at %lld", symbol, number_at(params, "time"));
    else if (strcmp(type, "keep") == 0) (void)printf("%s is not settled", symbol);
    else (void)printf("%s is %s", symbol, text_at(params, "status"));
}

static void say_given(const json_t *data, const json_t *params)
{
    (void)printf("%s %s to %s, account %lld, %s", text_at(params, "amount"), text_at(params, "coin"),
                 text_at(params, "address"), number_at(data, "accountID"), text_at(params, "engine"));
}

static void say_value(const char *key, const json_t *value)
{
    if (json_is_string(value)) (void)printf(", %s %s", key, json_string_value(value));
    else if (json_is_integer(value)) (void)printf(", %s %lld", key, (long long)json_integer_value(value));
    else if (json_is_boolean(value)) (void)printf(", %s %s", key, json_is_true(value) ? "true" : "false");
}

/* A type without a sentence of its own: its params, and the number that the answer has. */
static void say_members(const char *type, json_t *data)
{
    const char *key;
    json_t     *value;

    (void)printf("%s", type);
    json_object_foreach(json_object_get(data, "params"), key, value)
        if (strcmp(key, "id") != 0) say_value(key, value);
    json_object_foreach(data, key, value)
        if (json_is_integer(value) && strcmp(key, "block") != 0 && strcmp(key, "index") != 0) say_value(key, value);
}

static void say_yes(json_t *data)
{
    const json_t *params = json_object_get(data, "params");
    const char   *type = text_at(data, "type"), *address = text_at(params, "address"),
               *amount = text_at(params, "amount"), *coin = text_at(params, "coin");

    if (strcmp(type, "transferBetween") == 0)
        (void)printf("%s %s from account %lld to account %lld, %s", amount, coin, number_at(params, "fromAccountID"),
                     number_at(params, "toAccountID"), text_at(params, "engine"));
    else if (strcmp(type, "account") == 0)
        (void)printf("account %lld of %s is open", number_at(data, "accountID"), address);
    else if (strcmp(type, "redeem") == 0) (void)printf("redeemed %s %s of %s", amount, coin, address);
    else if (strcmp(type, "market") == 0 || strcmp(type, "settle") == 0 || strcmp(type, "keep") == 0)
        say_market(type, params);
    else if (strcmp(type, "staking") == 0) (void)printf("%s has staking tier %lld", address, number_at(params, "tier"));
    else if (strcmp(type, "mode") == 0) (void)printf("the mode is %s", text_at(params, "mode"));
    else if (strcmp(type, "limits") == 0)
        (void)printf("%s has %lld places from this command on", text_at(params, "name"), number_at(data, "value"));
    else if (strcmp(type, "cancelOrders") == 0) (void)printf("%lld orders canceled", number_at(data, "canceled"));
    else if (strcmp(type, "deposit") == 0 || strcmp(type, "faucet") == 0) say_given(data, params);
    else say_members(type, data);
    (void)printf("\n  id  %s\n  tx  %s, block %lld, index %lld\n", text_at(params, "id"), text_at(data, "tx"),
                 number_at(data, "block"), number_at(data, "index"));
}

/* ---- two people ---- */

/* In single quotes, for a shell. */
static void print_quoted(struct slice text)
{
    (void)putchar('\'');
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\'') (void)fputs("'\\''", stdout);
        else (void)putchar(text.at[i]);
    (void)putchar('\'');
}

/* As wallets take it (eth_signTypedData_v4). */
static void print_typed_data(uint64_t chain_id, struct slice id, struct slice command)
{
    char       room[3 * LOCAL_LINE_MAX];
    struct out out = out_make(room, sizeof(room));

    out_literal(
        &out, "{\"types\":{\"EIP712Domain\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"version\",\"type\":"
              "\"string\"},"
              "{\"name\":\"chainId\",\"type\":\"uint256\"},{\"name\":\"verifyingContract\",\"type\":\"address\"}],"
              "\"OperatorCommand\":[{\"name\":\"id\",\"type\":\"string\"},{\"name\":\"command\",\"type\":\"string\"}]},"
              "\"primaryType\":\"OperatorCommand\",\"domain\":{\"name\":\"operator\",\"version\":\"1\",\"chainId\":");
    out_u64(&out, chain_id);
    out_literal(&out, ",\"verifyingContract\":\"0x0000000000000000000000000000000000000000\"},\"message\":{\"id\":");
    json_write_string(&out, id);
    out_literal(&out, ",\"command\":");
    json_write_string(&out, command);
    out_literal(&out, "}}");
    assert(!out.overflow);
    (void)printf("%.*s\n", (int)out.len, out.at);
}

/* The text that the second person signs; only the chain id comes from the exchange. */
static int print_digest(const struct asking *asking, const char *type, struct slice line)
{
    char               text[LOCAL_LINE_MAX + 1], room[LOCAL_LINE_MAX], id[OPERATOR_ID_MAX + 1];
    struct out         command = out_make(room, sizeof(room));
    struct shape_error error;
    struct hash256     digest;
    uint64_t           chain_id;
    size_t             head = strlen("{\"type\":\"\",\"params\":") + strlen(type);
    json_t            *answer;
    int                code;

    if (!api_operator_canonical(line, &command, id, &error))
        return complain(EXIT_GENERAL, "%s: this would be refused: %s %s", asking->command, error.field,
                        error.need[0] != '\0' ? error.need : reject_row(error.reject)->rule);
    code = asking_line(asking, SLICE("{\"type\":\"describe\"}"), "", text, &answer);
    if (code != EXIT_FINE) return code;
    chain_id = (uint64_t)number_at(json_object_get(answer, "data"), "chainID");
    json_decref(answer);
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    if (asking->json) {
        print_typed_data(chain_id, slice_of(id), out_slice(&command));
        return EXIT_FINE;
    }
    digest = api_operator_digest(chain_id, slice_of(id), out_slice(&command));
    (void)printf("dojima sign operator %s ", type);
    print_quoted(slice_make(command.at + head, command.len - head - 1));
    (void)printf(" --chain %lu\n0x", (unsigned long)chain_id);
    for (size_t i = 0; i < sizeof(digest.bytes); i++) (void)printf("%02x", digest.bytes[i]);
    (void)printf("\n");
    return EXIT_FINE;
}

int asking_request(const struct asking *asking, const char *type, const struct shape *shape, const void *params,
                   const char *id)
{
    char       text[LOCAL_LINE_MAX + 1];
    struct out line = out_make(text, LOCAL_LINE_MAX - 1);
    json_t    *answer;
    int        code;

    out_literal(&line, "{\"type\":\"");
    out_text(&line, type);
    out_literal(&line, "\",\"params\":");
    shape_write(&line, shape, params, false);
    if (asking->signature != NULL) {
        out_literal(&line, ",\"signature\":");
        json_write_string(&line, slice_of(asking->signature));
    }
    out_char(&line, '}');
    if (asking->digest && !line.overflow) return print_digest(asking, type, out_slice(&line));
    if (line.overflow) return complain(EXIT_USAGE, "%s: the request is too long", asking->command);
    code = asking_line(asking, out_slice(&line), id, text, &answer);
    if (code != EXIT_FINE) return code;
    if (asking->json) (void)printf("%s\n", text);
    if (number_at(answer, "code") != 0 && asking->json) code = EXIT_GENERAL;
    else if (number_at(answer, "code") != 0) code = say_no(asking, answer);
    else if (!asking->json) say_yes(json_object_get(answer, "data"));
    json_decref(answer);
    return code;
}

/* ---- the command line ---- */

static int choose_id(struct asking *asking)
{
    struct out out = out_make(asking->fresh, sizeof(asking->fresh) - 1);
    uint8_t    random[16];

    if (asking->digest && asking->signature != NULL)
        return complain(EXIT_USAGE, "%s: --digest is for before there is a --signature", asking->command);
    if (asking->id != NULL) return EXIT_FINE;
    if (asking->digest || asking->signature != NULL)
        return complain(EXIT_USAGE, "%s: --digest and --signature need --id: the signature covers it", asking->command);
    if (!files_random(random, sizeof(random)))
        return complain(EXIT_GENERAL, "%s: no random bytes for an id; name one with --id", asking->command);
    out_hex(&out, random, sizeof(random));
    asking->fresh[out.len] = '\0';
    asking->id = asking->fresh;
    return EXIT_FINE;
}

/* The words behind the options: an address, then what the command takes. */
static int take_words(struct asking *asking, int argc, char **argv, int operand, int least, int most)
{
    int count = argc - operand;

    if (asking->data == NULL)
        return complain(EXIT_USAGE, "%s: --data DIR is needed: the folder of the running exchange", asking->command);
    if (count < least || count > most)
        return complain(EXIT_USAGE, "%s: %s (see dojima %s --help)", asking->command,
                        count < least ? "words are missing" : "too many words", asking->command);
    asking->words = argv + operand;
    asking->count = count;
    asking->address = count > 0 ? argv[operand] : NULL;
    asking->coin = count > 1 ? argv[operand + 1] : NULL;
    asking->amount = count > 2 ? argv[operand + 2] : NULL;
    return EXIT_FINE;
}

int asking_run(struct asking *asking, const struct arguments *arguments, int argc, char **argv, int least, int most,
               int (*run)(struct asking *))
{
    int operand, code;

    asking->handle = -1;
    if (!arguments_read(arguments, argc, argv, &operand, &code)) return code;
    code = take_words(asking, argc, argv, operand, least, most);
    if (code == EXIT_FINE) code = choose_id(asking);
    if (code == EXIT_FINE) code = connect_to(asking);
    if (code == EXIT_FINE) code = run(asking);
    files_close(asking->handle);
    return code;
}
