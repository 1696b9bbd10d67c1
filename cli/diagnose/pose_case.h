/* A case judged by its poses alone: whether bones are as long as the skeleton's and point where rotations say. */
#ifndef GALI_CLI_DIAGNOSE_POSE_CASE_H
#define GALI_CLI_DIAGNOSE_POSE_CASE_H

#include "case.h"

/* Makes the open case one about poses; the file has a contract. */
void gali_pose_case(gali_case *self);

#endif
