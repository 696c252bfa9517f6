/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/engine.h - what other modules use of the engine.
 *
 * target.h     one process of the tested program: start, order, wait
 * campaign.h   many of them: explore, confirm, minimize, report through hooks
 * minimize.h   the fewest preemptions that still show a failure
 * schedfile.h  a schedule as text
 *
 * The engine runs beside the tested program, prints nothing and writes no file:
 * commands give it hooks.
 */
#ifndef BURL_ENGINE_ENGINE_H
#define BURL_ENGINE_ENGINE_H

#include "engine/confirm/minimize.h"
#include "engine/plan/campaign.h"
#include "engine/target/target.h"
#include "finding/fingerprint.h"

/* The virtual wall clock at the start of every execution: fixed, so that a program that prints
 * or hashes the time does the same each run. 14 November 2023, 22:13:20 UTC. */
#define BURL_ENGINE_EPOCH_NS 1700000000000000000ull

/* "snapshot", "fork". */
const char *burl_engine_reset_name(uint32_t reset);
/* The sentence of a counter (wire/control.h). */
const char *burl_engine_counter_text(uint32_t counter);
/* Its name there: "UNCONTROLLED_SYNC". */
const char *burl_engine_counter_name(uint32_t counter);

#endif
