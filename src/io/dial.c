/* SPDX-License-Identifier: MIT */
/* dial.c — connections by libcurl, which speaks nothing on them but TLS (CURLOPT_CONNECT_ONLY). */
#include "io/dial.h"

#include "io/libcurl.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct dial {
    CURL *handle;
    int   socket;
};

static bool fail(char why[DIAL_WHY_BYTES], const char *what, const char *reason)
{
    (void)snprintf(why, DIAL_WHY_BYTES, "%.80s: %.70s", what, reason);
    return false;
}

static bool set_options(CURL *handle, const char *url, int64_t timeout_ms)
{
    return curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_SSL_ENABLE_ALPN, 0L) == CURLE_OK /* no second version of HTTP */
        && curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms) == CURLE_OK;
}

/* Connects; small requests leave at once. */
static bool connect_to(struct dial *dial, const char *url, int64_t timeout_ms, char why[DIAL_WHY_BYTES])
{
    char          error[CURL_ERROR_SIZE] = "";
    curl_socket_t handle = CURL_SOCKET_BAD;
    CURLcode      code;
    int           on = 1;

    if (!set_options(dial->handle, url, timeout_ms)
        || curl.easy_setopt(dial->handle, CURLOPT_ERRORBUFFER, error) != CURLE_OK)
        return fail(why, url, "libcurl refuses its own options");
    code = curl.easy_perform(dial->handle);
    (void)curl.easy_setopt(dial->handle, CURLOPT_ERRORBUFFER, NULL);
    if (code != CURLE_OK) return fail(why, url, error[0] != '\0' ? error : curl.easy_strerror(code));
    if (curl.easy_getinfo(dial->handle, CURLINFO_ACTIVESOCKET, &handle) != CURLE_OK || handle == CURL_SOCKET_BAD)
        return fail(why, url, "the connection is gone");
    dial->socket = handle;
    (void)setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return true;
}

struct dial *dial_open(const char *url, int64_t timeout_ms, char why[DIAL_WHY_BYTES])
{
    const char  *wrong = libcurl_load();
    struct dial *dial;

    assert(timeout_ms > 0);
    if (wrong != NULL) {
        (void)snprintf(why, DIAL_WHY_BYTES, "%s", wrong);
        return NULL;
    }
    dial = calloc(1, sizeof(*dial));
    if (dial != NULL) dial->handle = curl.easy_init();
    if (dial == NULL || dial->handle == NULL) (void)fail(why, url, "not enough memory");
    else if (connect_to(dial, url, timeout_ms, why)) return dial;
    dial_close(dial);
    return NULL;
}

void dial_close(struct dial *dial)
{
    if (dial == NULL) return;
    if (dial->handle != NULL) curl.easy_cleanup(dial->handle);
    free(dial);
}

bool dial_send(struct dial *dial, struct slice bytes, size_t *sent)
{
    CURLcode code;

    *sent = 0;
    if (bytes.len == 0) return true;
    code = curl.easy_send(dial->handle, bytes.at, bytes.len, sent);
    return code == CURLE_OK || code == CURLE_AGAIN;
}

bool dial_receive(struct dial *dial, void *into, size_t cap, size_t *len)
{
    CURLcode code = curl.easy_recv(dial->handle, into, cap, len);

    if (code == CURLE_AGAIN) *len = 0;
    return code == CURLE_AGAIN || (code == CURLE_OK && *len != 0);
}

void dial_wait(uint32_t count, struct dial *const dials[], const bool writing[], int64_t timeout_ms)
{
    struct pollfd polls[DIAL_MAX];

    assert(count <= DIAL_MAX);
    for (uint32_t i = 0; i < count; i++)
        polls[i] = (struct pollfd){ .fd = dials[i]->socket, .events = (short)(POLLIN | (writing[i] ? POLLOUT : 0)) };
    (void)poll(polls, count, (int)timeout_ms);
}
