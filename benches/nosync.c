/* SPDX-License-Identifier: MIT */
/* nosync.c — loaded before the C library: fdatasync does nothing. Only for measuring its cost. */
int fdatasync(int file);

int fdatasync(int file)
{
    (void)file;
    return 0;
}
