/* SPDX-License-Identifier: MIT */
/* openapi_shapes.h — the schemas of /openapi.json, made of the rows of shapes; a body's schema ends with `Body`. */
#ifndef API_REST_OPENAPI_SHAPES_H
#define API_REST_OPENAPI_SHAPES_H

#include "api/inside.h"

/* {"$ref": …} to the schema of the shape that has this name, as an element or a value. */
void openapi_reference(struct out *out, const char *name, bool request);

/* The members that say what kind of value a field has. */
void openapi_kind(struct out *out, const struct field *field, bool request);

/* The same of a string that a regular expression describes. */
void openapi_pattern(struct out *out, const char *expression);

/* The schemas of all bodies and records of these endpoints, each once, as members. */
void openapi_shapes(struct out *out, const struct routes *routes);

#endif
