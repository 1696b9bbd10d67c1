/*
 * Elementary functions of one number, with the same bits on every machine (body/elementary.inc says the method and the
 * errors, which are under one unit in the last place): where C libraries differ, nothing may come from them.
 */
#ifndef GALI_KERNELS_ELEMENTARY_H
#define GALI_KERNELS_ELEMENTARY_H

/* Radians of any size; NaN of infinities. */
float gali_sin(float x);
float gali_cos(float x);
float gali_sin_cos(float x, float *cosine);

/* The angle from the x axis to (x, y), -pi to pi; zeros and infinities as in C's annex F. */
float gali_atan2(float y, float x);

/* 0 to pi; NaN where |x| > 1. */
float gali_acos(float x);

/* x^y of x >= 0, else NaN. */
float gali_pow(float x, float y);

float gali_exp(float x);

#endif
