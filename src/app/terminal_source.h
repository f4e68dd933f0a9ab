/* SPDX-License-Identifier: MIT */
/*
 * terminal_source.h — where the terminal's files come from: out of the program, when it was built with
 * -DDOJIMA_TERMINAL=DIR, else from a folder. A folder that is not there yet, or that is replaced, is noticed within
 * two seconds; only the threads that call these functions open files.
 */
#ifndef APP_TERMINAL_SOURCE_H
#define APP_TERMINAL_SOURCE_H

#include "api/terminal.h"
#include "io/folder.h"

struct terminal_source {
    struct terminal       terminal; /* what requests read */
    bool                  is_fixed; /* the files are in the program */
    char                  places[2][1024];
    uint32_t              place_count;
    struct folder_mark    seen; /* index.html of the folder that was read last, also when it was of no use */
    struct terminal_load *load; /* its files */
    int64_t               looked_ns;
};

/*
 * `folder`: where the files are; NULL or empty: in the program, or else in the folder `terminal` beside the program or
 * in ../share/dojima/terminal from there. Reads what is there.
 */
void terminal_source_open(struct terminal_source *source, const char *folder);
/* Looks again, at most once a second. */
void terminal_source_look(struct terminal_source *source);
/* No thread reads the terminal any more. */
void terminal_source_close(struct terminal_source *source);

/* Files in the program (written by tools/terminal_embed.cmake). */
struct terminal_embedded {
    const char *path, *from, *end;
};
extern const struct terminal_embedded terminal_embedded[];
extern const uint32_t                 terminal_embedded_count;

#endif
