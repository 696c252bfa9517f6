/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a drive with stops, and a branch that sends the images.
 *
 *     rover [STOPS]     7
 *
 * At every stop the rover drives, and takes an image or a sample. The branch sends each image
 * when it is there. At the end the values must be those that the plan asks for.
 */
#include "rover.h"

#define CAPACITY 20
#define STOPS_MAX 20

static void
make_plan(struct plan *p, unsigned stops)
{
    char text[96];

    p->n = 0;
    for (unsigned i = 1; i <= stops; i++) {
        unsigned number = 10 * i;

        snprintf(text, sizeof text, "drive 3 when battery>=12 until drive.done==%u", number);
        must(plan_add(p, number, text), "plan_add");
        number++;
        if (i % 2 == 1)
            snprintf(text, sizeof text,
                     "camera 1 when position>=%u memory<=16 until camera.done==%u", 3 * i, number);
        else
            snprintf(text, sizeof text, "arm 1 when position==%u battery>5 until arm.done==%u",
                     3 * i, number);
        must(plan_add(p, number, text), "plan_add");
    }
}

static void
make_branch(struct plan *p, unsigned images)
{
    char text[96];

    p->n = 0;
    for (unsigned i = 1; i <= images; i++) {
        snprintf(text, sizeof text, "radio 8 when images>=%u battery>=8 until sent>=%u", i, 8 * i);
        must(plan_add(p, 1000 + i, text), "plan_add");
    }
}

static unsigned
expect(struct database *d, const char *name, int wanted)
{
    int value = database_get(d, name);

    if (value == wanted)
        return 0;
    printf("%s is %d, not %d\n", name, value, wanted);
    return 1;
}

/* The number of mistakes. */
static unsigned
check(struct rover *r, unsigned stops)
{
    unsigned wrong = 0;
    int images = (int)(stops + 1) / 2;

    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < r->executives[i].plan->n; k++)
            if (!r->executives[i].plan->nodes[k].done) {
                printf("node %u was not done\n", r->executives[i].plan->nodes[k].number);
                wrong++;
            }
    wrong += expect(&r->database, "position", 3 * (int)stops);
    wrong += expect(&r->database, "images", images);
    wrong += expect(&r->database, "samples", (int)stops - images);
    wrong += expect(&r->database, "sent", 8 * images);
    wrong += expect(&r->database, "memory", 0);
    wrong += expect(&r->database, "battery", CAPACITY);
    return wrong;
}

int
main(int argc, char **argv)
{
    static struct rover rover;
    unsigned stops = argument(argc, argv, 1, 7, STOPS_MAX);
    unsigned wrong;

    watches_init(&rover.watches);
    database_init(&rover.database, &rover.watches);
    database_set(&rover.database, "battery", CAPACITY);
    make_plan(&rover.plan, stops);
    make_branch(&rover.branch, (stops + 1) / 2);
    for (unsigned k = 0; k < DEVICES; k++)
        device_start(&rover.devices[k], &rover, (enum device_kind)k);
    executive_start(&rover.executives[0], &rover, &rover.plan);
    executive_start(&rover.executives[1], &rover, &rover.branch);
    executive_join(&rover.executives[0]);
    executive_join(&rover.executives[1]);
    for (unsigned k = 0; k < DEVICES; k++)
        device_stop(&rover.devices[k]);
    wrong = check(&rover, stops);
    database_deinit(&rover.database);
    watches_deinit(&rover.watches);
    return wrong != 0;
}
