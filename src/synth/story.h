/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/story.h - what a synthesized test is for, as text for the comment at its head.
 */
#ifndef BURL_SYNTH_STORY_H
#define BURL_SYNTH_STORY_H

#include "base/buf.h"
#include "base/sites.h"
#include "synth/synth.h"

/*
 * Which calls collide on what, their accesses and locks, why the objects of the test are shared as
 * they are. `goal`: the one that the run to be explained reached, NULL unknown; the pair that
 * predicted it is told, else the first pair of the test.
 */
void burl_synth_story(const struct burl_synth *s, const struct burl_sites *sites, size_t test,
                      const struct burl_wire_goal *goal, struct burl_buf *out);

#endif
