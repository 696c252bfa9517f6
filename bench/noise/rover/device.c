/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - what the rover can do.
 *
 * A device takes a command, is busy for a while, sets its values, and sets "NAME.done" to the
 * number of the node. The power unit charges the battery by what others have used.
 */
#include "rover.h"

static const struct {
    const char *name;
    unsigned least_us, most_us; /* that a command takes */
} devices[DEVICES] = {
    [DRIVE] = { "drive", 150, 500 }, [CAMERA] = { "camera", 100, 300 }, [ARM] = { "arm", 200, 600 },
    [RADIO] = { "radio", 150, 400 }, [POWER] = { "power", 100, 250 },
};

const char *
device_name(enum device_kind k)
{
    return devices[k].name;
}

static struct command
next_command(struct device *dev)
{
    struct command c;

    pthread_mutex_lock(&dev->lock);
    while (dev->n == 0)
        pthread_cond_wait(&dev->changed, &dev->lock);
    c = dev->queue[dev->first];
    dev->first = (dev->first + 1) % COMMANDS_MAX;
    dev->n--;
    pthread_mutex_unlock(&dev->lock);
    return c;
}

/* The values of an action. */
static void
act(struct device *dev, int argument)
{
    struct database *d = &dev->rover->database;

    switch (dev->kind) {
    case DRIVE:
        database_add(d, "position", argument);
        break;
    case CAMERA:
        database_add(d, "images", argument);
        database_add(d, "memory", 8 * argument);
        break;
    case ARM:
        database_add(d, "samples", argument);
        break;
    case RADIO:
        database_add(d, "memory", -argument);
        database_add(d, "sent", argument);
        break;
    case POWER:
        database_add(d, "battery", argument);
        break;
    }
}

static void *
serve(void *device)
{
    struct device *dev = device;
    struct command c;

    while ((c = next_command(dev)).node != 0) {
        char done[NAME_LENGTH];

        pause_us(random_in(&dev->random, devices[dev->kind].least_us, devices[dev->kind].most_us));
        act(dev, c.argument);
        dev->n_done++;
        snprintf(done, sizeof done, "%s.done", device_name(dev->kind));
        if (dev->kind != POWER)
            database_set(&dev->rover->database, done, (int)c.node);
    }
    return NULL;
}

void
device_start(struct device *dev, struct rover *r, enum device_kind k)
{
    memset(dev, 0, sizeof *dev);
    dev->kind = k;
    dev->rover = r;
    dev->random = k + 1;
    pthread_mutex_init(&dev->lock, NULL);
    pthread_cond_init(&dev->changed, NULL);
    start_thread(&dev->thread, serve, dev);
}

void
device_order(struct device *dev, struct command c)
{
    pthread_mutex_lock(&dev->lock);
    must(dev->n < COMMANDS_MAX, "a place for a command");
    dev->queue[(dev->first + dev->n++) % COMMANDS_MAX] = c;
    pthread_cond_signal(&dev->changed);
    pthread_mutex_unlock(&dev->lock);
}

void
device_stop(struct device *dev)
{
    device_order(dev, (struct command){ .node = 0 });
    pthread_join(dev->thread, NULL);
    pthread_cond_destroy(&dev->changed);
    pthread_mutex_destroy(&dev->lock);
}
