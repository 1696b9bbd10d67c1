/* A contact sheet: one row for each character, its figure every tenth of a second, side on, as a PNG. */
#ifndef GALI_CLI_CONTACT_SHEET_H
#define GALI_CLI_CONTACT_SHEET_H

#include "show/player.h"

/* Draws what the player page shows (desc, the same). At most 12 characters are drawn. */
gal_status gali_contact_sheet_write(const char *path, const gali_player_desc *desc, gal_error *error);

#endif
