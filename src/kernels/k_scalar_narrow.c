/* The narrow table in plain C: the truth that the others are compared with bit for bit. */
#include "kernels/simd/scalar_narrow.h"

#include "kernels/body/prepare_narrow.inc"

#include "kernels/body/panel_narrow.inc" /* uses prepare_narrow.inc */
