#include "graph/interval.h"

static const gali_interval everything = {-GALI_INTERVAL_LARGEST, GALI_INTERVAL_LARGEST};

static int64_t saturated(int64_t a) {
    return a > GALI_INTERVAL_LARGEST    ? GALI_INTERVAL_LARGEST
           : a < -GALI_INTERVAL_LARGEST ? -GALI_INTERVAL_LARGEST
                                        : a;
}

static int64_t product(int64_t a, int64_t b) {
    int64_t size = b < 0 ? -b : b;
    if (b != 0 && (a < 0 ? -a : a) > GALI_INTERVAL_LARGEST / size) {
        return (a < 0) == (b < 0) ? GALI_INTERVAL_LARGEST : -GALI_INTERVAL_LARGEST;
    }
    return a * b;
}

static gali_interval hull(const int64_t ends[4]) {
    gali_interval all = {ends[0], ends[0]};
    for (int i = 1; i < 4; i++) {
        all.least = ends[i] < all.least ? ends[i] : all.least;
        all.most = ends[i] > all.most ? ends[i] : all.most;
    }
    return all;
}

gali_interval gali_interval_number(int64_t number) {
    return (gali_interval){saturated(number), saturated(number)};
}

gali_interval gali_interval_add(gali_interval a, gali_interval b) {
    return (gali_interval){saturated(a.least + b.least), saturated(a.most + b.most)};
}

gali_interval gali_interval_mul(gali_interval a, gali_interval b) {
    const int64_t ends[4] = {product(a.least, b.least), product(a.least, b.most), product(a.most, b.least),
                             product(a.most, b.most)};
    return hull(ends);
}

int64_t gali_floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

gali_interval gali_interval_quotient(gali_interval a, gali_interval b) {
    if (b.least <= 0 && b.most >= 0) {
        return everything;
    }
    const int64_t ends[4] = {gali_floor_quotient(a.least, b.least), gali_floor_quotient(a.least, b.most),
                             gali_floor_quotient(a.most, b.least), gali_floor_quotient(a.most, b.most)};
    return hull(ends);
}

gali_interval gali_interval_smaller(gali_interval a, gali_interval b) {
    return (gali_interval){a.least < b.least ? a.least : b.least, a.most < b.most ? a.most : b.most};
}

gali_interval gali_interval_larger(gali_interval a, gali_interval b) {
    return (gali_interval){a.least > b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}
