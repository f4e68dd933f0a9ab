/* SPDX-License-Identifier: MIT */
/* shape_write.h — one member in its canonical form. Only wire/ includes it; the interface is shape.h. */
#ifndef WIRE_SHAPE_WRITE_H
#define WIRE_SHAPE_WRITE_H

#include "wire/shape.h"

/* The member's canonical JSON; `from` is the struct it belongs to. */
void member_write(struct out *out, const struct field *field, const void *from, bool request);

#endif
