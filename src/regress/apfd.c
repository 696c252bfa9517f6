/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/apfd.c - the average percentage of faults detected (PAPERS 4.8); contract in
 * techniques.h. Runs in the host.
 */
#include "regress/techniques.h"

bool
burl_regress_apfd(const uint32_t *positions, size_t m, size_t n, double *out)
{
    double sum = 0;

    *out = 0;
    if (m == 0)
        return false;
    if (n == 0)
        return true;
    for (size_t i = 0; i < m; i++)
        sum += positions[i] > 0 && positions[i] <= n ? (double)positions[i] : (double)n + 1;
    *out = 1 - sum / ((double)n * (double)m) + 1 / (2 * (double)n);
    if (*out < 0)
        *out = 0;
    return true;
}
