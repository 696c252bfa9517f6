/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versions.h - the compile-time switches of the version pairs.
 *
 * VERSION 1 is the base version, VERSION 2 the evolved one; both are correct. SEED_1, SEED_2, ...
 * each switch one regression on in VERSION 2, SEED_ALL all of them. HARMLESS changes only what
 * no test can notice: names of locals, the order of functions, comments.
 */
#ifndef SIMRT_VERSIONS_H
#define SIMRT_VERSIONS_H

#ifndef VERSION
#define VERSION 1
#endif

#ifdef SEED_ALL
#define SEED_1 1
#define SEED_2 1
#define SEED_3 1
#define SEED_4 1
#define SEED_5 1
#define SEED_6 1
#define SEED_7 1
#define SEED_8 1
#define SEED_9 1
#endif

#if VERSION < 2                                                                                    \
    && (defined SEED_1 || defined SEED_2 || defined SEED_3 || defined SEED_4 || defined SEED_5     \
        || defined SEED_6 || defined SEED_7 || defined SEED_8 || defined SEED_9)
#error "seeded regressions need -DVERSION=2"
#endif

#endif
