/* SPDX-License-Identifier: MIT */
/*
 * streams_bare.h — the way of a trade to its subscribers without an exchange: the same threads on the same cores with
 * the same priorities, the same connections, bytes and system calls, the same disk, but where the exchange works, a
 * loop takes as much processor time. How long that takes under the same load is what the machine and the load leave of
 * the latency.
 */
#ifndef BENCH_STREAMS_BARE_H
#define BENCH_STREAMS_BARE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#define BARE_TIMES_MAX (1 << 20)

/* Processor time of an order's request before the engine, in the engine, and of a message before its first `send`. */
struct bare_work {
    int64_t request_ns, engine_ns, message_ns;
};

/* Of each trade: from where its batch would be durable until the first subscriber's socket has it. */
struct bare_times {
    _Atomic uint64_t count;
    int64_t          ns[BARE_TIMES_MAX];
};

/*
 * A child process that listens on `port` and writes a log of its own into `folder`. The first `readers` connections are
 * the subscribers; the others send requests of HTTP, and each second request is a trade. `times` is shared memory.
 */
pid_t bare_start(uint16_t port, int readers, const char *folder, const struct bare_work *work,
                 struct bare_times *times);
void  bare_stop(pid_t bare);

#endif
