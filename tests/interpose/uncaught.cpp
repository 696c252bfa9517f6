/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: abort
 * BURL-KIND: crash.abort
 * BURL-WHY: an exception that is not caught ends in abort().
 */
#include <stdexcept>

int
main()
{
    throw std::runtime_error("nothing catches this");
}
