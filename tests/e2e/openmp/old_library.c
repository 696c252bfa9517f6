/* SPDX-License-Identifier: Apache-2.0 */
/* What clang 19 calls and the OpenMP library of LLVM 14 lacks. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void __kmpc_omp_wait_deps(void *, int32_t, int32_t, void *, int32_t, void *);
void __kmpc_dispatch_deinit(void *, int32_t);
void __kmpc_omp_taskwait_deps_51(void *, int32_t, int32_t, void *, int32_t, void *, int32_t);

void
__kmpc_dispatch_deinit(void *loc, int32_t gtid)
{
    (void)loc, (void)gtid;
}

void
__kmpc_omp_taskwait_deps_51(void *loc, int32_t gtid, int32_t n, void *deps, int32_t n_no, void *no,
                            int32_t no_wait)
{
    if (!no_wait)
        __kmpc_omp_wait_deps(loc, gtid, n, deps, n_no, no);
}

#ifdef __cplusplus
}
#endif
