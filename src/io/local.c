/* SPDX-License-Identifier: MIT */
#include "io/local.h"

#include "io/files.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SHUT_MS 100 /* before another try to take a peer in without a handle */

struct peer {
    int              handle;     /* -1 = free */
    uint32_t         generation; /* another one each time; never 0 */
    bool             waits;      /* its line has not been answered */
    uint64_t         since;      /* when it came or was last answered: struct local's `count` then */
    struct local_who who;
    size_t           len;
    char             line[LOCAL_LINE_MAX];
};

struct local {
    struct local_owner owner;
    char               path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    int                listener, wakeup; /* wakeup: an eventfd that others write */
    _Atomic uint32_t   stopped;
    uint32_t           generation;
    uint64_t           count; /* of peers that came and of answers that were sent: the order in which they did */
    struct peer        peers[LOCAL_PEERS];
};

__attribute__((format(printf, 3, 4))) static void fail(struct local_fault *fault, int code, const char *format, ...)
{
    va_list arguments;

    fault->code = code;
    va_start(arguments, format);
    (void)vsnprintf(fault->text, sizeof(fault->text), format, arguments);
    va_end(arguments);
}

static bool address_of(const char *path, struct sockaddr_un *address, struct local_fault *fault)
{
    size_t len = strlen(path);

    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (len >= sizeof(address->sun_path)) {
        fail(fault, ENAMETOOLONG, "%.120s… is too long for a socket: %zu bytes, at most %zu", path, len,
             sizeof(address->sun_path) - 1);
        return false;
    }
    memcpy(address->sun_path, path, len);
    return true;
}

/* A peer that goes away, or does not read, must not take this process with it. */
static int send_all(int handle, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(handle, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno;
        bytes += sent;
        len -= (size_t)sent;
    }
    return 0;
}

static int send_line(int handle, struct slice line)
{
    char text[LOCAL_LINE_MAX];

    if (line.len + 1 > sizeof(text)) return EMSGSIZE;
    memcpy(text, line.at, line.len);
    text[line.len] = '\n';
    return send_all(handle, text, line.len + 1);
}

/* ---- the server ---- */

/* The folder of a socket that lies elsewhere has no lock. */
static bool somebody_listens(const char *path)
{
    struct local_fault fault;
    int                handle = local_connect(path, &fault);

    files_close(handle);
    return handle >= 0;
}

/* A socket left by a killed process is removed; a file of any other kind stays. */
static int make_room(const char *path)
{
    struct stat info;

    if (lstat(path, &info) != 0) return errno == ENOENT ? 0 : errno;
    if (!S_ISSOCK(info.st_mode)) return EEXIST;
    if (somebody_listens(path)) return EADDRINUSE;
    return unlink(path) == 0 ? 0 : errno;
}

/* The mode is set before the name exists, so no other user can connect in between. */
static int listen_at(int handle, const struct sockaddr_un *address)
{
    int error = make_room(address->sun_path);

    if (error != 0) return error;
    if (fchmod(handle, 0600) != 0 || bind(handle, (const struct sockaddr *)address, sizeof(*address)) != 0)
        return errno;
    return chmod(address->sun_path, 0600) == 0 && listen(handle, 4 * LOCAL_PEERS) == 0 ? 0 : errno;
}

struct local *local_open(const char *path, const struct local_owner *owner, struct local_fault *fault)
{
    struct local      *local = calloc(1, sizeof(*local));
    struct sockaddr_un address;
    int                error;

    assert(local != NULL);
    local->owner = *owner;
    local->listener = local->wakeup = -1;
    for (uint32_t i = 0; i < LOCAL_PEERS; i++) local->peers[i].handle = -1;
    if (!address_of(path, &address, fault)) {
        free(local);
        return NULL;
    }
    local->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    local->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    error = local->listener < 0 || local->wakeup < 0 ? errno : listen_at(local->listener, &address);
    if (error == 0) {
        memcpy(local->path, address.sun_path, sizeof(local->path));
        return local;
    }
    fail(fault, error, "%.200s: %s", path, error == EEXIST ? "the file is not a socket" : strerror(error));
    local_close(local);
    return NULL;
}

void local_close(struct local *local)
{
    for (uint32_t i = 0; i < LOCAL_PEERS; i++) files_close(local->peers[i].handle);
    files_close(local->listener);
    files_close(local->wakeup);
    if (local->path[0] != '\0') (void)unlink(local->path);
    free(local);
}

static void send_wakeup(struct local *local)
{
    uint64_t one = 1;
    ssize_t  written = write(local->wakeup, &one, sizeof(one));

    (void)written; /* a counter at its most has woken the reader */
}

void local_wake(struct local *local) { send_wakeup(local); }

void local_stop(struct local *local)
{
    atomic_store_explicit(&local->stopped, 1, memory_order_release);
    send_wakeup(local);
}

static void hang_up(struct peer *peer)
{
    files_close(peer->handle);
    peer->handle = -1;
    peer->len = 0;
    peer->waits = false;
}

static bool look_at_peer(int handle, struct local_who *who)
{
    struct ucred peer = { 0 };
    socklen_t    len = sizeof(peer);
    bool         known = getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0;

    *who = (struct local_who){ (uint32_t)peer.pid, peer.uid };
    return known;
}

static bool is_same_user(const struct local *local, int handle, struct local_who *who)
{
    bool known = look_at_peer(handle, who);

    if (known && who->uid == geteuid()) return true;
    if (known) local->owner.stranger(local->owner.self, *who);
    return false;
}

/*
 * The slot for a new peer: a free one, else that of the peer that has had no answer for the longest time. Bytes of an
 * incomplete line do not count as a request, so slow senders keep no other peer out. NULL while every peer waits for an
 * answer: new peers stay in the kernel's queue until one is answered.
 */
static struct peer *place_for_newcomer(struct local *local)
{
    struct peer *longest = NULL;

    for (uint32_t i = 0; i < LOCAL_PEERS; i++) {
        struct peer *peer = &local->peers[i];

        if (peer->handle < 0) return peer;
        if (!peer->waits && (longest == NULL || peer->since < longest->since)) longest = peer;
    }
    return longest;
}

/*
 * Accepts one new peer, if there is one. False when the process or the system has no file descriptor left; the peer
 * stays in the kernel's queue.
 */
static bool greet(struct local *local)
{
    struct peer     *peer = place_for_newcomer(local);
    int              handle = peer != NULL ? accept4(local->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    struct local_who who;

    if (peer == NULL) return true;
    if (handle < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    if (!is_same_user(local, handle, &who)) {
        files_close(handle);
        return true;
    }
    hang_up(peer);
    local->generation = local->generation == 0xffffff ? 1 : local->generation + 1;
    *peer = (struct peer){ .handle = handle, .generation = local->generation, .since = ++local->count, .who = who };
    return true;
}

/* Hands the first whole line to the owner, unless the owner has not answered this peer's previous line. */
static void forward(struct local *local, uint32_t index)
{
    struct peer *peer = &local->peers[index];

    while (peer->handle >= 0 && !peer->waits) {
        char  *end = memchr(peer->line, '\n', peer->len);
        char   line[LOCAL_LINE_MAX];
        size_t len;
        if (end == NULL && peer->len == sizeof(peer->line)) hang_up(peer); /* no line of ours is that long */
        if (end == NULL) return;
        len = (size_t)(end - peer->line);
        memcpy(line, peer->line, len);
        peer->len -= len + 1;
        memmove(peer->line, end + 1, peer->len);
        peer->waits = true;
        local->owner.line(local->owner.self, index, peer->generation, slice_make(line, len));
    }
}

static void listen_to(struct local *local, uint32_t index)
{
    struct peer *peer = &local->peers[index];
    ssize_t      got = recv(peer->handle, peer->line + peer->len, sizeof(peer->line) - peer->len, MSG_DONTWAIT);

    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
        hang_up(peer);
        return;
    }
    peer->len += (size_t)got;
    forward(local, index);
}

struct local_who local_who(const struct local *local, uint32_t index)
{
    assert(index < LOCAL_PEERS);
    return local->peers[index].who;
}

void local_answer(struct local *local, uint32_t index, uint32_t generation, struct slice line)
{
    struct peer *peer = &local->peers[index];

    assert(index < LOCAL_PEERS);
    if (peer->handle < 0 || peer->generation != generation) return;
    peer->waits = false;
    peer->since = ++local->count;
    if (send_line(peer->handle, line) != 0) hang_up(peer);
}

void local_run(struct local *local)
{
    struct pollfd polls[2 + LOCAL_PEERS];
    uint64_t      rung;
    bool          open = true; /* the listener rests for a while when there is nothing to take a peer with */

    while (atomic_load_explicit(&local->stopped, memory_order_acquire) == 0) {
        polls[0] = (struct pollfd){ local->wakeup, POLLIN, 0 };
        polls[1] = (struct pollfd){ open && place_for_newcomer(local) != NULL ? local->listener : -1, POLLIN, 0 };
        for (uint32_t i = 0; i < LOCAL_PEERS;
             i++) /* a peer that waits for an answer is not read; poll ignores negative descriptors */
            polls[2 + i] = (struct pollfd){ local->peers[i].waits ? -1 : local->peers[i].handle, POLLIN, 0 };
        if (poll(polls, ARRAY_COUNT(polls), open ? -1 : SHUT_MS) < 0) continue;
        if (polls[0].revents != 0) {
            ssize_t got = read(local->wakeup, &rung, sizeof(rung));
            (void)got;
        }
        for (uint32_t i = 0; i < LOCAL_PEERS; i++)
            if (polls[2 + i].fd >= 0 && polls[2 + i].revents != 0) listen_to(local, i);
        local->owner.woken(local->owner.self);
        open = (polls[1].fd >= 0 && polls[1].revents == 0)
            || greet(local); /* before the next lines of those that were answered */
        for (uint32_t i = 0; i < LOCAL_PEERS; i++) forward(local, i);
    }
    local->owner.woken(local->owner.self);
}

/* ---- the other end ---- */

int local_connect(const char *path, struct local_fault *fault)
{
    struct sockaddr_un address;
    int                handle, error;

    if (!address_of(path, &address, fault)) return -1;
    handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle >= 0 && connect(handle, (const struct sockaddr *)&address, sizeof(address)) == 0) return handle;
    error = errno;
    files_close(handle);
    fail(fault, error, "%.200s: %s", path, strerror(error));
    return -1;
}

uint32_t local_listener(int handle)
{
    struct local_who who;

    return look_at_peer(handle, &who) ? who.pid : 0;
}

int local_ask(int handle, struct slice line, char *answer, size_t *len)
{
    int error = send_line(handle, line);

    *len = 0;
    while (error == 0) {
        ssize_t got = recv(handle, answer + *len, LOCAL_LINE_MAX - *len, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0 || errno == ECONNRESET ? ENODATA : errno;
        *len += (size_t)got;
        if (answer[*len - 1] == '\n') {
            *len -= 1;
            return 0;
        }
        if (*len == LOCAL_LINE_MAX) return EMSGSIZE;
    }
    return error == EPIPE || error == ECONNRESET ? ENODATA : error;
}
