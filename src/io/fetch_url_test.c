/* SPDX-License-Identifier: MIT */
/* One request of the feeder against a server that sends a prepared answer. */
#include "io/fetch.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#define CAP 4096

/* Accepts one connection, reads until the expected end of the request, answers, closes. */
struct server {
    int          listener;
    uint16_t     port;
    const char  *until; /* the last bytes of the request; NULL: sends nothing until the client disconnects */
    struct slice answer;
    char         request[CAP];
    size_t       len;
    pthread_t    thread;
};

static void *serve(void *self)
{
    struct server *server = self;
    struct pollfd  waiting = { server->listener, POLLIN, 0 };
    int            peer = poll(&waiting, 1, 20000) == 1 ? accept(server->listener, NULL, NULL) : -1;
    ssize_t        got = 1;

    while (peer >= 0 && got > 0
           && (server->until == NULL
               || memmem(server->request, server->len, server->until, strlen(server->until)) == NULL)) {
        got = read(peer, server->request + server->len, sizeof(server->request) - server->len);
        server->len += got > 0 ? (size_t)got : 0;
    }
    if (peer >= 0 && server->until != NULL) (void)!write(peer, server->answer.at, server->answer.len);
    if (peer >= 0) (void)shutdown(peer, SHUT_WR);
    if (peer >= 0) (void)close(peer);
    return NULL;
}

static void start(struct server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          len = sizeof(address);

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(server->listener, 4), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &len), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

/* No second request arrived. */
static void stop(struct server *server)
{
    struct pollfd waiting = { server->listener, POLLIN, 0 };

    assert_int_equal(pthread_join(server->thread, NULL), 0);
    assert_int_equal(poll(&waiting, 1, 0), 0);
    (void)close(server->listener);
}

static char text[CAP];

/* The result of one GET of /p?q=1 from a server with this answer. */
static bool get(const char *answer, size_t cap, struct fetched *fetched)
{
    struct server server = { .until = "\r\n\r\n", .answer = slice_of(answer) };
    char          url[64];
    struct fetch  fetch = { .url = url, .timeout_ms = 20000 };
    bool          ok;

    *fetched = (struct fetched){ .text = text, .cap = cap };
    start(&server);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/p?q=1", server.port);
    ok = fetch_url(&fetch, fetched);
    stop(&server);
    assert_memory_equal(server.request, "GET /p?q=1 HTTP/1.1\r\n", 21);
    return ok;
}

static void an_answer_comes_with_its_status(void **state)
{
    struct fetched fetched;

    (void)state;
    assert_true(get("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", CAP, &fetched));
    assert_int_equal(fetched.status, 200);
    assert_int_equal(fetched.len, 5);
    assert_memory_equal(text, "hello", 5);
    assert_true(get("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", CAP, &fetched));
    assert_int_equal(fetched.status, 404);
    assert_memory_equal(text, "no", 2);
    assert_true(get("HTTP/1.0 200 OK\r\n\r\nuntil the end", CAP, &fetched));
    assert_int_equal(fetched.len, 13);
    assert_true(
        get("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", CAP, &fetched));
    assert_int_equal(fetched.len, 5);
    assert_memory_equal(text, "abcde", 5);
}

/* What does not fit of the head is left out. A failure says whether the request can have arrived. */
static void header_lines_and_what_a_failure_means(void **state)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nok";
    struct server     server = { .until = "\r\n\r\n", .answer = slice_of(answer) };
    char              url[64], head[26];
    struct fetch      fetch = { .url = url, .timeout_ms = 20000 };
    struct fetched    fetched = { .text = text, .cap = CAP, .head = head, .head_cap = sizeof(head) };

    (void)state;
    start(&server);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
    assert_true(fetch_url(&fetch, &fetched));
    stop(&server);
    assert_memory_equal(text, "ok", 2);
    assert_memory_equal(head, "HTTP/1.1 200 OK\r\nX-A: 1\r\n", 25);
    assert_false(fetch_url(&fetch, &fetched)); /* nothing listens there now */
    assert_false(fetched.connected);
    assert_false(get("", CAP, &fetched)); /* connected, and closed without an answer */
    assert_true(fetched.connected);
}

static void a_post_sends_lines_and_body(void **state)
{
    struct server  server = { .until = "{\"a\":1}", .answer = SLICE("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") };
    char           url[64];
    struct fetch   fetch = { .url = url,
                             .method = "POST",
                             .lines = SLICE("X-API-Sign: 0x12\r\nContent-Type: application/json\r\n"),
                             .body = SLICE("{\"a\":1}"),
                             .timeout_ms = 20000 };
    struct fetched fetched = { .text = text, .cap = CAP };

    (void)state;
    start(&server);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
    assert_true(fetch_url(&fetch, &fetched));
    stop(&server);
    assert_int_equal(fetched.len, 0);
    assert_memory_equal(server.request, "POST / HTTP/1.1\r\n", 17);
    assert_non_null(memmem(server.request, server.len, "\r\nX-API-Sign: 0x12\r\n", 20));
    assert_non_null(memmem(server.request, server.len, "\r\nContent-Type: application/json\r\n", 34));
    assert_non_null(memmem(server.request, server.len, "\r\nContent-Length: 7\r\n", 21));
    assert_null(memmem(server.request, server.len, "Expect", 6));
}

static void an_answer_fits_or_is_refused(void **state)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    struct fetched    fetched;

    (void)state;
    text[5] = text[4] = '~';
    assert_true(get(answer, 5, &fetched));
    assert_int_equal(fetched.len, 5);
    assert_int_equal(text[5], '~');
    text[4] = '~';
    assert_false(get(answer, 4, &fetched));
    assert_non_null(strstr(fetched.why, "too long"));
    assert_int_equal(text[4], '~');
}

static void what_is_no_whole_answer_is_refused(void **state)
{
    /* clang-format off */
    static const char *const answers[] = {
        "", "hello", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhello\r\n0\r\n\r\n",
    };
    /* clang-format on */
    struct fetched fetched;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(answers); i++) {
        if (get(answers[i], CAP, &fetched)) fail_msg("%s", answers[i]);
        assert_true(fetched.why[0] != '\0');
    }
}

/* The redirect is not followed: the other server received no request. */
static void a_redirection_is_an_answer(void **state)
{
    struct server other = { .until = "\r\n\r\n", .answer = SLICE("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother") };
    struct fetched fetched;
    char           answer[256], url[64];
    struct fetch   fetch = { .url = url, .timeout_ms = 20000 };

    (void)state;
    start(&other);
    (void)snprintf(answer, sizeof(answer),
                   "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%u/\r\nContent-Length: 4\r\n\r\nhere", other.port);
    assert_true(get(answer, CAP, &fetched));
    assert_int_equal(fetched.status, 302);
    assert_memory_equal(text, "here", 4);
    assert_int_equal(other.len, 0);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/", other.port);
    assert_true(fetch_url(&fetch, &fetched));
    stop(&other);
}

static void only_http_and_https_are_spoken(void **state)
{
    static const char *const urls[] = { "file:///etc/hostname",
                                        "ftp://127.0.0.1/",
                                        "gopher://127.0.0.1/",
                                        "dict://127.0.0.1/",
                                        "http://user:word@127.0.0.1:1/",
                                        "",
                                        "http://" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(urls); i++) {
        struct fetch   fetch = { .url = urls[i], .timeout_ms = 20000 };
        struct fetched fetched = { .text = text, .cap = CAP };

        if (fetch_url(&fetch, &fetched)) fail_msg("%s", urls[i]);
        assert_true(fetched.why[0] != '\0');
        assert_null(strstr(fetched.why, "onnect")); /* refused before anything is tried */
    }
}

static void silence_ends_with_the_time(void **state)
{
    struct server  server = { .until = NULL };
    char           url[64];
    struct fetch   fetch = { .url = url, .timeout_ms = 200 };
    struct fetched fetched = { .text = text, .cap = CAP };

    (void)state;
    start(&server);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/", server.port);
    assert_false(fetch_url(&fetch, &fetched));
    stop(&server);
    assert_non_null(strstr(fetched.why, "timed out"));
}

static void the_environment_chooses_no_proxy(void **state)
{
    struct server  proxy = { .until = "\r\n\r\n", .answer = SLICE("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nvia") };
    struct fetched fetched = { .text = text, .cap = CAP };
    char           url[64];
    struct fetch   fetch = { .url = "http://prices.invalid/a", .proxy = url, .timeout_ms = 20000 };

    (void)state;
    start(&proxy);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", proxy.port);
    assert_int_equal(setenv("http_proxy", url, 1) + setenv("all_proxy", url, 1) + setenv("no_proxy", "*", 1), 0);
    assert_true(get("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect", CAP, &fetched));
    assert_memory_equal(text, "direct", 6);
    assert_true(fetch_url(&fetch, &fetched));
    stop(&proxy);
    assert_memory_equal(text, "via", 3);
    assert_memory_equal(proxy.request, "GET http://prices.invalid/a HTTP/1.1\r\n", 38);
}

int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_comes_with_its_status),
        cmocka_unit_test(header_lines_and_what_a_failure_means),
        cmocka_unit_test(a_post_sends_lines_and_body),
        cmocka_unit_test(an_answer_fits_or_is_refused),
        cmocka_unit_test(what_is_no_whole_answer_is_refused),
        cmocka_unit_test(a_redirection_is_an_answer),
        cmocka_unit_test(only_http_and_https_are_spoken),
        cmocka_unit_test(silence_ends_with_the_time),
        cmocka_unit_test(the_environment_chooses_no_proxy),
    };
    /* clang-format on */
    return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
