/* SPDX-License-Identifier: MIT */
/* unwritten.c — decides by an uninitialized byte: memcheck must notice it. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    volatile char *bytes = malloc(64);
    int            odd;

    (void)argv;
    if (bytes == NULL) return 2;
    bytes[argc] = 1;
    odd = bytes[argc + 7] & 1;
    if (odd != 0) bytes[0] = 2;
    free((void *)bytes);
    return 0;
}
