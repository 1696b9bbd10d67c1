#include "judge/judged.h"

#include "judge/stages.h"
#include "motion/controller.h"

static const gali_judge_script *script_at(uint32_t i) {
    return &gali_judge_scripts[i];
}

static gal_status open_controllers(gali_judged *self, gal_error *error) {
    const gali_judged_desc *desc = &self->desc;
    gal_status status = gal_controller_open(&self->controller, desc->path, &desc->network, error);
    if (status == GAL_OK) {
        status = gal_controller_open(&self->bare, desc->path, &desc->network, error);
    }
    if (status == GAL_OK) { /* not in use yet: its rules may still be changed */
        gali_rules *rules = &self->bare->contract->rules;
        rules->anchor = 0;
        rules->pose_rigid = 0;
        rules->inertia_jump = 0;
    }
    return status;
}

static gal_status make_stage(const gali_judged *self, gali_judge_stage *stage, gal_controller *controller,
                             gali_judge_ground_kind ground, int locks, gal_error *error) {
    uint32_t frames = (uint32_t)(self->desc.seconds * (double)controller->contract->rate);
    gal_status status = gali_judge_stage_make(stage, controller, frames, ground, locks, error);
    stage->interval = self->desc.interval;
    stage->keeps_joints = self->desc.keeps_joints;
    return status;
}

static gal_status run_stages(gali_judged *self, gal_error *error) {
    gali_judge_stage *stages[2 * GALI_GROUND_KINDS];
    uint32_t count = 0;
    gal_status status = GAL_OK;
    for (int g = 0; g < GALI_GROUND_KINDS && status == GAL_OK; g++) {
        gali_judge_stage *whole = stages[count++] = &self->whole[g], *alone = stages[count++] = &self->alone[g];
        status = make_stage(self, whole, self->controller, (gali_judge_ground_kind)g,
                            GALI_JUDGE_FREE | GALI_JUDGE_LOCKED, error);
        if (status == GAL_OK) {
            status = make_stage(self, alone, self->bare, (gali_judge_ground_kind)g, GALI_JUDGE_FREE, error);
        }
    }
    return status == GAL_OK ? gali_judge_stages_run(stages, count, self->desc.threads, error) : status;
}

static void measure(gali_judged *self) {
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        const gali_judge_script *script = script_at(i);
        if (gali_judged_has(self, i)) {
            const gali_judge_stage *whole = &self->whole[script->ground];
            self->figures[i] = gali_judge_measure(
                self->controller->contract, whole->frames, whole->feet,
                gali_judge_stage_find(&self->alone[script->ground], script, 0),
                gali_judge_stage_find(whole, script, 0), gali_judge_stage_find(whole, script, 1));
        }
    }
}

gal_status gali_judged_make(gali_judged *self, const gali_judged_desc *desc, gal_error *error) {
    *self = (gali_judged){.desc = *desc};
    gal_status status = open_controllers(self, error);
    status = status == GAL_OK ? run_stages(self, error) : status;
    if (status == GAL_OK) {
        measure(self);
    }
    return status;
}

void gali_judged_release(gali_judged *self) {
    for (int ground = 0; ground < GALI_GROUND_KINDS; ground++) {
        gali_judge_stage_release(&self->whole[ground]);
        gali_judge_stage_release(&self->alone[ground]);
    }
    gal_controller_close(self->controller);
    gal_controller_close(self->bare);
    *self = (gali_judged){0};
}

int gali_judged_has(const gali_judged *self, uint32_t script) {
    return gali_judge_applies(script_at(script), self->controller->contract);
}

const gali_judge_trace *gali_judged_trace(const gali_judged *self, uint32_t script) {
    return gali_judge_stage_find(&self->whole[script_at(script)->ground], script_at(script), 1);
}

uint64_t gali_judged_resets(const gali_judged *self) {
    uint64_t sum = 0;
    for (int ground = 0; ground < GALI_GROUND_KINDS; ground++) {
        sum += self->whole[ground].cost.resets + self->alone[ground].cost.resets;
    }
    return sum;
}

int gali_judged_finite(const gali_judged *self) {
    int finite = gali_judged_resets(self) == 0;
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        finite = finite && (!gali_judged_has(self, i) || self->figures[i].finite);
    }
    return finite;
}

double gali_judged_step_seconds(const gali_judged *self) {
    double seconds = 0, steps = 0;
    for (int ground = 0; ground < GALI_GROUND_KINDS; ground++) {
        const gali_judge_stage *stages[] = {&self->whole[ground], &self->alone[ground]};
        for (int i = 0; i < 2; i++) {
            seconds += stages[i]->cost.step_seconds;
            steps += (double)stages[i]->frames * stages[i]->count;
        }
    }
    return seconds / steps;
}
