/* SPDX-License-Identifier: MIT */
/*
 * library.h — a library that is loaded when it is first needed, and not with the program. A program that is linked
 * statically (-DDOJIMA_STATIC, tools/package static) has such libraries in it: then opening one finds nothing to load,
 * and its functions are named and not looked up.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef DOJIMA_STATIC

/* Something that is not NULL and is never used as a library. */
static inline void *library_open(const char *file) { return (void *)(uintptr_t)file; }
static inline void  library_close(void *library) { (void)library; }

#define LIBRARY_TAKE(LIBRARY, FUNCTION, INTO) ((INTO) = FUNCTION, (LIBRARY) != NULL)

#else

/* NULL: the machine does not have it. */
static inline void *library_open(const char *file) { return dlopen(file, RTLD_NOW | RTLD_LOCAL); }
static inline void  library_close(void *library) { (void)dlclose(library); }

/* A function by its name into a pointer of its type; false when the library has none of this name. */
static inline bool library_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

#define LIBRARY_TAKE(LIBRARY, FUNCTION, INTO) library_find(LIBRARY, #FUNCTION, &(INTO))

#endif

#endif
