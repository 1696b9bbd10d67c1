/* The reader of profiles of fusions on any bytes: what is read decides each pair, and is the same when it is read again. */
#include "compiler/program/profile.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_profile profile = {.rows = {0}};
    gal_error error = {0};
    if (gali_profile_parse(&profile, (const char *)data, size, "fuzz", &error) != GAL_OK) {
        require(error.message[0] != 0);
        return 0;
    }
    gali_profile twice = profile;
    require(gali_profile_parse(&twice, (const char *)data, size, "fuzz", &error) == GAL_OK);
    for (int pair = 0; pair < GALI_PAIR_COUNT; pair++) {
        require(twice.rows[pair] == 2 * profile.rows[pair] && profile.gain[pair] == profile.gain[pair]);
        require(profile.rows[pair] || !gali_profile_fuses(&profile, (gali_profile_pair)pair));
    }
    return 0;
}
