#ifndef STUB_MATH_H
#define STUB_MATH_H
short _dclass(double x);
short _fdclass(float x);
int _dsign(double x);
int _fdsign(float x);
#define STUB_CLASS(x) (sizeof(x) == sizeof(float) ? _fdclass((float)(x)) : _dclass((double)(x)))
#define isfinite(x) (STUB_CLASS(x) <= 0)
#define isinf(x) (STUB_CLASS(x) == 1)
#define isnan(x) (STUB_CLASS(x) == 2)
#define signbit(x) (sizeof(x) == sizeof(float) ? _fdsign((float)(x)) : _dsign((double)(x)))
#define HUGE_VAL (1e300 * 1e300)
#define INFINITY ((float)(1e300 * 1e300))
#define NAN (-(float)(INFINITY * 0.0F))
double acos(double x);
double acosh(double x);
double asin(double x);
double asinh(double x);
double atan(double x);
double atanh(double x);
double cbrt(double x);
double ceil(double x);
double cos(double x);
double cosh(double x);
double erf(double x);
double erfc(double x);
double exp(double x);
double exp2(double x);
double expm1(double x);
double fabs(double x);
double floor(double x);
double lgamma(double x);
double log(double x);
double log10(double x);
double log1p(double x);
double log2(double x);
double logb(double x);
double nearbyint(double x);
double rint(double x);
double round(double x);
double sin(double x);
double sinh(double x);
double sqrt(double x);
double tan(double x);
double tanh(double x);
double tgamma(double x);
double trunc(double x);
double atan2(double x, double y);
double copysign(double x, double y);
double fdim(double x, double y);
double fmax(double x, double y);
double fmin(double x, double y);
double fmod(double x, double y);
double hypot(double x, double y);
double nextafter(double x, double y);
double pow(double x, double y);
double remainder(double x, double y);
double fma(double x, double y, double z);
double ldexp(double x, int exponent);
double frexp(double x, int *exponent);
double modf(double x, double *whole);
double scalbn(double x, int exponent);
int ilogb(double x);
long lround(double x);
long lrint(double x);
float acosf(float x);
float acoshf(float x);
float asinf(float x);
float asinhf(float x);
float atanf(float x);
float atanhf(float x);
float cbrtf(float x);
float ceilf(float x);
float cosf(float x);
float coshf(float x);
float erff(float x);
float erfcf(float x);
float expf(float x);
float exp2f(float x);
float expm1f(float x);
float fabsf(float x);
float floorf(float x);
float lgammaf(float x);
float logf(float x);
float log10f(float x);
float log1pf(float x);
float log2f(float x);
float logbf(float x);
float nearbyintf(float x);
float rintf(float x);
float roundf(float x);
float sinf(float x);
float sinhf(float x);
float sqrtf(float x);
float tanf(float x);
float tanhf(float x);
float tgammaf(float x);
float truncf(float x);
float atan2f(float x, float y);
float copysignf(float x, float y);
float fdimf(float x, float y);
float fmaxf(float x, float y);
float fminf(float x, float y);
float fmodf(float x, float y);
float hypotf(float x, float y);
float nextafterf(float x, float y);
float powf(float x, float y);
float remainderf(float x, float y);
float fmaf(float x, float y, float z);
float ldexpf(float x, int exponent);
float frexpf(float x, int *exponent);
float modff(float x, float *whole);
float scalbnf(float x, int exponent);
int ilogbf(float x);
long lroundf(float x);
long lrintf(float x);
#endif
