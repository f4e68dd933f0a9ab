/* SPDX-License-Identifier: MIT */
/* child.h — starts this program once more as a process that ends with this one. */
#ifndef IO_CHILD_H
#define IO_CHILD_H

#include "base/base.h"

/* A pipe, both ends closed on exec: bytes written to ends[1] are read from ends[0]. 0 or errno. */
int child_pipe(int ends[2]) MUST_USE;

/*
 * Starts the program that runs now with other arguments (argv ends with NULL, argv[0] is the program's name). Its
 * standard output is `out`, or this process's where that is -1; its signals are not blocked. No memory is copied, so
 * it costs a large process no more than a small one. 0 or errno.
 */
int child_start(char *const argv[], int out, int *pid) MUST_USE;

/* How it ended: 0 it has not, else 1 with *code (its exit code, or minus the signal that ended it). Never waits. */
int child_ended(int pid, int *code);

/* Asks a child that has not ended to end, and makes it when two seconds are over. */
void child_finish(int pid);

/* Ends a child at once, as a power failure would, and waits until it is gone. */
void child_kill(int pid);

/*
 * Runs a function in a process of its own, a copy of this one, which may crash without a message and continues when
 * the whole group is interrupted. Returns the function's result; false when it crashed or could not be started.
 */
bool child_try(bool (*run)(const void *context), const void *context) MUST_USE;

/*
 * In the child: it ends when the process that started it ends (false: that has already happened), the kernel kills it
 * first when memory is short, and all other processes have priority for processor and disk.
 */
bool child_of(uint64_t parent);
void child_stand_back(void);

/*
 * Starts a copy of this process, which has one thread, that runs `run` and ends with its result. Both have one end of a
 * stream of bytes, *handle here; when one side ends, the other reads the end. The copy's standard input and output are
 * /dev/null, so that it keeps none of this process's open. 0 or errno.
 */
int child_copy(int (*run)(int handle), int *handle, int *pid) MUST_USE;
/* Ends this side of the stream for writing: the other one reads the end. */
void child_hang_up(int handle);

/* Reads what is there, at most `cap` bytes; waits up to timeout_ms for it. How many; 0 nothing came, -1 the end. */
long child_take(int handle, void *bytes, size_t cap, int timeout_ms);

/* Reads exactly `len` bytes; waits up to timeout_ms for the first.
   1 read, 0 nothing came, -1 the other end is closed. */
int child_read(int handle, void *bytes, size_t len, int timeout_ms);
/* Writes all of it, or false. */
bool child_write(int handle, const void *bytes, size_t len);

/* The number of this process. */
uint64_t child_self(void);

#endif
