/* Folders and names for what a command writes. */
#ifndef GALI_CLI_DIRECTORY_H
#define GALI_CLI_DIRECTORY_H

#include "gallop/base.h"

/* Makes the folder, and those that it lies in, where they are not there. GAL_IO if one could not be made or is no folder. */
gal_status gali_directory_make(const char *path, gal_error *error);

/*
 * The same for the folder that the file at path is to lie in; GAL_IO, too, if a folder is there in the file's place, or the
 * path ends in a slash. NULL and "-", standard output, lie in none.
 */
gal_status gali_directory_make_for(const char *path, gal_error *error);

/*
 * Whether a file may be called that: its name ends in one of the two (lower case), or has no dot (a pipe, a device, "-").
 * A name that promises another format costs whoever opens it more than a refusal.
 */
int gali_directory_name_fits(const char *path, const char *ending, const char *other);

#endif
