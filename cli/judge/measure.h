/* Figures of one script, from its traces. Lengths in centimetres, speeds in m/s where not said, NaN: does not apply. */
#ifndef GALI_CLI_JUDGE_MEASURE_H
#define GALI_CLI_JUDGE_MEASURE_H

#include "judge/trace.h"

/* FIGURE(name, heading, decimals, meaning): the one list that table and JSON are made from. */
#define GALI_JUDGE_MOVEMENT(FIGURE)                                                                            \
    FIGURE(speed, "speed", 2, "speed got, m/s")                                                                \
    FIGURE(wanted, "wanted", 2, "speed wanted, m/s")                                                           \
    FIGURE(off, "off %", 1, "how far the one is from the other, in steady scripts, %")                         \
    FIGURE(direction, "dir", 1, "mean error of the way gone, degrees")                                         \
    FIGURE(facing, "face", 1, "mean size of the facing error, degrees")                                        \
    FIGURE(turn, "turn", 2, "turn rate, rad/s")                                                                \
    FIGURE(start, "to80%", 2, "seconds from pushing the stick to 80 % of the speed")                           \
    FIGURE(slowest, "slowest", 2, "the slowest of these starts")                                               \
    FIGURE(over, "over %", 1,                                                                                  \
           "highest mean speed of 0.6 s after a start beyond the wanted one, mean of all, %")                  \
    FIGURE(stop, "stop", 2, "seconds from letting go to under 0.1 m/s")                                        \
    FIGURE(pivot, "pivot", 2, "seconds from throwing the stick over to 80 % of the speed that way")            \
    FIGURE(cadence, "cadence", 2, "gait cycles a second, by the phase")                                        \
    FIGURE(travel, "travel", 1, "foot travel: standard deviation of the heel in the root frame, cm")           \
    FIGURE(moved, "alive", 1, "mean speed of the joints, cm/s (a frozen pose: 0)")
#define GALI_JUDGE_FEET_FIGURES(FIGURE)                                                                        \
    FIGURE(skate, "skate", 1, "toes on the ground before anchor and locking, cm/s")                            \
    FIGURE(contact, "on %", 0, "share of time that a toe is on the ground, %")                                 \
    FIGURE(slower, "slower", 1, "median speed of the slower toe, cm/s, whatever its contact")                  \
    FIGURE(anchored, "anchor", 1, "toes on the ground after the anchor, before locking, cm/s")                 \
    FIGURE(locked, "locked", 1, "toes on the ground after locking, cm/s")                                      \
    FIGURE(pull, "pull", 1, "mean way that locking moves a toe on the ground, cm")                             \
    FIGURE(pull99, "pull99", 1, "99 of 100 below this, cm")                                                    \
    FIGURE(bones, "bones%", 1, "mean error of the predicted bone lengths, %")                                  \
    FIGURE(bones99, "b99%", 1, "99 of 100 below this, %")                                                      \
    FIGURE(low, "low", 1, "lowest toe over the ground, cm")                                                    \
    FIGURE(sunk, "sunk", 1, "deepest that any toe is under the ground, beside edges by a centimetre, cm")      \
    FIGURE(height, "height", 1, "toes on the ground: 95 of 100 are no further off their height than this, cm") \
    FIGURE(sole, "sole", 1, "mean angle of a planted foot to the ground, degrees")                             \
    FIGURE(tilt, "tilt", 1, "four legs: how far the body lags behind the slope's pitch, degrees")              \
    FIGURE(lowest, "lowest", 1, "lowest joint over the ground, cm")                                            \
    FIGURE(head, "head", 0, "lowest head over the ground, cm")
#define GALI_JUDGE_POSE(FIGURE)                                                                                \
    FIGURE(fastest, "move", 1, "longest way of a joint in a frame, in the root frame, cm")                     \
    FIGURE(fastest999, "move99.9", 1, "999 of 1000 frames below this, cm")                                     \
    FIGURE(jump, "jump", 1, "largest change of such a way from one frame to the next: a pop, cm")              \
    FIGURE(jump999, "jump99.9", 1, "999 of 1000 frames below this, cm")                                        \
    FIGURE(turned, "turned", 1, "largest turn of a joint in a frame, against what it hangs on, degrees")       \
    FIGURE(turned999, "trnd99.9", 1, "999 of 1000 frames below this, degrees")                                 \
    FIGURE(twist, "twist", 0, "most that a thigh or a shank is twisted about itself, from rest, degrees")      \
    FIGURE(twist999, "twst99.9", 0, "999 of 1000 frames below this, degrees")                                  \
    FIGURE(span, "span", 0, "most that a joint goes up and down against the first one, cm")                    \
    FIGURE(hips, "hips", 1, "largest change of the first joint's way in a frame, in the world, cm")            \
    FIGURE(root, "root", 1, "the same of the root, which cameras follow, cm")
#define GALI_JUDGE_JUMPS(FIGURE)                                                                               \
    FIGURE(asked, "asked", 0, "jumps asked for")                                                               \
    FIGURE(jumped, "jumped", 0, "of these left the ground: all toes 8 cm over it at once")                     \
    FIGURE(air, "air", 2, "mean time in the air then, seconds with no toe within 8 cm")                        \
    FIGURE(rise, "rise", 0, "mean greatest height of the first joint, cm")

typedef struct gali_judge_figures {
    int finite;
#define FIGURE(name, heading, decimals, meaning) double name;
    GALI_JUDGE_MOVEMENT(FIGURE)
    GALI_JUDGE_FEET_FIGURES(FIGURE)
    GALI_JUDGE_POSE(FIGURE)
    GALI_JUDGE_JUMPS(FIGURE)
#undef FIGURE
} gali_judge_figures;

/* raw: predicted positions, no anchor, no lock; free: as the contract says, no lock; locked: as the contract says. */
gali_judge_figures gali_judge_measure(const gali_contract *contract, uint32_t frames, uint32_t feet,
                                      const gali_judge_trace *raw, const gali_judge_trace *free_trace,
                                      const gali_judge_trace *locked);

#endif
