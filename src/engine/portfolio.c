/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/portfolio.c - which strategy gets how much of the next round.
 */
#include "engine/engine_int.h"
