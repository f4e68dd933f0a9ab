/* SPDX-License-Identifier: MIT */
/*
 * about.c — whose request it is, as far as its text says: for rules of faults, which are asked before anything is
 * checked.
 */
#include "api/inside.h"

#include "base/hex.h"

/* The digits behind `key`; 0 = none. */
static uint64_t number_behind(struct slice text, const char *key)
{
    size_t      len = strlen(key);
    const char *at = text.len > len ? memmem(text.at, text.len, key, len) : NULL, *end = text.at + text.len;
    uint64_t    number = 0;

    if (at == NULL) return 0;
    for (at += len; at < end && *at == ' '; at++) {}
    for (; at < end && *at >= '0' && *at <= '9' && number < UINT64_MAX / 16; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return number;
}

/* The first segment of a path that is an address. */
static bool address_in(struct slice path, struct address *address)
{
    for (size_t at = 0; at + 43 <= path.len; at++) {
        if (path.at[at] != '/' || path.at[at + 1] != '0') continue;
        if (at + 43 != path.len && path.at[at + 43] != '/') continue;
        if (hex_read_0x(slice_make(path.at + at + 1, 42), address->bytes, sizeof(address->bytes))) return true;
    }
    return false;
}

void api_about(const struct api_shared *shared, const struct http_request *request, struct api_about *about)
{
    struct view_account account;
    bool                is_write = request->method == HTTP_POST || request->method == HTTP_DELETE;

    about->account_id =
        is_write ? number_behind(request->body, "\"accountID\":") : number_behind(request->query, "accountID=");
    about->has_owner = address_in(request->path, &about->owner);
    if (about->account_id != 0 && views_account(shared->views, about->account_id, &account)) {
        if (!about->has_owner) about->owner = account.owner;
        about->has_owner = true;
    } else if (about->account_id == 0 && about->has_owner
               && views_primary_account(shared->views, &about->owner, &account)) {
        about->account_id = account.account_id;
    }
}

void api_refuse(struct api *api, const struct api_context *context, enum reject reject, uint32_t wait,
                struct http_answer *answer, struct out *body)
{
    const struct limiter *limiter = api->shared->limiter;
    struct failure        failure = { .reject = reject };
    struct out            extra = out_make(api->extra, sizeof(api->extra));

    *answer = (struct http_answer){ .status = 200, .allow_origin = SLICE("*") };
    failure.limited = (struct rate_limit_record){ .limit = limiter != NULL ? limiter->settings.weight_per_minute : 1200,
                                                  .window = SLICE("1m"),
                                                  .retry_after = wait };
    answer_failure(context, &failure, answer, body);
    if (reject == REJECT_INTERNAL) answer->status = 500; /* as a proxy before the exchange would answer */
    if (reject != REJECT_RATE_LIMIT) return;
    out_literal(&extra, "Retry-After: ");
    out_u64(&extra, wait);
    out_literal(&extra, "\r\n");
    answer->extra = out_slice(&extra);
}
