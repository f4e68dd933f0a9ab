/* SPDX-License-Identifier: MIT */
/*
 * chaos.c — dojima chaos: rules of faults of a running development exchange, through its /rpc (docs/chaos.md). The
 * exchange judges a rule; this names its keys.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "app/cli/members.h"
#include "app/cli/venue.h"
#include "diagnostics/program_log.h"

#include <stdio.h>
#include <stdlib.h>

struct chaos_words {
    const char *url, *path, *method, *address, *channel, *symbol, *in, *out, *rate, *ms;
    uint64_t    account, every, count, at, after, lasts, seed, jitter, retry_after, code;
    bool        json;
    char      **words;
    int         word_count;
};

static void print_faults(void)
{
    (void)printf("\n  dojima chaos list                    the rules, and what each has done\n"
                 "  dojima chaos remove ID               ends one\n"
                 "  dojima chaos clear                   ends all\n"
                 "  dojima chaos FAULT [OPTION...]       begins one:\n\n"
                 "    429, 503, 500       the answer, instead of handling the request\n"
                 "    delay               the request waits before it is handled (--ms, --jitter)\n"
                 "    latency             requests arrive, answers and messages leave later (--in, --out)\n"
                 "    drop-reply          the request is handled, and its answer never sent\n"
                 "    reset-before        the connection is reset instead of handling the request\n"
                 "    reset-after         the request is handled and durable, then the connection is reset\n"
                 "    skew                another time in the answer, also in serverTime (--ms, perhaps negative)\n"
                 "    cut                 a stream ends instead of a message (--at N, --code)\n"
                 "    skip, repeat        a message is left out, or sent twice\n"
                 "    stall               a message waits, and all behind it (--ms)\n"
                 "    stale-index         the built-in feeder posts no price (--symbol)\n"
                 "    slow-fsync          the log takes longer to be durable (--ms, --jitter)\n\n"
                 "  A time in --in and --out is ms or a distribution: uniform:10:30, exponential:20, normal:20:5,\n"
                 "  lognormal:20:0.5, pareto:10:1.5. docs/chaos.md describes all of it.\n");
}

/* ---- output ---- */

static void print_value(const char *key, const json_t *value)
{
    char *number = json_is_number(value) ? json_text(value) : NULL;

    if (json_is_string(value)) (void)printf("  %s %s", key, json_string_value(value));
    else if (number != NULL) (void)printf("  %s %s", key, number);
    free(number);
}

static bool is_fixed_column(const char *key)
{
    static const char *const keys[] = { "id", "fault", "matched", "acted" };

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

/* "3  drop-reply  path orders  seed 1    matched 7, acted 2" */
static void print_rule(json_t *rule)
{
    const char *key;
    json_t     *value;

    (void)printf("%3lld  %-12s", number_at(rule, "id"), text_at(rule, "fault"));
    json_object_foreach(rule, key, value)
        if (!is_fixed_column(key)) print_value(key, value);
    (void)printf("    matched %lld, acted %lld\n", number_at(rule, "matched"), number_at(rule, "acted"));
}

static void print_result(const struct chaos_words *words, json_t *result)
{
    char *text;

    if (words->json) {
        text = json_text(result);
        (void)printf("%s\n", text != NULL ? text : "null");
        free(text);
    } else if (json_is_object(result)) {
        print_rule(result);
    } else if (json_is_array(result)) {
        for (size_t i = 0; i < json_array_size(result); i++) print_rule(json_array_get(result, i));
        if (json_array_size(result) == 0) (void)printf("no rules\n");
    } else if (json_is_integer(result)) {
        (void)printf("%lld removed\n", (long long)json_integer_value(result));
    } else {
        (void)printf("removed\n");
    }
}

/* ---- the request ---- */

static void put_number(json_t *rule, const char *key, uint64_t number)
{
    if (number != 0) (void)json_object_set_new(rule, key, json_integer((json_int_t)number));
}

/* A number as it was typed; the exchange refuses what is none. */
static bool put_typed(json_t *rule, const char *key, const char *text)
{
    json_t *value;

    if (text == NULL) return true;
    value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (!json_is_number(value)) {
        json_decref(value);
        return false;
    }
    (void)json_object_set_new(rule, key, value);
    return true;
}

/* The parameters of dojima_chaosAdd; NULL after the message. */
static json_t *rule_of(const struct chaos_words *words)
{
    json_t *rule = json_object(), *params;

    set_text(rule, "fault", words->words[0]);
    set_text(rule, "path", words->path);
    set_text(rule, "method", words->method);
    put_number(rule, "account", words->account);
    set_text(rule, "address", words->address);
    set_text(rule, "channel", words->channel);
    set_text(rule, "symbol", words->symbol);
    put_number(rule, "every", words->every);
    put_number(rule, "count", words->count);
    put_number(rule, "at", words->at);
    put_number(rule, "after", words->after);
    put_number(rule, "for", words->lasts);
    put_number(rule, "seed", words->seed);
    put_number(rule, "jitter", words->jitter);
    set_text(rule, "in", words->in);
    set_text(rule, "out", words->out);
    put_number(rule, "retryAfter", words->retry_after);
    put_number(rule, "code", words->code);
    if (!put_typed(rule, "probability", words->rate) || !put_typed(rule, "ms", words->ms)) {
        json_decref(rule);
        return NULL;
    }
    params = json_array();
    (void)json_array_append_new(params, rule);
    return params;
}

static int ask(const struct chaos_words *words, const char *method, const json_t *params)
{
    struct venue venue;
    json_t      *result = NULL;
    int          code = EXIT_FINE;

    if (venue_open(&venue, venue_url(words->url))) result = venue_call(&venue, method, params);
    if (result == NULL) code = complain(EXIT_GENERAL, "chaos: %s", venue.why);
    else print_result(words, result);
    json_decref(result);
    venue_close(&venue);
    return code;
}

static int add_rule(const struct chaos_words *words)
{
    json_t *params;
    int     code;

    if (words->word_count != 1) return complain(EXIT_USAGE, "chaos: unexpected argument %.60s", words->words[1]);
    params = rule_of(words);
    if (params == NULL) return complain(EXIT_USAGE, "chaos: --rate and --ms need a number");
    code = ask(words, "dojima_chaosAdd", params);
    json_decref(params);
    return code;
}

static bool read_id(const char *text, int64_t *id)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    bool    fine = json_is_integer(value) && json_integer_value(value) >= 0;

    *id = json_integer_value(value);
    json_decref(value);
    return fine;
}

static int remove_rule(const struct chaos_words *words)
{
    json_t *params;
    int64_t id;
    int     code;

    if (words->word_count != 2) return complain(EXIT_USAGE, "chaos: remove needs the id of one rule");
    if (!read_id(words->words[1], &id))
        return complain(EXIT_USAGE, "chaos: %.60s is not the id of a rule", words->words[1]);
    params = json_pack("[I]", (json_int_t)id);
    code = ask(words, "dojima_chaosRemove", params);
    json_decref(params);
    return code;
}

static int run_chaos(const struct chaos_words *words)
{
    if (words->word_count == 0) return complain(EXIT_USAGE, "chaos: name a fault, or list, remove or clear");
    if (strcmp(words->words[0], "remove") == 0) return remove_rule(words);
    if (strcmp(words->words[0], "list") != 0 && strcmp(words->words[0], "clear") != 0) return add_rule(words);
    if (words->word_count != 1) return complain(EXIT_USAGE, "chaos: unexpected argument %.60s", words->words[1]);
    return ask(words, words->words[0][0] == 'l' ? "dojima_chaosList" : "dojima_chaosClear", NULL);
}

int command_chaos(int argc, char **argv)
{
    struct chaos_words words = { 0 };
    /* clang-format off */
    const struct argument rows[] = {
        { "url", ARGUMENT_TEXT, 0, &words.url, "URL", "The exchange; else DOJIMA_URL, else " VENUE_URL "." },
        { "path", ARGUMENT_TEXT, 0, &words.path, "TEXT",
          "Requests with this in their path; with a / in front, those whose path begins so; /ws/spot and /ws/perps are "
          "streams." },
        { "method", ARGUMENT_TEXT, 0, &words.method, "NAME", "GET, POST or DELETE requests." },
        { "account", ARGUMENT_U64, INT64_MAX, &words.account, "ID", "Requests and messages about this account." },
        { "address", ARGUMENT_TEXT, 0, &words.address, "TEXT",
          "A client's IP address, or 0x…: the accounts of this address." },
        { "channel", ARGUMENT_TEXT, 0, &words.channel, "NAME", "Messages of this channel." },
        { "symbol", ARGUMENT_TEXT, 0, &words.symbol, "NAME", "Index prices of this perps symbol." },
        { "rate", ARGUMENT_TEXT, 0, &words.rate, "P", "Acts with this probability, more than 0, at most 1." },
        { "every", ARGUMENT_U64, INT64_MAX, &words.every, "N", "Acts on each N-th match." },
        { "count", ARGUMENT_U64, INT64_MAX, &words.count, "N", "Acts N times, then never again." },
        { "at", ARGUMENT_U64, INT64_MAX, &words.at, "N", "Acts on message N of each connection." },
        { "after", ARGUMENT_U64, INT64_MAX, &words.after, "MS", "Begins so many ms of engine time from now." },
        { "for", ARGUMENT_U64, INT64_MAX, &words.lasts, "MS", "Ends so many ms of engine time after it has begun." },
        { "seed", ARGUMENT_U64, INT64_MAX, &words.seed, "N", "Of all that is drawn; 1 when not given." },
        { "ms", ARGUMENT_TEXT, 0, &words.ms, "MS", "How long; of skew how far ahead, behind when negative." },
        { "jitter", ARGUMENT_U64, 60000, &words.jitter, "MS", "Up to so many ms more or less." },
        { "in", ARGUMENT_TEXT, 0, &words.in, "TIME", "How long requests take to arrive." },
        { "out", ARGUMENT_TEXT, 0, &words.out, "TIME", "How long answers and messages take to leave." },
        { "retry-after", ARGUMENT_U64, 3600, &words.retry_after, "S", "Seconds that a 429 names; 1 when not given." },
        { "code", ARGUMENT_U64, 4999, &words.code, "N", "Close code of a cut; without it the connection just ends." },
        { "json", ARGUMENT_FLAG, 0, &words.json, "", "The result as a line of JSON." },
    };
    /* clang-format on */
    const struct arguments arguments = { "chaos",
                                         "FAULT|list|remove ID|clear",
                                         "Faults on demand, on a running development exchange.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         print_faults };
    int                    first, code;

    if (!arguments_read(&arguments, argc, argv, &first, &code)) return code;
    words.words = argv + first;
    words.word_count = argc - first;
    return run_chaos(&words);
}
