/* Files built into the command (cmake/embed.cmake): the models of models/, where they exist, and the player's page. */
#ifndef GALI_CLI_EMBEDDED_H
#define GALI_CLI_EMBEDDED_H

#include "base/embedded.h"

extern const gali_embedded gali_embedded_runner, gali_embedded_walker, gali_embedded_dog;
extern const gali_embedded gali_embedded_player_html, gali_embedded_player_css, gali_embedded_player_js;

#endif
