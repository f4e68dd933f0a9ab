/* SPDX-License-Identifier: MIT */
/* fetch_url.c — HTTP and HTTPS by libcurl. */
#include "io/fetch.h"

#include "io/libcurl.h"

#include <stdio.h>

#define LINE_BYTES 512

static bool fail(struct fetched *fetched, const char *what, const char *why)
{
    (void)snprintf(fetched->why, sizeof(fetched->why), "%.110s: %.150s", what, why);
    return false;
}

/* libcurl's: bytes of the body. Fewer than were given end the request. */
static size_t take(char *bytes, size_t one, size_t len, void *self)
{
    struct fetched *fetched = self;

    assert(one == 1);
    if (len > fetched->cap - fetched->len) return CURL_WRITEFUNC_ERROR;
    memcpy(fetched->text + fetched->len, bytes, len);
    fetched->len += len;
    return len;
}

/* libcurl's: one header line of the answer. What does not fit is left out. */
static size_t take_head(char *bytes, size_t one, size_t len, void *self)
{
    struct fetched *fetched = self;

    assert(one == 1);
    if (len <= fetched->head_cap - fetched->head_len) {
        memcpy(fetched->head + fetched->head_len, bytes, len);
        fetched->head_len += len;
    }
    return len;
}

/* Failures before a request can have left this machine. */
static bool failed_unconnected(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
        || code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_SSL_CONNECT_ERROR
        || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_LOGIN_DENIED;
}

/*
 * The header lines as libcurl's list. NULL: a line is too long, or memory is short. The empty Expect disables
 * 100-continue.
 */
static struct curl_slist *list_lines(struct slice lines)
{
    struct curl_slist *list = curl.slist_append(NULL, "Expect:");

    while (list != NULL && lines.len != 0) {
        const char        *end = memmem(lines.at, lines.len, "\r\n", 2);
        size_t             len = (size_t)(end - lines.at);
        char               line[LINE_BYTES];
        struct curl_slist *longer = NULL;

        assert(end != NULL);
        if (snprintf(line, sizeof(line), "%.*s", (int)len, lines.at) < (int)sizeof(line))
            longer = curl.slist_append(list, line);
        if (longer == NULL) curl.slist_free_all(list);
        list = longer;
        lines = slice_make(end + 2, lines.len - len - 2);
    }
    return list;
}

/* Options of every request. */
static bool set_limits(CURL *handle)
{
    return curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK && /* not kept waiting by a look-up of a name */
           curl.easy_setopt(handle, CURLOPT_USERAGENT, "dojima/" DOJIMA_VERSION) == CURLE_OK;
}

static bool set_request(CURL *handle, const struct fetch *fetch, struct curl_slist *lines)
{
    return curl.easy_setopt(handle, CURLOPT_URL, fetch->url) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PROXY, fetch->proxy != NULL ? fetch->proxy : "") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_NOPROXY, "") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)fetch->timeout_ms) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HTTPHEADER, lines) == CURLE_OK
        && (fetch->method == NULL
            || (curl.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)fetch->body.len) == CURLE_OK
                && curl.easy_setopt(handle, CURLOPT_POSTFIELDS, fetch->body.len != 0 ? fetch->body.at : "") == CURLE_OK
                && curl.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, fetch->method) == CURLE_OK));
}

static bool perform(CURL *handle, const char *url, struct fetched *fetched)
{
    char     error[CURL_ERROR_SIZE] = "";
    long     status = 0;
    CURLcode code;

    if (curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, take) != CURLE_OK
        || curl.easy_setopt(handle, CURLOPT_WRITEDATA, fetched) != CURLE_OK
        || curl.easy_setopt(handle, CURLOPT_ERRORBUFFER, error) != CURLE_OK)
        return fail(fetched, url, "libcurl refuses its own options");
    if (fetched->head != NULL
        && (curl.easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_head) != CURLE_OK
            || curl.easy_setopt(handle, CURLOPT_HEADERDATA, fetched) != CURLE_OK))
        return fail(fetched, url, "libcurl refuses its own options");
    code = curl.easy_perform(handle);
    fetched->connected = !failed_unconnected(code);
    if (code == CURLE_WRITE_ERROR) return fail(fetched, url, "the answer is too long");
    if (code != CURLE_OK) return fail(fetched, url, error[0] != '\0' ? error : curl.easy_strerror(code));
    if (curl.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK) return fail(fetched, url, "no status");
    fetched->status = (int)status;
    return true;
}

bool fetch_url(const struct fetch *fetch, struct fetched *fetched)
{
    const char        *wrong = libcurl_load();
    struct curl_slist *lines;
    CURL              *handle;
    bool               ok;

    assert(fetch->timeout_ms > 0 && (fetch->method != NULL || fetch->body.len == 0));
    fetched->len = fetched->head_len = 0;
    fetched->connected = false;
    if (wrong != NULL) {
        (void)snprintf(fetched->why, sizeof(fetched->why), "%s", wrong);
        return false;
    }
    handle = curl.easy_init();
    if (handle == NULL) return fail(fetched, fetch->url, "no memory");
    lines = list_lines(fetch->lines);
    ok = lines != NULL && set_limits(handle) && set_request(handle, fetch, lines)
           ? perform(handle, fetch->url, fetched)
           : fail(fetched, fetch->url, "libcurl does not take this request");
    curl.easy_cleanup(handle);
    curl.slist_free_all(lines);
    return ok;
}
