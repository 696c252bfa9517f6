/* SPDX-License-Identifier: Apache-2.0 */
/*
 * large.h - which version of a large object (logger, crawler, server) is built.
 *
 * -DVERSION=1 is the base, -DVERSION=2 the evolved version. -DSEED_n adds a regression to
 * version 2, -DSEED_ALL all of them; seeds.txt lists them. -DHARMLESS changes the text of version 1
 * (names of locals, order of functions, comments) and not its meaning.
 */
#ifndef SIMRT_LARGE_H
#define SIMRT_LARGE_H

#ifndef VERSION
#define VERSION 1
#endif

#ifdef SEED_ALL
#define SEED_1
#define SEED_2
#define SEED_3
#define SEED_4
#define SEED_5
#define SEED_6
#define SEED_7
#define SEED_8
#define SEED_9
#define SEED_10
#endif

#endif
