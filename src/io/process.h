/* SPDX-License-Identifier: MIT */
/* process.h — what this process takes of the machine, and what it, or another one, may take. */
#ifndef IO_PROCESS_H
#define IO_PROCESS_H

#include "base/base.h"

struct process_figures {
    uint64_t resident; /* bytes of memory that are there, not only promised */
    uint64_t handles;  /* file numbers in use */
    uint64_t cpu_ns;   /* of all threads, since the start */
};

/*
 * Reads /proc; an unreadable value stays 0. Where the kernel does not count file descriptors, each costs some
 * microseconds.
 */
struct process_figures process_look(void);

/* How many file numbers it may have. */
uint64_t process_handles_max(void);

/* Bytes of a page of memory. */
size_t process_page_bytes(void);

/* On how many cores a process may run; at least 1. pid 0: this process. */
uint32_t process_cores(uint32_t pid);

/* The path of the program that runs, as a text; false when the system does not tell. */
bool process_program(char *path, size_t cap) MUST_USE;

/*
 * Memory limit of a process in bytes: the machine's memory, or less where a control group limits it. 0 = unknown.
 * pid 0: this process.
 */
uint64_t process_memory_max(uint32_t pid);

/* Bytes of address space that it may reserve (ulimit -v), of which it uses little; UINT64_MAX: as many as it likes. */
uint64_t process_space_max(void);

#endif
