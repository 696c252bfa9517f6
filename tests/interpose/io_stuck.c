/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: read
 * BURL-KIND: deadlock.stuck
 * BURL-WHY: a read from a pipe whose only writer is the reader itself never ends, and that is
 *   known without waiting for the world outside.
 */
#include <unistd.h>

int
main(void)
{
    int fds[2];
    char c;

    if (pipe(fds) != 0)
        return 1;
    return read(fds[0], &c, 1) == 1;
}
