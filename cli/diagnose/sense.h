/* What a feature is in space: its axis, how it turns over when an axis does, its unit. */
#ifndef GALI_CLI_DIAGNOSE_SENSE_H
#define GALI_CLI_DIAGNOSE_SENSE_H

#include "case.h"

typedef enum gali_unit { GALI_UNIT_NONE, GALI_UNIT_LENGTH, GALI_UNIT_ANGLE, GALI_UNIT_TURN } gali_unit;

typedef struct gali_sense {
    int axis;   /* 0 x, 1 y, 2 z; -1: none */
    int axial;  /* about the axis (a turn), not along it */
    int column; /* of a rotation matrix, 0 or 1; -1: no such thing */
    gali_unit unit;
    int rate;        /* per frame */
    int part, parts; /* component `part` of a vector of `parts` features that stand together; parts 1: alone */
} gali_sense;

gali_sense gali_sense_of(const gali_block *block, uint32_t feature);

/* The block of feature `feature` of x or y. */
const gali_block *gali_sense_block(const gali_contract *contract, gali_side side, uint32_t feature);

/* -1 or 1: by what the feature is multiplied where an axis is mirrored. */
int gali_sense_mirror(const gali_sense *sense, int axis);

#endif
