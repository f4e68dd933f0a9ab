/* SPDX-License-Identifier: MIT */
/* local.c — io/local.h in the simulated world: one operator, with one line at a time. */
#include "network.h"

#include "io/local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct local {
    struct local_owner owner;
    _Atomic uint32_t   idle;
    bool               bell, stop;
    bool               asked, told, answered; /* a line has arrived; the owner has it; its reply is ready */
    uint64_t           audited;               /* lines of the audit log at that time */
    size_t             len;
    char               line[LOCAL_LINE_MAX], answer[LOCAL_LINE_MAX];
};

static struct local *the_local;

void local_clear(void) { the_local = NULL; }

bool operator_say(const void *line, size_t len)
{
    if (the_local == NULL || the_local->stop || !world.ready || the_local->asked) return false;
    assert(len < LOCAL_LINE_MAX);
    memcpy(the_local->line, line, len);
    the_local->len = len;
    the_local->asked = true;
    the_local->told = the_local->answered = false;
    the_local->idle = 0;
    return true;
}

bool operator_hears(char *answer, size_t cap)
{
    if (the_local == NULL || !the_local->answered) return false;
    (void)snprintf(answer, cap, "%s", the_local->answer);
    the_local->asked = the_local->answered = false;
    return true;
}

struct local *local_open(const char *path, const struct local_owner *owner, struct local_fault *fault)
{
    struct local *local = calloc(1, sizeof(*local));

    (void)path, (void)fault;
    local->owner = *owner;
    the_local = local;
    return local;
}

void local_run(struct local *local)
{
    while (!local->stop) {
        local->idle = 1;
        if (local->bell) {
            local->bell = false;
            local->owner.woken(local->owner.self);
        }
        if (local->asked && !local->told) {
            local->told = true;
            local->audited = world.audited;
            local->owner.line(local->owner.self, 0, 1, slice_make(local->line, local->len));
        }
        if (!local->stop && !local->bell && (local->told || !local->asked)) fiber_wait(&local->idle, INT64_MAX);
    }
}

void local_close(struct local *local)
{
    (void)local;
    the_local = NULL;
}

void local_answer(struct local *local, uint32_t peer, uint32_t generation, struct slice line)
{
    assert(peer == 0 && generation == 1 && local->told && line.len < LOCAL_LINE_MAX);
    if (world.audited == local->audited) world_wrong("an operator was answered, and the audit log knows nothing of it");
    memcpy(local->answer, line.at, line.len);
    local->answer[line.len] = '\0';
    local->answered = true;
    world_note_bytes(line.at, line.len);
}

struct local_who local_who(const struct local *local, uint32_t peer)
{
    (void)local, (void)peer;
    return (struct local_who){ 1, 0 };
}

void local_wake(struct local *local)
{
    local->bell = true;
    local->idle = 0;
}

void local_stop(struct local *local)
{
    local->stop = true;
    local->idle = 0;
}

int local_connect(const char *path, struct local_fault *fault)
{
    (void)path, (void)fault;
    return -1;
}
uint32_t local_listener(int handle)
{
    (void)handle;
    return 0;
}
int local_ask(int handle, struct slice line, char *answer, size_t *len)
{
    (void)handle, (void)line, (void)answer, (void)len;
    return ENOTSUP;
}
