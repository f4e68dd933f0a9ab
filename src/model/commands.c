/* SPDX-License-Identifier: MIT */
#include "model/commands.h"

const char *command_name(uint16_t kind)
{
    switch (kind) {
#define X(number, NAME, name, payload) case number: return name;
    COMMANDS(X)
#undef X
    default: return NULL;
    }
}
