/* SPDX-License-Identifier: MIT */
/* conform_reads.h — requests out of the contract. */
#ifndef APP_CLIENT_CONFORM_READS_H
#define APP_CLIENT_CONFORM_READS_H

#include "app/client/conform_ask.h"

/* The valid reads of every path of the contract. */
void conform_reads(struct conform *conform);

/* Writes a path with its parameters: those that are required, or all; parameter `wrong` gets the value `value` (NULL:
 * it is left out). False: the path has a parameter without an example. *plain: only parameters whose example any
 * exchange has. */
bool conform_path(const struct conform *conform, const char *path, const json_t *operation, bool all, const char *wrong,
                  const char *value, char text[CONFORM_URL], bool *plain);

#endif
