/* SPDX-License-Identifier: MIT */
/* request.h — a text message of a client, and its acknowledgements (wire 6.1, 6.2). For the files of this room only. */
#ifndef STREAM_REQUEST_H
#define STREAM_REQUEST_H

#include "base/slice.h"

struct stream;
void request_handle(struct stream *stream, uint32_t slot, struct slice text);

#endif
