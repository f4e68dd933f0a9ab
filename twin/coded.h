/* SPDX-License-Identifier: MIT */
/* coded.h — the events of every command in their encoded form (rules/encode.h), and out of it again (decode.h). */
#ifndef TWIN_CODED_H
#define TWIN_CODED_H

#include "decode.h"
#include "rules/encode.h"

struct coded {
    struct encoder  encoder;
    struct decoder *decoder;
    struct events   again; /* decoded */
    uint8_t        *at;    /* encoded */
    size_t          bytes; /* of the last command */
    char            wrong[160];
};

/* Before the first command; `told`: the events of the genesis, `room`: most bytes of a command's events. */
void coded_open(struct coded *coded, const struct genesis *genesis, const struct events *told, size_t room);
void coded_close(struct coded *coded);

/*
 * The encoded events of the next command give all of its events again, byte by byte (the origin must be 0). NULL, or
 * the difference, valid until the next call.
 */
const char *coded_compare(struct coded *coded, const struct command *command, const struct events *told);

#endif
