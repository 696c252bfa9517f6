/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/engine_int.h - a campaign: the parts that its rooms own. Each part has a header of its own
 * and can be built without the others. Nothing outside src/engine includes it.
 */
#ifndef BURL_ENGINE_INT_H
#define BURL_ENGINE_INT_H

#include "engine/confirm/findings.h"
#include "engine/engine.h"
#include "engine/goal/goal.h"
#include "engine/plan/covered.h"
#include "engine/plan/learned.h"
#include "engine/plan/plan.h"
#include "engine/proof/proof.h"
#include "engine/target/batch.h"
#include "engine/pool/pool.h"

struct burl_campaign {
    const struct burl_campaign_config *cfg;
    const struct burl_campaign_hooks *hooks;
    struct burl_campaign_stats *stats;
    struct burl_plan plan;         /* what is done next, and within which budget */
    struct burl_learned learned;   /* what executions have shown of the program */
    struct burl_goals goals;       /* what directed executions try to reach */
    struct burl_findings findings; /* failures, from the first occurrence to the finding */
    struct burl_pool pool;         /* the processes */
    struct burl_proof proof;       /* the search of all schedules */
    struct burl_covered *covered;  /* coverage items; NULL: no metric is measured */
};

#endif
