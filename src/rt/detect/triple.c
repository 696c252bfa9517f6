/* SPDX-License-Identifier: Apache-2.0 */
#include "observe.h"

const struct burl_observer burl_observer_triple = { .name = "triple" };
