/*
 * The estimate is a model of one turn of each innermost loop, in the time of one multiply-add:
 *
 *     max(multiply-adds, loads / 2, latency of the longest chain) + loads / 10 + 1/2
 *     + vectors of constants / 2, which come from a far cache + what goes by memory
 *     + vectors that do not follow those of the turn before in memory
 *
 * times its turns, and a price for entering it; what stands outside of such loops costs its statements. All that goes on
 * while the constants come from far, once, whichever takes longer: the cubic mean of both, so that few characters, who wait
 * for weights in any case, make schedules alike. It knows neither caches nor what the C compiler does: the trees learn those.
 */
#include "compiler/schedule/features.h"

#include <math.h>
#include <string.h>

#include "compiler/loop/layout.h"
#include "compiler/loop/uses.h"

/* Statements of a loop, and of all functions that cases make of it: beyond, a candidate takes the C compiler as long as ten
 * others, and none that did was ever the best. */
static const double body_most = 260, code_most = 800;
static const double latency = 8, entering = 12, going_by_memory = 2, lying_apart = 2, reading = 0.5, far = 3;

/* An innermost loop that is not unrolled away, or the statements outside of any. */
typedef struct hot {
    const gali_loop_statement *loop;
    double adds, turns, visits, body, vector_loads, scalar_loads, statements;
} hot;

/* Vectors that a loop's statements touch, and how far a parameter's vectors lie apart from turn to turn. */
typedef struct touched {
    const gali_loop_statement *loop;
    unsigned char seen[GALI_LOOP_BUFFERS_MAX];
    double vectors, stride, lanes, sums, by_memory; /* by_memory: accesses of locals that move with the loop */
} touched;

typedef struct counter {
    double value[GALI_LOOP_VARIABLES_MAX]; /* the largest, or a part's mean size */
    double adds, scalar_adds, statements, constants, local, cost;
    double code, cases; /* statements when all is unrolled; functions that the cases around make of one */
    hot hottest, current;
} counter;

static double evaluate(const counter *c, const gali_loop_index *index) {
    double value = (double)index->constant;
    for (uint32_t i = 0; i < index->count; i++) {
        value += (double)index->term[i].scale * c->value[index->term[i].variable->id];
    }
    return value;
}

static int is_unrolled(const gali_loop_statement *loop) {
    return loop->mark == GALI_LOOP_UNROLL && !loop->factor;
}

static int has_loop(const gali_loop_statement *block) {
    for (const gali_loop_statement *s = block; s; s = s->next) {
        if (s->kind == GALI_LOOP_FOR && (!is_unrolled(s) || has_loop(s->body))) {
            return 1;
        }
    }
    return 0;
}

/* A load: `times` in all. */
static void count_value(counter *c, const gali_loop_value *value, double times) {
    if (value->op == GALI_VALUE_LOAD && value->load.buffer->role != GALI_LOOP_LOCAL) {
        *(value->load.lanes > 1 ? &c->current.vector_loads : &c->current.scalar_loads) += times;
        c->constants += value->load.buffer->role == GALI_LOOP_CONSTANT ? times * value->load.lanes : 0;
    }
    for (uint32_t i = 0; i < 3 && value->operand[i]; i++) {
        count_value(c, value->operand[i], times);
    }
}

static void count_tile(counter *c, const gali_loop_tile *tile, double times) {
    double rows = evaluate(c, &tile->rows), vectors = evaluate(c, &tile->vectors),
           k = evaluate(c, &tile->inputs) * evaluate(c, &tile->experts);
    c->adds += times * rows * vectors * k;
    c->constants += times * vectors * k * tile->sum.lanes;
}

static void see(void *context, const gali_loop_access *access, int written) {
    touched *t = context;
    const gali_loop_buffer *buffer = access->buffer;
    double floats = 1, step = 0;
    for (uint32_t d = 0; d < gali_loop_rank(buffer); d++) {
        gali_loop_index extent = gali_loop_extent(buffer, d);
        floats *= (double)extent.constant;
        for (uint32_t i = 0; i < access->index[d].count; i++) {
            if (access->index[d].term[i].variable == t->loop->variable) {
                step = (double)access->index[d].term[i].scale;
                for (uint32_t in = d + 1; in < gali_loop_rank(buffer); in++) {
                    step *= (double)gali_loop_extent(buffer, in).constant;
                }
            }
        }
    }
    if (buffer->role != GALI_LOOP_LOCAL) {
        t->stride = access->lanes > 1 && step > t->stride ? step : t->stride;
        t->lanes = access->lanes > t->lanes ? access->lanes : t->lanes;
        return;
    }
    double vectors = access->lanes > 1 ? floats / access->lanes : 1;
    t->sums = written && vectors > t->sums ? vectors : t->sums;
    t->vectors += t->seen[buffer->id] ? 0 : vectors;
    t->seen[buffer->id] = 1;
    t->by_memory += step > 0;
}

/* What the current loop takes, every turn of every visit. */
static double cost_of(const hot *h) {
    touched t = {.loop = h->loop};
    gali_loop_walk(h->loop->body, see, NULL, &t);
    double turns = h->visits * h->turns, all = turns > 0 ? turns : 1,
           loads = (h->vector_loads + h->scalar_loads) / all, adds = h->adds / all;
    double chain = t.sums > 0 && adds > 0 ? latency * fmax(1, adds / t.sums) : 0;
    double vectors = h->vector_loads / all, apart = t.stride > 1.5 * vectors * t.lanes ? vectors : 0;
    double turn = fmax(fmax(adds, 0.5 * loads), chain) + 0.1 * loads + 0.5 + reading * vectors +
                  going_by_memory * t.by_memory + lying_apart * apart;
    return h->visits * (h->turns * fmax(turn, 0.5 * h->statements / all) + entering);
}

static void count_block(counter *c, const gali_loop_statement *block, double times, double copies);

static void count_loop(counter *c, const gali_loop_statement *loop, double times, double copies) {
    double turns = evaluate(c, &loop->extent);
    c->value[loop->variable->id] = 0.5 * (turns - 1);
    if (is_unrolled(loop)) {
        count_block(c, loop->body, times * turns, copies * turns);
        return;
    }
    if (has_loop(loop->body)) {
        count_block(c, loop->body, times * turns, copies);
        return;
    }
    hot outside = c->current;
    c->current = (hot){.loop = loop, .turns = turns, .visits = times};
    count_block(c, loop->body, times * turns, copies * (loop->mark == GALI_LOOP_UNROLL ? loop->factor : 1));
    c->current.body /= copies;
    c->cost += cost_of(&c->current);
    if (c->current.adds > c->hottest.adds) {
        c->hottest = c->current;
    }
    c->current = outside;
}

static void count_let(counter *c, const gali_loop_statement *let) {
    double a = evaluate(c, &let->operand[0]), b = evaluate(c, &let->operand[1]),
           i = evaluate(c, &let->operand[2]);
    double value = 0;
    b = b > 0 ? b : 1;
    switch (let->let) {
    case GALI_LOOP_QUOTIENT:
    case GALI_LOOP_SIZE:
        value = a / b;
        break;
    case GALI_LOOP_ROUNDS:
        value = ceil(a / b);
        break;
    case GALI_LOOP_FIRST:
        value = a * i / b;
        break;
    case GALI_LOOP_LOOKUP: /* where it is how often a loop turns, the bound is near */
        value = let->variable->most;
        break;
    case GALI_LOOP_LEAST:
        value = fmin(a, b);
        break;
    case GALI_LOOP_MOST:
        value = fmax(a, b);
        break;
    default:
        value = 0;
    }
    c->value[let->variable->id] = value;
}

static void count_block(counter *c, const gali_loop_statement *block, double times, double copies) {
    const double cases = c->cases;
    for (const gali_loop_statement *s = block; s; s = s->next) {
        double floats = 1;
        switch (s->kind) {
        case GALI_LOOP_FOR:
            count_loop(c, s, times, copies);
            break;
        case GALI_LOOP_LET:
            count_let(c, s);
            c->cases *= s->cases ? s->variable->most - s->variable->least + 1 : 1;
            break;
        case GALI_LOOP_MAKE:
            for (uint32_t d = 0; d < s->local->rank; d++) {
                floats *= (double)s->local->extent[d].constant;
            }
            c->local += floats;
            break;
        case GALI_LOOP_STORE:
            c->statements += times;
            c->current.statements += times;
            c->cost += c->current.loop ? 0 : 1.5 * times;
            c->code += copies * c->cases;
            c->current.body += copies;
            count_value(c, s->value, times);
            if (s->value->op == GALI_VALUE_FMA) {
                c->adds += times;
                c->scalar_adds += s->to.lanes == 1 ? times : 0;
                c->current.adds += times;
            }
            break;
        case GALI_LOOP_CALL:
            count_tile(c, &s->tile, times);
            break;
        case GALI_LOOP_POINT:
            break;
        }
    }
    c->cases = cases;
}

static counter count(const gali_loop_function *function) {
    counter c = {.cases = 1};
    for (uint32_t i = 0; i < function->symbols; i++) {
        c.value[i] = function->variable[i]->most;
    }
    count_block(&c, function->body, 1, 1);
    return c;
}

/* Vectors of all constants. */
static double constants_of(const gali_loop_function *function, uint32_t lanes) {
    double vectors = 0;
    for (uint32_t i = 0; i < function->parameters; i++) {
        const gali_loop_buffer *buffer = function->buffer[i];
        double floats = buffer->role == GALI_LOOP_CONSTANT;
        for (uint32_t d = 0; d < buffer->rank && floats > 0; d++) {
            floats *= (double)buffer->extent[d].constant;
        }
        vectors += floats / lanes;
    }
    return vectors;
}

static float log_of(double value) {
    return (float)log2(value + 1);
}

/* NULL if the target can hold it, else why not. */
static const char *refuse(const counter *c, const gali_target *target, double work, const float *features) {
    if (target->lanes > 1 && c->scalar_adds > 0.01 * c->adds) {
        return "scalars where there are vectors";
    }
    if (features[GALI_FEATURE_local] > 1) {
        return "more locals than the nearest cache holds";
    }
    if (features[GALI_FEATURE_registers] > 1) {
        return "more vectors than registers";
    }
    if (c->hottest.body > body_most || c->code > code_most) {
        return c->code > code_most ? "too much code" : "too large a body";
    }
    return c->adds * target->lanes > 1.25 * work ? "more work than the expression has" : NULL;
}

const char *gali_features_of(const gali_loop_function *function, const gali_target *target, double work,
                             float *features) {
    counter c = count(function);
    touched t = {.loop = c.hottest.loop};
    double adds = c.hottest.adds > 0 ? c.hottest.adds : 1;
    if (t.loop) {
        gali_loop_walk(t.loop->body, see, NULL, &t);
    }
    double waiting = far * constants_of(function, target->lanes);
    features[GALI_FEATURE_estimate] = log_of(cbrt(c.cost * c.cost * c.cost + waiting * waiting * waiting));
    features[GALI_FEATURE_adds] = log_of(c.adds);
    features[GALI_FEATURE_registers] = (float)(t.vectors / target->registers);
    features[GALI_FEATURE_body] = log_of(c.hottest.body);
    features[GALI_FEATURE_code] = log_of(c.code);
    features[GALI_FEATURE_turns] = log_of(c.hottest.turns);
    features[GALI_FEATURE_visits] = log_of(c.hottest.visits);
    features[GALI_FEATURE_vector_loads] = (float)(c.hottest.vector_loads / adds);
    features[GALI_FEATURE_scalar_loads] = (float)(c.hottest.scalar_loads / adds);
    features[GALI_FEATURE_independent] = (float)t.sums;
    features[GALI_FEATURE_stream] = log_of(t.stride);
    features[GALI_FEATURE_local] = (float)(c.local * sizeof(float) / target->l1);
    features[GALI_FEATURE_beside] = (float)((c.statements - c.hottest.adds) / adds);
    features[GALI_FEATURE_constants] = log_of(c.constants);
    return refuse(&c, target, work, features);
}
