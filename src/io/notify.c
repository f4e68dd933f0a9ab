/* SPDX-License-Identifier: MIT */
#include "io/notify.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct {
    int                fd;
    socklen_t          len;
    struct sockaddr_un to;
} notify = { .fd = -1 };

/* A path, or a name of the abstract space behind '@'. */
void notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t      len = path != NULL ? strlen(path) : 0;

    if (len < 2 || len >= sizeof(notify.to.sun_path) || (path[0] != '/' && path[0] != '@')) return;
    notify.to.sun_family = AF_UNIX;
    memcpy(notify.to.sun_path, path, len);
    if (path[0] == '@') notify.to.sun_path[0] = '\0';
    notify.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    notify.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* A message that cannot be sent at once is dropped. */
void notify_say(const char *state)
{
    if (notify.fd < 0) return;
    (void)sendto(notify.fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)(const void *)&notify.to,
                 notify.len);
}

static bool digits(const char *text, uint64_t *value)
{
    char *end;

    if (text == NULL || text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

int64_t notify_watchdog_ms(void)
{
    uint64_t    micros, pid;
    const char *whose = getenv("WATCHDOG_PID");

    if (notify.fd < 0 || !digits(getenv("WATCHDOG_USEC"), &micros)) return 0;
    if (whose != NULL && (!digits(whose, &pid) || pid != (uint64_t)getpid())) return 0;
    return (int64_t)min_u64(micros / 1000, INT32_MAX);
}
