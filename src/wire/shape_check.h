/* SPDX-License-Identifier: MIT */
/* shape_check.h — the rules of a shape. Only wire/ includes it; the interface is shape.h. */
#ifndef WIRE_SHAPE_CHECK_H
#define WIRE_SHAPE_CHECK_H

#include "wire/shape.h"

/* Runs the shape's check and those of its items; names the first that fails. */
enum reject shape_check(const struct shape *shape, const void *from, struct shape_error *error) MUST_USE;

#endif
