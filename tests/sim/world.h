/* SPDX-License-Identifier: MIT */
/*
 * world.h — the world around a server, made of one number: its random numbers, its clock, its threads (fibers that
 * change only where the program calls outside), its disk, its network, and its faults.
 *
 * The server in it is the one that ships, from the bytes of a connection to instance_run. Only the room `io` is
 * replaced: outside.c, network.c and, below io/disk.c, the system calls of storage.c take its place when the simulator
 * is linked. Where time passes, where a thread is interrupted, how much of a write arrives, which connection is cut
 * off: all of it comes from world_random, and all of it goes into world.trace.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "base/base.h"

/* How a life of the server ends. */
enum world_end { END_NONE = 0, END_EXIT, END_KILL, END_POWER };

/* The activity of the server at a fault, besides serving; bits. */
enum world_moment { AT_START = 1, AT_SWITCH = 2, AT_SNAPSHOT = 4 };

/* The faults of a call of the disk. */
enum disk_fault { DISK_FINE = 0, DISK_EIO, DISK_FULL, DISK_SHORT, DISK_INTERRUPTED };

struct world {
    uint64_t seed, random_state;
    uint64_t trace;                   /* of everything that happened; two runs of a seed have the same */
    uint64_t steps;                   /* turns of the scheduler */
    int64_t  mono_ns, wall_offset_ms; /* the clocks */
    int64_t  epoch_ms;                /* the wall clock's initial time */
    bool     signed_for_real;         /* else signatures are a checksum over the digest (client.c) */
    bool     is_narrow;               /* a stream's reader is behind with a small part of the bytes that it may be */
    bool     loses;                   /* now and then there is no room for the messages to an I/O thread */
    bool     by_hand;                 /* clients may set the price of the index */
    bool     verbose;

    /* of this life */
    enum world_end  ended;
    int             exit_code;
    bool            ready, stop_asked;
    uint32_t        moments;   /* the present activity, enum world_moment */
    int             appends;   /* the fiber that writes a batch, 0 = none */
    uint32_t        failed_at; /* its activity when its life ended or the disk failed */
    bool            is_lull;   /* no client sends new requests … */
    int64_t         lull_ns;   /* … for so long */
    uint64_t        calls;     /* of the disk, in this life */
    uint64_t        die_at;    /* the call at which the life ends, 0 = none … */
    enum world_end  die_how;   /* … and how */
    uint64_t        fault_at;  /* the call that fails, 0 = none */
    enum disk_fault fault;
    bool            fault_stays; /* and all after it */
    bool            lies;        /* syncs report success and do nothing */
    bool            forgives;    /* the disk lied before this life: the end of the log may be lost */
    uint64_t        audited;     /* lines of the audit log that are no mere questions */
    char            said[512];   /* the last complaint or warning */
};
extern struct world world;

/* 0 .. n - 1 */
uint32_t           world_random(uint32_t n);
static inline bool world_chance(uint32_t one_in) { return world_random(one_in) == 0; }

/* Folds into the trace. */
void world_note(uint64_t what);
void world_note_bytes(const void *bytes, size_t len);

/* A rule of the world was broken by the server: remembered, the first one counts. */
__attribute__((format(printf, 1, 2))) void world_wrong(const char *format, ...);
const char                                *world_what_is_wrong(void);
void                                       world_begin(uint64_t seed);

int64_t world_wall_ms(void);
/* How long an idle client waits in a lull. */
static inline int64_t world_lull_step_ns(void) { return world.lull_ns / 500; }

/* ---- threads (fiber.c) ---- */

/* Runs `run` on a stack of its own from the next turn on; its number. */
int  fiber_start(void (*run)(void *), void *argument);
bool fiber_is_done(int number);
bool fiber_here(void);   /* called from one? */
int  fiber_number(void); /* of the calling one, from 1; 0 = none */
/* The calling fiber yields: others may run. */
void fiber_yield(void);
/* Waits until *flag is zero (NULL: never) or until the time. */
void fiber_wait(const _Atomic uint32_t *flag, int64_t until_ns);
/* Somewhere a thread may be interrupted. */
void fiber_maybe_yield(uint32_t one_in);
/* The life is over: the calling fiber does not return. */
__attribute__((noreturn)) void fiber_end_life(enum world_end how, int code);
/* One turn: a fiber that can run runs until it yields. False: none can before *wake_ns. */
bool fiber_turn(int64_t *wake_ns);
/* Forgets all of them. */
void fiber_clear(void);

/* Memory of a life: the server's allocations end with it. */
void outside_clear(void);
/* Memory that outlives lives; free releases it. */
void *world_keep(size_t bytes);

#endif
