/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.c - a canvas of characters.
 */
#include "animator.h"

void
canvas_clear(struct canvas *c)
{
    memset(c->cells, ' ', sizeof c->cells);
    c->n_set = 0;
    c->n_clipped = 0;
}

void
canvas_dot(struct canvas *c, int x, int y, char ink)
{
    if (x < 0 || y < 0 || x >= CANVAS_WIDTH || y >= CANVAS_HEIGHT) {
        c->n_clipped++;
        return;
    }
    c->cells[y][x] = ink;
    c->n_set++;
}

/* Bresenham. */
void
canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, char ink)
{
    int dx = abs(x1 - x0), dy = -abs(y1 - y0);
    int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    int error = dx + dy;

    for (;;) {
        int twice = 2 * error;

        canvas_dot(c, x0, y0, ink);
        if (x0 == x1 && y0 == y1)
            return;
        if (twice >= dy) {
            error += dy;
            x0 += sx;
        }
        if (twice <= dx) {
            error += dx;
            y0 += sy;
        }
    }
}

void
canvas_box(struct canvas *c, int x, int y, int w, int h, char ink)
{
    canvas_line(c, x, y, x + w, y, ink);
    canvas_line(c, x + w, y, x + w, y + h, ink);
    canvas_line(c, x + w, y + h, x, y + h, ink);
    canvas_line(c, x, y + h, x, y, ink);
}

/* A cell is twice as high as it is wide. */
void
canvas_disk(struct canvas *c, int x, int y, int r, char ink)
{
    for (int j = -r; j <= r; j++)
        for (int i = -2 * r; i <= 2 * r; i++)
            if (i * i + 4 * j * j <= 4 * r * r)
                canvas_dot(c, x + i, y + j, ink);
}

void
canvas_text(struct canvas *c, int x, int y, const char *text)
{
    for (; *text != '\0'; text++)
        canvas_dot(c, x++, y, *text);
}

/* FNV-1a. */
uint32_t
canvas_sum(const struct canvas *c)
{
    uint32_t h = 2166136261u;

    for (unsigned y = 0; y < CANVAS_HEIGHT; y++)
        for (unsigned x = 0; x < CANVAS_WIDTH; x++)
            h = (h ^ (unsigned char)c->cells[y][x]) * 16777619u;
    return h;
}
