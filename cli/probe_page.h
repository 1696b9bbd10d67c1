/* What a probe found, written: device.json, and its curves as pictures. */
#ifndef GALI_CLI_PROBE_PAGE_H
#define GALI_CLI_PROBE_PAGE_H

#include <stdio.h>

#include "probe/probe.h"

/*
 * {"schema": "gallop-device 1", "kind", "name", "vendor", "version", "driver", "facts": [{"name", "level"?, "value",
 * "unit", "sure", "curve"?, "note"?}], "curves": [{"name", "x", "y", "unstable", "points": [[x, y]]}]}
 */
void gali_probe_write_json(const gali_probe *probe, FILE *out);

/* An SVG of the curve, both axes logarithmic, with the facts that were read off it. */
void gali_probe_draw(const gali_probe *probe, uint32_t curve, FILE *out);

/* "48 KB", "3.2", "117": a fact's value as people read it; text[32]. */
void gali_probe_value(const gali_fact *fact, char text[32]);

#endif
