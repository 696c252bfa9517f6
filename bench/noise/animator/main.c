/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - an animation of a few dozen frames with three control threads.
 *
 *     animator
 *
 * At the end the scene must have the shapes that the scripts leave there.
 */
#include "animator.h"

#define CONTROLS 3
#define FRAMES 12

static const char *const setup[] = {
    "add box house 4 12 5 #",  "add disk sun 50 4 2 o", "add line road 0 20 30 =",
    "add text hello 20 2 1 x", "add dot bird 30 6 1 v", NULL,
};

/* A car comes, drives and goes. */
static const char *const traffic[] = {
    "wait 300..900",
    "add box car 0 17 2 C",
    "move car 3 0 6",
    "wait 1200..2200",
    "remove car",
    "wait 300..900",
    "add disk wheel 60 19 1 w",
    "move wheel -4 0 5",
    "wait 1000..2000",
    "remove wheel",
    NULL,
};

static const char *const sky[] = {
    "move sun -2 0 8",  "wait 400..1200",  "add disk cloud 10 3 2 c",
    "move cloud 2 0 6", "grow sun 1 2",    "wait 1100..2100",
    "remove cloud",     "move bird 1 1 4", NULL,
};

/* The person at the buttons. */
static const char *const buttons[] = {
    "speed 250", "wait 500..1000", "pause",  "wait 150..450", "resume", "wait 500..1000",
    "pause",     "wait 100..300",  "resume", "speed 200",     NULL,
};

static unsigned
check(struct scene *s, const struct control *controls)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < CONTROLS; i++) {
        wrong += controls[i].n_errors;
        if (controls[i].n_refused != 0) {
            printf("control %u: %u commands were refused\n", i, controls[i].n_refused);
            wrong++;
        }
    }
    if (s->n != 5 || s->n_added != 8 || s->n_removed != 3) {
        printf("%u shapes, %u added, %u removed\n", s->n, s->n_added, s->n_removed);
        wrong++;
    }
    return wrong;
}

int
main(void)
{
    static const char *const *const scripts[CONTROLS] = { traffic, sky, buttons };
    static struct scene scene;
    static struct transitions transitions;
    static struct player player;
    struct control controls[CONTROLS];
    struct control first = {
        .player = &player, .scene = &scene, .transitions = &transitions, .lines = setup
    };
    unsigned wrong;

    scene_init(&scene);
    transitions_init(&transitions);
    script_run(&first);
    player_start(&player, &scene, &transitions, 300);
    for (unsigned i = 0; i < CONTROLS; i++) {
        controls[i] = first;
        controls[i].lines = scripts[i];
        controls[i].n_commands = 0;
        controls[i].random = i + 1;
        start_thread(&controls[i].thread, script_run, &controls[i]);
    }
    for (unsigned i = 0; i < CONTROLS; i++)
        pthread_join(controls[i].thread, NULL);
    player_await(&player, FRAMES);
    player_stop(&player);
    wrong = check(&scene, controls);
    transitions_deinit(&transitions);
    scene_deinit(&scene);
    return wrong != 0;
}
