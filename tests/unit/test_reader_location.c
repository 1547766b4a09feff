/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format */
/* Locations are found by id, in constant time and in the order of first mention. */
#include <criterion/criterion.h>

#include "reader/location_state.h"

/* Ids as the agent makes them, and neighbours. */
static OTF2_LocationRef id_of(uint64_t i)
{
    return i % 2 ? i / 2 << 32 | 1 : i;
}

Test(reader_location, is_found_by_its_id)
{
    enum { N = 20000 };
    struct otf2_locations l = {0};
    cr_expect_null(otf2_locations_find(&l, 0));
    for (uint64_t i = 0; i < N; i++) {
        cr_assert_null(otf2_locations_find(&l, id_of(i)));
        struct otf2_location *location = otf2_locations_intern(&l, id_of(i));
        cr_assert_not_null(location);
        cr_assert_eq(location->id, id_of(i));
        cr_assert_eq(otf2_locations_intern(&l, id_of(i)), location);
        cr_assert_eq(l.n, i + 1);
    }
    for (uint64_t i = 0; i < N; i++) {
        cr_assert_eq(l.all[i]->id, id_of(i), "in the order of first mention");
        cr_assert_eq(otf2_locations_find(&l, id_of(i)), l.all[i]);
    }
    cr_expect_null(otf2_locations_find(&l, OTF2_UNDEFINED_LOCATION));
    otf2_locations_fini(&l);
    cr_expect_eq(l.n, 0);
}

/* Every power of two as a stride leaves no bucket with more than a few of them. */
Test(reader_location, buckets_stay_short)
{
    for (unsigned shift = 0; shift < 50; shift++) {
        struct otf2_locations l = {0};
        unsigned longest = 0;
        for (uint64_t i = 0; i < 4096; i++)
            cr_assert_not_null(otf2_locations_intern(&l, i << shift));
        for (uint64_t b = 0; b < l.n_buckets; b++) {
            unsigned length = 0;
            for (struct otf2_location *at = l.buckets[b]; at; at = at->next)
                length++;
            longest = length > longest ? length : longest;
        }
        cr_expect_leq(longest, 12, "stride 2^%u: %u", shift, longest);
        otf2_locations_fini(&l);
    }
}

Test(reader_location, keeps_maps_and_clock)
{
    struct otf2_locations l = {0};
    struct otf2_location *location = otf2_locations_intern(&l, 7);
    location->maps[OTF2_MAPPING_REGION] = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 1);
    for (uint64_t i = 0; i < 100; i++)
        cr_assert(otf2_clock_points_add(&location->clock, 10 * i, -(int64_t)i));
    cr_assert_eq(location->clock.n, 100);
    for (uint64_t i = 0; i < 100; i++) {
        cr_assert_eq(location->clock.points[i].time, 10 * i);
        cr_assert_eq(location->clock.points[i].offset, -(int64_t)i);
    }
    otf2_locations_fini(&l); /* a leak is the sanitizer's to find */
}
