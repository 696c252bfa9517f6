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

#endif
