/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h — shared by the fuzzers. A fuzzer is one function over bytes; libFuzzer calls it with generated inputs,
 * replay.c with the files of its corpus. It asserts its claims: a claim that fails ends the process.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "base/slice.h"

#include <stdlib.h>

#ifdef __has_feature /* clang */
#if __has_feature(address_sanitizer)
#define FUZZ_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__) /* gcc */
#define FUZZ_ASAN
#endif
#ifdef FUZZ_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, len)   ((void)(at), (void)(len))
#define ASAN_UNPOISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#endif

/*
 * The results of the inputs, in any order: a digest that a fuzzer adds to, if it makes a history of each, and replay.c
 * prints.
 */
__attribute__((weak)) uint64_t fuzz_said;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes of the input that are choices; at its end all choices are 0. */
struct choices {
    const uint8_t *at;
    size_t         len;
};

static inline uint64_t choose(struct choices *choices, size_t bytes)
{
    uint64_t value = 0;

    for (; bytes > 0 && choices->len > 0; bytes--, choices->at++, choices->len--) value = value << 8 | *choices->at;
    return value;
}

/* 0 .. n - 1, n at most 256. */
static inline uint32_t choose_of(struct choices *choices, uint32_t n) { return (uint32_t)choose(choices, 1) % n; }

/* A copy that ends where its allocation ends, so that a sanitizer detects reads beyond it; the caller frees it. */
static inline struct slice exact_copy(const void *at, size_t len)
{
    char *copy = malloc(len != 0 ? len : 1);

    assert(copy != NULL);
    if (len != 0) memcpy(copy, at, len);
    if (len == 0) ASAN_POISON_MEMORY_REGION(copy, 1);
    return slice_make(copy, len);
}

static inline void free_copy(struct slice copy)
{
    if (copy.len == 0) ASAN_UNPOISON_MEMORY_REGION(copy.at, 1);
    free((void *)(uintptr_t)copy.at);
}

#endif
