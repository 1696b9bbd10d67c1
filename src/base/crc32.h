/* CRC-32 as zlib computes it (reflected, polynomial 0xEDB88320): the checksum of model file sections. */
#ifndef GALI_BASE_CRC32_H
#define GALI_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t gali_crc32(const void *data, size_t size);

#endif
