/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: raise
 * BURL-KIND: crash.signal
 * BURL-WHY: the default action of a signal that the program sends to itself ends the execution
 *   as a crash, and not the runtime.
 */
#include <signal.h>

int
main(void)
{
    raise(SIGTERM);
    return 0;
}
