/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: abort
 * BURL-KIND: crash.abort
 * BURL-WHY: an exception that nobody catches ends in abort().
 */
#include <stdexcept>

int
main()
{
    throw std::runtime_error("nobody listens");
}
