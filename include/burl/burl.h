/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl/burl.h - what a program can tell burl about itself. C and C++.
 *
 * Everything here is a statement that does nothing unless the file is compiled by `burl cc` (which
 * defines __BURL__) and the program runs under `burl test` or `burl run`; then it costs a function
 * call. Include it freely: no library is needed, and other compilers see empty statements.
 *
 *     BURL_BENIGN_RACE(addr, size, why)   races on these bytes do not matter
 *     BURL_HB_BEFORE(obj)                 what was done until here ...
 *     BURL_HB_AFTER(obj)                  ... is before what follows this, by means burl cannot see
 *     BURL_IGNORE_BEGIN() / _END()        accesses of this thread between the two are not looked at
 *     BURL_IGNORE_READS_BEGIN() / _END()  only its reads
 *     BURL_IGNORE_WRITES_BEGIN() / _END() only its writes
 *     BURL_ATOMIC_BEGIN(name) / _END()    what lies between is meant to be atomic for other threads
 *
 * With BURL_COMMON_NAMES defined before the header is included, the names that other race detectors
 * use for the same are defined as well: ANNOTATE_HAPPENS_BEFORE and the like, __tsan_acquire.
 *
 * Each has an example below. Regions may be nested; each BEGIN needs its END in the same thread.
 */
#ifndef BURL_BURL_H
#define BURL_BURL_H

#include <stddef.h>

#ifdef __BURL__

#ifdef __cplusplus
extern "C" {
#endif

void __burl_benign_race(const volatile void *addr, size_t size, const char *why);
void __burl_hb_before(const volatile void *obj);
void __burl_hb_after(const volatile void *obj);
void __burl_ignore(int reads, int writes);
void __burl_region_begin(const char *name);
void __burl_region_end(void);

#ifdef __cplusplus
}
#endif

#define BURL__DO(call) do { call; } while (0)

#else

#define BURL__DO(call) do { } while (0)

#endif

/*
 * A statistics counter that may lose an increment, which is harmless:
 *
 *     static long hits;
 *     BURL_BENIGN_RACE(&hits, sizeof hits, "statistics only");   // once, at the start
 *
 * C says that such a race is undefined behavior all the same; a relaxed atomic costs as little.
 */
#define BURL_BENIGN_RACE(addr, size, why) BURL__DO(__burl_benign_race(addr, size, why))

/*
 * Order that comes from something burl does not know: a device, another process, a lock in
 * assembly. Everything before BURL_HB_BEFORE(x) in one thread happens before everything after a
 * later BURL_HB_AFTER(x) in another; x is any address that both agree on:
 *
 *     fill(buffer);                          wait_for_interrupt(dev);
 *     BURL_HB_BEFORE(dev);                   BURL_HB_AFTER(dev);
 *     start_dma(dev, buffer);                use(buffer);
 */
#define BURL_HB_BEFORE(obj) BURL__DO(__burl_hb_before(obj))
#define BURL_HB_AFTER(obj) BURL__DO(__burl_hb_after(obj))

/*
 * A reader that checks afterwards whether what it read was consistent:
 *
 *     BURL_IGNORE_READS_BEGIN();
 *     copy = table->entry;                   // may be torn; version is compared below
 *     BURL_IGNORE_READS_END();
 */
#define BURL_IGNORE_BEGIN() BURL__DO(__burl_ignore(1, 1))
#define BURL_IGNORE_END() BURL__DO(__burl_ignore(-1, -1))
#define BURL_IGNORE_READS_BEGIN() BURL__DO(__burl_ignore(1, 0))
#define BURL_IGNORE_READS_END() BURL__DO(__burl_ignore(-1, 0))
#define BURL_IGNORE_WRITES_BEGIN() BURL__DO(__burl_ignore(0, 1))
#define BURL_IGNORE_WRITES_END() BURL__DO(__burl_ignore(0, -1))

/*
 * An intention that burl checks: no other thread may see or change things half-way in between, over
 * several variables too. `burl test` reports a run in which one did (atomicity.region):
 *
 *     BURL_ATOMIC_BEGIN("transfer");
 *     withdraw(from, sum);                   // each takes the lock by itself, which is not enough
 *     deposit(to, sum);
 *     BURL_ATOMIC_END();
 */
#define BURL_ATOMIC_BEGIN(name) BURL__DO(__burl_region_begin(name))
#define BURL_ATOMIC_END() BURL__DO(__burl_region_end())

/*
 * Names of ThreadSanitizer, Helgrind and DRD, for sources that are annotated already. A name that
 * is defined stays as it is.
 */
#ifdef BURL_COMMON_NAMES
#ifndef ANNOTATE_HAPPENS_BEFORE
#define ANNOTATE_HAPPENS_BEFORE(obj) BURL_HB_BEFORE(obj)
#endif
#ifndef ANNOTATE_HAPPENS_AFTER
#define ANNOTATE_HAPPENS_AFTER(obj) BURL_HB_AFTER(obj)
#endif
#ifndef ANNOTATE_BENIGN_RACE
#define ANNOTATE_BENIGN_RACE(pointer, why) BURL_BENIGN_RACE(pointer, sizeof *(pointer), why)
#endif
#ifndef ANNOTATE_BENIGN_RACE_SIZED
#define ANNOTATE_BENIGN_RACE_SIZED(addr, size, why) BURL_BENIGN_RACE(addr, size, why)
#endif
#ifndef ANNOTATE_IGNORE_READS_BEGIN
#define ANNOTATE_IGNORE_READS_BEGIN() BURL_IGNORE_READS_BEGIN()
#define ANNOTATE_IGNORE_READS_END() BURL_IGNORE_READS_END()
#endif
#ifndef ANNOTATE_IGNORE_WRITES_BEGIN
#define ANNOTATE_IGNORE_WRITES_BEGIN() BURL_IGNORE_WRITES_BEGIN()
#define ANNOTATE_IGNORE_WRITES_END() BURL_IGNORE_WRITES_END()
#endif
#ifndef __tsan_acquire
#define __tsan_acquire(obj) BURL_HB_AFTER(obj)
#define __tsan_release(obj) BURL_HB_BEFORE(obj)
#endif
#endif

#endif
