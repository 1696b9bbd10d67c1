/*
 * Integer products behind gallop/gemm.h: B packed into panels, then rows of A in passes of at most PASS_ROWS. Panels are outside
 * and tiles of rows inside: a panel stays in the nearest cache while the rows of a pass go by it, and interleaved
 * ones are read from the workspace again and again.
 */
#include "gallop/gemm.h"

#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "cpu/cpu.h"
#include "kernels/narrow.h"

enum { PASS_ROWS = 64, INTERLEAVING_COLUMNS = 12 };

struct gal_gemm {
    gal_allocator allocator;
    gal_isa isa;
    const gali_gemm_table *table;
    const gali_gemm_form *form;
    gal_gemm_strategy strategy;
    uint32_t inner, columns, panels;
    size_t panel_size, memory;
    unsigned char *b; /* [panels][panel_size] */
};

const char *gal_gemm_strategy_name(gal_gemm_strategy strategy) {
    static const char *const names[GAL_GEMM_STRATEGY_COUNT] = {
        [GAL_GEMM_BY_SHAPE] = "by-shape",
        [GAL_GEMM_INTERLEAVED] = "interleaved",
        [GAL_GEMM_NATIVE] = "native",
    };
    return (unsigned)strategy < GAL_GEMM_STRATEGY_COUNT ? names[strategy] : "unknown";
}

/* Columns that a strategy's panels make, those that do not exist included. */
static uint64_t made_columns(const gali_gemm_table *table, gal_gemm_strategy strategy, uint32_t columns) {
    const uint64_t width = (uint64_t)table->form[strategy].vectors * table->lanes;
    return (columns + width - 1) / width * width;
}

/* The rule of docs/gemm.md, with its evidence. Of 1 and 2 rows nothing is gained; of more, to interleave them costs what some
 * columns do. */
static gal_gemm_strategy strategy_for(const gali_gemm_table *table, uint32_t rows, uint32_t columns) {
    const uint64_t interleaved = made_columns(table, GAL_GEMM_INTERLEAVED, columns) + INTERLEAVING_COLUMNS,
                   native = made_columns(table, GAL_GEMM_NATIVE, columns);
    const int few = rows == 1 || rows == 2;
    return !few && interleaved * 100 < native * table->gain ? GAL_GEMM_INTERLEAVED : GAL_GEMM_NATIVE;
}

static gal_status gemm_check(const gal_gemm_desc *desc, gal_error *error) {
    if ((unsigned)desc->strategy >= GAL_GEMM_STRATEGY_COUNT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "strategy %d: not a strategy", (int)desc->strategy);
    }
    if (desc->inner > GAL_GEMM_INNER_MOST) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "inner %u: expected at most %u, or sums could leave 32 bits",
                         desc->inner, GAL_GEMM_INNER_MOST);
    }
    if (!desc->b && desc->inner && desc->columns) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "b is NULL");
    }
    return GAL_OK;
}

/* Everything but the panels. */
static gal_gemm gemm_resolve(const gal_gemm_desc *desc, gal_isa isa) {
    gal_gemm gemm = {.isa = isa,
                     .table = gali_narrow_gemm(gali_narrow_get(isa)),
                     .inner = desc->inner,
                     .columns = desc->columns};
    gemm.allocator = desc->allocator ? *desc->allocator : (gal_allocator){0};
    gemm.strategy = desc->strategy == GAL_GEMM_BY_SHAPE ? strategy_for(gemm.table, desc->rows, desc->columns)
                                                        : desc->strategy;
    gemm.form = &gemm.table->form[gemm.strategy];
    const uint32_t width = gemm.form->vectors * gemm.table->lanes;
    gemm.panels = desc->columns / width + (desc->columns % width != 0);
    gemm.panel_size = gali_gemm_panel_size(gemm.table, gemm.inner, gemm.form->vectors);
    const size_t head = gali_size_align(sizeof gemm, GALI_ALIGNMENT);
    gemm.memory = gali_size_add(head, gali_size_mul(gemm.panels, gemm.panel_size));
    return gemm;
}

static uint32_t panel_width(const gal_gemm *gemm) {
    return gemm->form->vectors * gemm->table->lanes;
}

/* Columns of panel p that exist. */
static uint32_t panel_columns(const gal_gemm *gemm, uint32_t p) {
    const uint32_t left = gemm->columns - p * panel_width(gemm);
    return left < panel_width(gemm) ? left : panel_width(gemm);
}

gal_status gal_gemm_create(gal_gemm **out, const gal_gemm_desc *of_caller, gal_error *error) {
    gal_gemm_desc all, *desc = &all;
    gal_isa isa;
    *out = NULL;
    gali_desc_read(&all, sizeof all, of_caller, of_caller ? of_caller->struct_size : 0);
    gal_status status = gemm_check(desc, error);
    if (status != GAL_OK || (status = gali_cpu_choose(desc->isa, &isa, error)) != GAL_OK) {
        return status;
    }
    gal_gemm made = gemm_resolve(desc, isa);
    gal_gemm *gemm = gali_allocate(desc->allocator, made.memory);
    if (!gemm) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %u x %u weights: %zu bytes", desc->inner,
                         desc->columns, made.memory);
    }
    made.b = (unsigned char *)gemm + gali_size_align(sizeof *gemm, GALI_ALIGNMENT);
    *gemm = made;
    const size_t column_stride = desc->column_stride ? desc->column_stride : 1;
    const size_t inner_stride = desc->inner_stride ? desc->inner_stride : desc->columns;
    for (uint32_t p = 0; p < gemm->panels; p++) {
        const int8_t *b = desc->b ? desc->b + (size_t)p * panel_width(gemm) * column_stride : NULL;
        gali_gemm_pack(gemm->table, gemm->form->vectors, b, inner_stride, column_stride, gemm->inner,
                       panel_columns(gemm, p), gemm->b + p * gemm->panel_size);
    }
    *out = gemm;
    return GAL_OK;
}

void gal_gemm_destroy(gal_gemm *gemm) {
    if (gemm) {
        const gal_allocator allocator = gemm->allocator;
        gali_release(&allocator, gemm, gemm->memory);
    }
}

gal_gemm_info gal_gemm_get_info(const gal_gemm *gemm) {
    return (gal_gemm_info){
        .inner = gemm->inner,
        .columns = gemm->columns,
        .isa = gemm->isa,
        .strategy = gemm->strategy,
        .tile_rows = gemm->form->rows,
        .tile_columns = panel_width(gemm),
        .memory = gemm->memory,
    };
}

static uint32_t at_most(uint32_t a, uint32_t most) {
    return a < most ? a : most;
}

/* Bytes of one tile's rows in the workspace, whatever its rows. */
static size_t tile_size(const gal_gemm *gemm, uint32_t rows) {
    return gali_gemm_interleaved_size(gemm->table, gemm->inner, at_most(rows, gemm->form->rows));
}

size_t gal_gemm_workspace_size(const gal_gemm *gemm, uint32_t rows) {
    const uint32_t most = gemm->form->rows, pass = at_most(rows, PASS_ROWS);
    return gemm->strategy == GAL_GEMM_INTERLEAVED ? (pass + most - 1) / most * tile_size(gemm, rows) : 0;
}

/* Rows of a pass, and how they are cut into tiles of nearly equal size. */
typedef struct gemm_pass {
    const gal_gemm *gemm;
    const gal_gemm_batch *batch;
    uint32_t first, rows, tiles;
    size_t a_stride, c_stride;
    int8_t *words; /* interleaved tiles, tile_size apart; NULL: A is native */
} gemm_pass;

static uint32_t tile_start(const gemm_pass *pass, uint32_t tile) {
    return (uint32_t)((uint64_t)pass->rows * tile / pass->tiles);
}

static const int8_t *pass_row(const gemm_pass *pass, uint32_t row) {
    return pass->gemm->inner ? pass->batch->a + (pass->first + row) * pass->a_stride : NULL;
}

static int8_t *tile_words(const gemm_pass *pass, uint32_t tile) {
    return pass->words + tile * tile_size(pass->gemm, pass->batch->rows);
}

static void interleave_pass(const gemm_pass *pass) {
    for (uint32_t tile = 0; tile < pass->tiles; tile++) {
        const uint32_t start = tile_start(pass, tile);
        gali_gemm_interleave(pass->gemm->table, pass_row(pass, start), pass->a_stride,
                             tile_start(pass, tile + 1) - start, pass->gemm->inner, tile_words(pass, tile));
    }
}

static void run_pass(const gemm_pass *pass) {
    const gal_gemm *gemm = pass->gemm;
    for (uint32_t p = 0; p < gemm->panels; p++) {
        for (uint32_t tile = 0; tile < pass->tiles; tile++) {
            const uint32_t start = tile_start(pass, tile), rows = tile_start(pass, tile + 1) - start;
            gemm->form->run[rows](&(gali_gemm_tile){
                .a = pass->words ? tile_words(pass, tile) : pass_row(pass, start),
                .a_stride = pass->a_stride,
                .b = gemm->b + p * gemm->panel_size,
                .inner = gemm->inner,
                .c = pass->batch->c + (pass->first + start) * pass->c_stride + (size_t)p * panel_width(gemm),
                .c_stride = pass->c_stride,
                .columns = panel_columns(gemm, p),
            });
        }
    }
}

gal_status gal_gemm_run(const gal_gemm *gemm, const gal_gemm_batch *batch, void *workspace,
                        size_t workspace_size, gal_error *error) {
    const size_t need = gal_gemm_workspace_size(gemm, batch->rows);
    if ((!batch->a && batch->rows && gemm->inner) || (!batch->c && batch->rows && gemm->columns)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "%s is NULL", batch->c ? "a" : "c");
    }
    if (batch->c_stride && batch->c_stride < gemm->columns) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "c_stride %zu: expected at least the columns, %u",
                         batch->c_stride, gemm->columns);
    }
    if (workspace_size < need || (need && !workspace)) {
        return gali_fail(error, GAL_NO_MEMORY, "workspace: %zu bytes, expected %zu for %u rows",
                         workspace ? workspace_size : 0, need, batch->rows);
    }
    if (need && (uintptr_t)workspace % GALI_ALIGNMENT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "workspace is not aligned to %d bytes", GALI_ALIGNMENT);
    }
    gemm_pass pass = {.gemm = gemm,
                      .batch = batch,
                      .a_stride = batch->a_stride && gemm->inner ? batch->a_stride : gemm->inner,
                      .c_stride = batch->c_stride ? batch->c_stride : gemm->columns,
                      .words = need ? workspace : NULL};
    for (; pass.first < batch->rows; pass.first += pass.rows) {
        pass.rows = at_most(batch->rows - pass.first, PASS_ROWS);
        pass.tiles = (pass.rows + gemm->form->rows - 1) / gemm->form->rows;
        if (pass.words) {
            interleave_pass(&pass);
        }
        run_pass(&pass);
    }
    return GAL_OK;
}
