/* SPDX-License-Identifier: MIT */
/* process.h — what this process takes of the machine. */
#ifndef IO_PROCESS_H
#define IO_PROCESS_H

#include "base/base.h"

struct process_figures {
    uint64_t resident; /* bytes of memory that are there, not only promised */
    uint64_t handles;  /* file numbers in use */
    uint64_t cpu_ns;   /* of all threads, since the start */
};

/* Reads /proc; what cannot be read stays 0. Where the kernel does
   not count file numbers it takes some microseconds each. */
struct process_figures process_look(void);

/* How many file numbers it may have. */
uint64_t process_handles_max(void);

/* On how many cores it may run; at least 1. */
uint32_t process_cores(void);

/* Bytes of memory that it may have: the machine's, or fewer where a control group says so. 0 = not known. */
uint64_t process_memory_max(void);

#endif
