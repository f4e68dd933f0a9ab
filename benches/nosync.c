/* SPDX-License-Identifier: MIT */
/* nosync.c — loaded before the C library: fdatasync does nothing. For measuring what it costs, and for nothing else. */
int fdatasync(int file);

int fdatasync(int file)
{
    (void)file;
    return 0;
}
