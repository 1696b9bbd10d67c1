/*
 * GALI_APART: a function that is called where it is used. Compilers would put every use of a phase's parts in line, each
 * with its elementary functions: tenfold code, and minutes of compiling.
 */
#ifndef GALI_MOTION_APART_H
#define GALI_MOTION_APART_H

#include "base/compiler.h"

#define GALI_APART GALI_ALONE

#endif
