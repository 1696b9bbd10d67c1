/*
 * Inside the contract's parser: its state, and the words of a line. The text is gone through three times:
 * contract_text.c checks that it is lines of words and counts what the allocation must hold, contract.c takes
 * what lines declare (joints, gaits, samples, ...), contract_blocks.c what refers to it (legs and blocks), so
 * that only a joint's parent must stand before it.
 */
#ifndef GALI_CONTRACT_CONTRACT_PARSE_H
#define GALI_CONTRACT_CONTRACT_PARSE_H

#include "base/compiler.h"
#include "contract/contract.h"

enum {
    GALI_CONTRACT_SIZE_MAX = 1 << 20,
    GALI_LINE_MAX = 4096,                  /* bytes, without the newline */
    GALI_WORDS_MAX = GALI_SAMPLES_MAX + 2, /* one more than a line can use */
    GALI_CONTRACT_FEATURES_MAX = 65536,    /* inputs or outputs: the model file's limit */
};

typedef struct gali_word {
    const char *text; /* not terminated */
    size_t size;
} gali_word;

typedef struct gali_parser {
    const char *text;
    size_t size, at; /* at: where the next line starts */
    uint32_t line;   /* number of the line in words, from 1 */
    uint32_t word_count;
    gali_word words[GALI_WORDS_MAX]; /* words[0] says what the line is */
    uint32_t joint_lines, leg_lines, hinge_lines, input_lines, output_lines;
    uint32_t samples_line, future_line; /* 0: none yet */
    uint32_t once_seen;                 /* bit per keyword that may stand once */
    uint64_t rules_seen[2];             /* bit per rule */
    gali_contract *contract;
    gali_joint *joints; /* contract's arrays, writable */
    gali_block *input_blocks, *output_blocks;
    gal_error *error;
} gali_parser;

/* "contract line N: ..." with GAL_BAD_DATA. */
GALI_PRINTF(2, 3) gal_status gali_parser_fail(const gali_parser *parser, const char *format, ...);

/* Checks encoding, line lengths and the first line, and counts; leaves the parser before the second line. */
gal_status gali_parser_scan(gali_parser *parser);

/* Back to before the second line. */
void gali_parser_rewind(gali_parser *parser);

/* Goes to the next line that has words; 0 at the end. */
int gali_parser_next(gali_parser *parser);

int gali_word_is(gali_word word, const char *text);

/* How many of its bytes a message may show: whole characters, 40 at most. For "%.*s". */
int gali_word_shown(gali_word word);

/* What words spell; on failure the message says which word of which line and what was expected. */
gal_status gali_parser_name(const gali_parser *parser, gali_word word, char name[GALI_NAME_MAX]);
gal_status gali_parser_float(const gali_parser *parser, gali_word word, float *value);
gal_status gali_parser_integer(const gali_parser *parser, gali_word word, int32_t least, int32_t most,
                               int32_t *value);

/* Index of the joint of that name among those read so far, or -1. */
int32_t gali_parser_joint(const gali_parser *parser, gali_word word);

/* The lines of contract_blocks.c. */
gal_status gali_parser_leg(gali_parser *parser);
gal_status gali_parser_hinge(gali_parser *parser);
gal_status gali_parser_input(gali_parser *parser);
gal_status gali_parser_output(gali_parser *parser);

/* After the last line: memories come in pairs, and the outputs learn their places. */
gal_status gali_parser_memories(gali_parser *parser);

/* What blocks.def says of a kind. */
typedef enum gali_block_argument {
    GALI_ARGUMENT_NONE,
    GALI_ARGUMENT_GAIT,
    GALI_ARGUMENT_SIDE,
    GALI_ARGUMENT_JOINT,
    GALI_ARGUMENT_CONSTANT,
    GALI_ARGUMENT_NAMED,
} gali_block_argument;

typedef enum gali_block_features {
    GALI_FEATURES_ONE,
    GALI_FEATURES_SAMPLES,
    GALI_FEATURES_FUTURES,
    GALI_FEATURES_JOINTS3,
    GALI_FEATURES_JOINTS6,
    GALI_FEATURES_HINGES,
    GALI_FEATURES_POSTURE,
    GALI_FEATURES_MOTION,
    GALI_FEATURES_LEGS1,
    GALI_FEATURES_LEGS2,
    GALI_FEATURES_LEGS3,
    GALI_FEATURES_COUNT,
} gali_block_features;

typedef struct gali_block_fact {
    const char *name; /* as the text has it; two words for some */
    int output;
    gali_block_argument argument;
    gali_block_features features;
} gali_block_fact;

extern const gali_block_fact gali_block_facts[GALI_BLOCK_KIND_COUNT];

#endif
