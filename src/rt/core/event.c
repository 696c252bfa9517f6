/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/event.c - what listens to the program; contract in event.h.
 */
#include "event.h"

uint32_t burl_ob_mask;
uint32_t burl_ob_wants;
uint32_t burl_ob_keeps;
