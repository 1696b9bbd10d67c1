/* In place of the pictures where cairo was not there when this was built. */
#include "base/error.h"
#include "show/contact_sheet.h"

gal_status gali_contact_sheet_write(const char *path, const gali_player_desc *desc, gal_error *error) {
    (void)desc;
    return gali_fail(error, GAL_UNSUPPORTED, "%.100s: this build draws no pictures: cairo was not there", path);
}
