/* The begin of the program of random calls: numbers, handles, texts, and places of results. */
#include <inttypes.h>
#include <portico.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES_KEPT 24
#define CALLS 20000u
#define CALLS_OF_A_FABRIC 2000u

/* Calls that were made. */
static unsigned calls;

/* The seed, until the first number is drawn: an argument of the program names another. */
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t below(uint32_t limit) { return random32() % limit; }

/* A number that is often one of a word of memory, and seldom any. */
static uint32_t number(void)
{
    switch (below(8)) {
    case 0: return 0;
    case 1: return below(8);
    case 6: return below(70000);
    case 7: return random32();
    default: return 4 * below(128);
    }
}

static uint32_t small(void) { return below(8) == 0 ? number() : 1u << below(7); }

static uint64_t wide(void) { return below(4) == 0 ? (uint64_t)random32() << 32 | random32() : number(); }

/* Results, which nobody reads. */
static uint64_t results[1024];

/* Handles of a type: those that were made last, of all fabrics, some of them stale. */
#define HANDLES(name)                                                                              \
    static portico_##name *kept_##name[HANDLES_KEPT], *made_##name;                                \
    static void keep_##name(portico_##name *handle) { kept_##name[below(2) ? below(4) : below(HANDLES_KEPT)] = handle; } \
    static portico_##name *any_##name(void)                                                        \
    {                                                                                              \
        uint32_t place = below(8) == 0 ? below(HANDLES_KEPT + 1) : below(4);                                                  \
        (void)keep_##name;                                                                         \
        (void)made_##name;                                                                         \
        for (int tries = 0; tries < 8 && place < HANDLES_KEPT && !kept_##name[place]; tries++)     \
            place = below(HANDLES_KEPT);                                                           \
        return place < HANDLES_KEPT ? kept_##name[place] : (portico_##name *)results;              \
    }

