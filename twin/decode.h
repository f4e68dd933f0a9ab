/* SPDX-License-Identifier: MIT */
/*
 * decode.h — the events of a command out of their encoded form (model/encoded.h), the command and the events before:
 * what is hashed into a block says as much as all events do.
 */
#ifndef TWIN_DECODE_H
#define TWIN_DECODE_H

#include "model/encoded.h"
#include "model/genesis.h"

struct decoder;

/* Before the first command; the genesis is copied. */
struct decoder *decoder_create(const struct genesis *genesis);
void            decoder_free(struct decoder *decoder);

/* Events that are known as they are: those of the genesis. */
void decoder_told(struct decoder *decoder, const struct events *events);

/*
 * The events of the next command, written into `into`, which has room for them. NULL, or what contradicts the form,
 * valid until the next call.
 */
const char *decode_command(struct decoder *decoder, const struct command *command, const uint8_t *at, size_t bytes,
                           struct events *into);

#endif
