/* SPDX-License-Identifier: MIT */
#include "io/fetch.h"

#include "io/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- shared ---- */

static bool fail(struct fetched *fetched, const char *what, const char *why)
{
    (void)snprintf(fetched->why, sizeof(fetched->why), "%.100s: %.50s", what, why);
    return false;
}

/* Waits until a file number is ready; false when the time is up. */
static bool is_ready(int handle, short events, int64_t until_ns)
{
    for (;;) {
        struct pollfd one = { handle, events, 0 };
        int64_t       left_ms = (until_ns - clock_mono_ns()) / 1000000;
        int           found = left_ms <= 0 ? 0 : poll(&one, 1, left_ms > 60000 ? 60000 : (int)left_ms);

        if (found > 0) return true;
        if (left_ms <= 0 || (found < 0 && errno != EINTR)) return false;
    }
}

/* Everything up to the end. */
static bool read_all(int handle, int64_t until_ns, const char *what, struct fetched *fetched)
{
    for (;;) {
        ssize_t got;

        if (!is_ready(handle, POLLIN, until_ns)) return fail(fetched, what, "no answer in time");
        got = read(handle, fetched->text + fetched->len, fetched->cap - fetched->len);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return fail(fetched, what, strerror(errno));
        if (got == 0) return true;
        fetched->len += (size_t)got;
        if (fetched->len == fetched->cap) return fail(fetched, what, "the answer is too long");
    }
}

/* ---- HTTP ---- */

struct target { char host[256], port[8], path[1024]; };

static bool read_target(const char *url, struct target *target)
{
    static const char scheme[] = "http://";
    const char       *host = url + sizeof(scheme) - 1, *slash, *end, *colon;

    if (strncmp(url, scheme, sizeof(scheme) - 1) != 0) return false;
    slash = host + strcspn(host, "/?#");
    end = slash;
    colon = memchr(host, ':', (size_t)(slash - host));
    if (host[0] == '[') {                                                   /* [::1]:8080 */
        end = memchr(host, ']', (size_t)(slash - host));
        if (end == NULL) return false;
        host += 1;
        colon = end[1] == ':' ? end + 1 : NULL;
    } else if (colon != NULL) {
        end = colon;
    }
    if (end == host || (size_t)(end - host) >= sizeof(target->host)) return false;
    if (colon != NULL && (slash - colon - 1 < 1 || slash - colon - 1 > 5)) return false;
    (void)snprintf(target->host, sizeof(target->host), "%.*s", (int)(end - host), host);
    (void)snprintf(target->port, sizeof(target->port), "%.*s", colon != NULL ? (int)(slash - colon - 1) : 2, colon != NULL ? colon + 1 : "80");
    return snprintf(target->path, sizeof(target->path), "%s%s", *slash == '/' ? "" : "/", slash) < (int)sizeof(target->path);
}

static int connect_one(const struct addrinfo *address, int64_t until_ns)
{
    int       handle = socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address->ai_protocol);
    int       error = 0;
    socklen_t len = sizeof(error);

    if (handle < 0) return -1;
    if (connect(handle, address->ai_addr, address->ai_addrlen) == 0) return handle;
    if (errno == EINPROGRESS && is_ready(handle, POLLOUT, until_ns) && getsockopt(handle, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0) return handle;
    if (error == 0) error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    (void)close(handle);
    errno = error;
    return -1;
}

static int connect_to(const struct target *target, int64_t until_ns, struct fetched *fetched)
{
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
    struct addrinfo      *found = NULL;
    int                   error = getaddrinfo(target->host, target->port, &wanted, &found), handle = -1;

    if (error != 0) {
        (void)fail(fetched, target->host, gai_strerror(error));
        return -1;
    }
    for (const struct addrinfo *at = found; at != NULL && handle < 0; at = at->ai_next) handle = connect_one(at, until_ns);
    if (handle < 0) (void)fail(fetched, target->host, strerror(errno));
    freeaddrinfo(found);
    return handle;
}

static bool send_all(int handle, struct slice bytes, int64_t until_ns)
{
    while (bytes.len != 0) {
        ssize_t sent = send(handle, bytes.at, bytes.len, MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (sent < 0 && !is_ready(handle, POLLOUT, until_ns)) return false;
        if (sent > 0) bytes = slice_make(bytes.at + sent, bytes.len - (size_t)sent);
    }
    return true;
}

/* Takes the head off: HTTP/1.x STATUS …, header lines, an empty line. */
static bool take_head(const char *host, struct fetched *fetched)
{
    const char *end = memmem(fetched->text, fetched->len, "\r\n\r\n", 4);

    if (end == NULL || fetched->len < 12 || memcmp(fetched->text, "HTTP/1.", 7) != 0) return fail(fetched, host, "what came is no answer of HTTP");
    fetched->status = atoi(fetched->text + 9);
    end += 4;
    fetched->len -= (size_t)(end - fetched->text);
    memmove(fetched->text, end, fetched->len);
    return true;
}

/* HTTP/1.0: the end of the connection is the end of the body, and nothing comes in chunks. */
bool fetch_url(const char *url, const char *method, struct slice lines, struct slice body, int64_t timeout_ms, struct fetched *fetched)
{
    int64_t       until_ns = clock_mono_ns() + timeout_ms * 1000000;
    struct target target;
    char          head[2048];
    int           len, handle;
    bool          ok;

    fetched->len = 0;
    if (!read_target(url, &target)) return fail(fetched, url, "not an http:// address");
    len = snprintf(head, sizeof(head), "%s %s HTTP/1.0\r\nHost: %s:%s\r\nConnection: close\r\nContent-Length: %zu\r\n%.*s\r\n", method, target.path, target.host,
                   target.port, body.len, (int)lines.len, lines.at);
    if (len < 0 || (size_t)len >= sizeof(head)) return fail(fetched, url, "too long");
    handle = connect_to(&target, until_ns, fetched);
    if (handle < 0) return false;
    ok = (send_all(handle, slice_make(head, (size_t)len), until_ns) && send_all(handle, body, until_ns)) || fail(fetched, target.host, "the request cannot be sent");
    ok = ok && read_all(handle, until_ns, target.host, fetched) && take_head(target.host, fetched);
    (void)close(handle);
    return ok;
}

/* ---- a command ---- */

__attribute__((noreturn)) static void be_child(const char *line, int output)
{
    sigset_t none;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setpgid(0, 0);
    if (dup2(output, STDOUT_FILENO) >= 0) (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

bool fetch_command(const char *line, int64_t timeout_ms, struct fetched *fetched)
{
    int64_t until_ns = clock_mono_ns() + timeout_ms * 1000000;
    int     ends[2], status = 0;
    pid_t   child;
    bool    ok;

    fetched->len = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return fail(fetched, line, strerror(errno));
    child = fork();
    if (child == 0) be_child(line, ends[1]);
    (void)close(ends[1]);
    ok = child > 0 ? read_all(ends[0], until_ns, line, fetched) : fail(fetched, line, strerror(errno));
    (void)close(ends[0]);
    if (child <= 0) return false;
    if (!ok) (void)kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!ok) return false;
    fetched->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (fetched->status == 0) return true;
    (void)snprintf(fetched->why, sizeof(fetched->why), "%.100s: exit %d", line, fetched->status);
    return false;
}
