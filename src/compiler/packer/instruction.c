/* Reading of an instruction: a condition, what is written, a sign, an operation of operands. */
#include "compiler/packer/instruction.h"

#include <ctype.h>
#include <string.h>

enum { WORD_MAX = 16, FORM_MAX = 16 };

typedef struct reading {
    gali_instruction *to;
    char word[WORD_MAX], form[FORM_MAX];
    size_t form_size;
    int unknown;
} reading;

int gali_is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* One or two digits below 32. Returns how many there are. */
static size_t read_number(const char *text, size_t size, int *number) {
    size_t i = 0;
    for (*number = 0; i < size && i < 2 && isdigit((unsigned char)text[i]); i++) {
        *number = 10 * *number + (text[i] - '0');
    }
    return *number < 32 ? i : 0;
}

static uint64_t bit(int number) {
    return (uint64_t)1 << number;
}

static gali_registers bits_of(char letter, int number) {
    gali_registers bits = {0, 0};
    switch (letter) {
    case 'r':
        bits.scalar = bit(number);
        break;
    case 'v':
        bits.vector = bit(number);
        break;
    case 'p':
        bits.scalar = bit(GALI_PACKER_P + (number & 3));
        break;
    case 'q':
        bits.vector = bit(GALI_PACKER_Q + (number & 3));
        break;
    default:
        bits.scalar = bit(GALI_PACKER_M + (number & 1));
        break;
    }
    return bits;
}

gali_operand gali_operand_read(const char *text, size_t size) {
    gali_operand found = {.kind = 0};
    const char letter = size ? text[0] : 0;
    int second;
    if (!letter || !strchr("rvpqm", letter)) {
        return found;
    }
    size_t digits = read_number(text + 1, size - 1, &found.number), at = 1 + digits;
    if (!digits || (!strchr("rv", letter) && found.number > 3)) {
        return found;
    }
    found.bits = bits_of(letter, found.number);
    found.kind = letter;
    if (at < size && text[at] == ':' && (digits = read_number(text + at + 1, size - at - 1, &second)) > 0) {
        gali_registers_add(&found.bits, bits_of(letter, second));
        found.kind = letter == 'r' ? 'd' : letter == 'v' ? 'w' : 0;
        at += 1 + digits;
    }
    const size_t end = at;
    while (at < size && gali_is_name(text[at])) {
        at++;
    }
    if (at > end && text[end] != '.') {
        found.kind = 0;
    }
    found.is_new = at - end == 4 && memcmp(text + end, ".new", 4) == 0;
    found.is_part = at > end && !found.is_new;
    found.size = at;
    return found;
}

/* Adds what the registers of text read; numbers and names are passed over. */
static void read_operands(reading *self, const char *text, size_t size) {
    for (size_t i = 0; i < size;) {
        if (text[i] == '#') {
            while (i < size && text[i] != ',' && text[i] != ')') {
                i++;
            }
            continue;
        }
        gali_operand found = gali_operand_read(text + i, size - i);
        if (found.kind) {
            gali_registers_add(&self->to->reads, found.bits);
            if (found.is_new) {
                gali_registers_add(&self->to->new_reads, found.bits);
            }
            i += found.size;
        } else {
            size_t begin = i;
            while (i < size && gali_is_name(text[i])) {
                i++;
            }
            i += i == begin;
        }
    }
}

static void add_form(reading *self, char kind) {
    if (self->form_size + 1 >= FORM_MAX) {
        self->unknown = 1;
    } else {
        self->form[self->form_size++] = kind;
    }
}

/* The form's letter of one operand: a register fills it, a number begins with #, anything else is an operation. */
static char kind_of(const char *text, size_t size) {
    while (size && *text == ' ') {
        text++, size--;
    }
    gali_operand found = gali_operand_read(text, size);
    if (size && *text == '#') {
        return 'i';
    }
    return found.kind && found.size == size ? found.kind : 'n';
}

/* Up to the parenthesis that closes the one at text[0], or size. */
static size_t closed_at(const char *text, size_t size) {
    int depth = 0;
    for (size_t i = 0; i < size; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (!depth) {
            return i;
        }
    }
    return size;
}

static void add_forms(reading *self, const char *text, size_t size) {
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i <= size; i++) {
        depth += i < size ? (text[i] == '(') - (text[i] == ')') : 0;
        if (i == size || (text[i] == ',' && !depth)) {
            add_form(self, kind_of(text + begin, i - begin));
            begin = i + 1;
        }
    }
}

/* A decimal number that fills text[size]. */
static int read_decimal(const char *text, size_t size, int32_t *value) {
    const int minus = size && *text == '-';
    int32_t sum = 0;
    if (size <= (size_t)minus || size > 8) {
        return 0;
    }
    for (size_t i = (size_t)minus; i < size; i++) {
        if (!isdigit((unsigned char)text[i])) {
            return 0;
        }
        sum = 10 * sum + (text[i] - '0');
    }
    *value = minus ? -sum : sum;
    return 1;
}

static int32_t width_of(const char *word) {
    const char last = word[strlen(word) - 1];
    if (word[0] == 'v') {
        return 128;
    }
    return last == 'b' ? 1 : last == 'h' ? 2 : last == 'w' ? 4 : 8;
}

/* What stands between an access's parentheses: base+#offset, base++#step, or what is not looked into. */
static void read_address(reading *self, const char *text, size_t size) {
    gali_instruction *to = self->to;
    gali_operand base = gali_operand_read(text, size);
    to->width = width_of(self->word);
    const int32_t unit = to->width == 128 ? 128 : 1;
    int32_t number = 0;
    to->address = GALI_PACKER_ADDRESS_OTHER;
    if (memchr(text, '=', size)) { /* an address that is kept in a register */
        self->unknown = 1;
    } else if (base.kind == 'r' && base.size == size) {
        to->address = GALI_PACKER_ADDRESS_OFFSET;
    } else if (base.kind == 'r' && size > base.size + 2 && memcmp(text + base.size, "+#", 2) == 0) {
        const size_t at = base.size + 2;
        to->address = read_decimal(text + at, size - at, &number) ? GALI_PACKER_ADDRESS_OFFSET : to->address;
    } else if (base.kind == 'r' && size > base.size + 2 && memcmp(text + base.size, "++", 2) == 0) {
        const size_t at = base.size + 3;
        to->writes.scalar |= bit(base.number);
        if (text[base.size + 2] == '#' && read_decimal(text + at, size - at, &number)) {
            to->address = GALI_PACKER_ADDRESS_AFTER;
            to->step_register = (int8_t)base.number;
            to->step = number * unit;
        }
    }
    if (to->address != GALI_PACKER_ADDRESS_OTHER) {
        to->base = (int8_t)base.number;
        to->offset = number * unit;
    }
}

static size_t read_word(const char *text, size_t size, char word[WORD_MAX]) {
    size_t count = 0;
    while (count < size &&
           (isalnum((unsigned char)text[count]) || text[count] == '.' || (!count && *text == '+'))) {
        count++;
    }
    const size_t kept = count < WORD_MAX ? count : 0;
    memcpy(word, text, kept);
    word[kept] = 0;
    return count;
}

/* "vadd(v1.w,v2.w):sat", "r5", "#7": the word and what it reads. */
static void read_operation(reading *self, const char *text, size_t size) {
    if (size && *text == '!') {
        text++, size--;
    }
    size_t count = read_word(text, size, self->word);
    if (count == size || text[count] != '(') { /* a move */
        self->word[0] = 0;
        add_form(self, kind_of(text, size));
        read_operands(self, text, size);
        return;
    }
    const size_t end = count + closed_at(text + count, size - count);
    const char *inside = text + count + 1;
    const size_t inside_size = end - count - 1;
    if (end == size || (end + 1 < size && text[end + 1] != ':')) {
        self->unknown = 1;
        return;
    }
    add_forms(self, inside, inside_size);
    read_operands(self, inside, inside_size);
    if (memcmp(self->word, "mem", 3) == 0 || memcmp(self->word, "vmem", 4) == 0) {
        self->to->is_load = 1;
        read_address(self, inside, inside_size);
    }
}

/* "memw(r1+#4) = r2": text is up to the sign, value what is stored. */
static void read_store(reading *self, const char *text, size_t size, const char *value, size_t value_size) {
    gali_operand stored = gali_operand_read(value, value_size);
    const size_t count = read_word(text, size, self->word);
    self->to->is_store = 1;
    if (!*self->word || count >= size || text[count] != '(' ||
        closed_at(text + count, size - count) + 1 + count > size) {
        self->unknown = 1;
        return;
    }
    const size_t end = count + closed_at(text + count, size - count);
    read_operands(self, text + count, end - count);
    read_operands(self, value, value_size);
    read_address(self, text + count + 1, end - count - 1);
    if ((stored.kind == 'r' || stored.kind == 'v') && stored.size == value_size && !stored.is_part) {
        self->to->value = (int8_t)stored.number;
    }
}

/* The result's register and the sign; where = is. Returns 0 where that is no result. */
static int read_result(reading *self, const char *text, size_t size, size_t equals) {
    size_t end = equals;
    const char sign = end && strchr("+-|&^", text[end - 1]) ? text[end - 1] : '=';
    end -= sign != '=';
    while (end && text[end - 1] == ' ') {
        end--;
    }
    gali_operand result = gali_operand_read(text, end);
    gali_instruction *to = self->to;
    to->is_current = end > 4 && memcmp(text + end - 4, ".cur", 4) == 0;
    const int is_temporary = end > 4 && memcmp(text + end - 4, ".tmp", 4) == 0;
    if (!result.kind || result.size != end || size == equals || is_temporary) {
        return 0;
    }
    to->writes = result.bits;
    to->is_vector = result.kind == 'v' || result.kind == 'w' || result.kind == 'q';
    to->is_pair = result.kind == 'd' || result.kind == 'w';
    to->is_update = sign != '=' || (!to->is_vector && result.is_part);
    if (to->is_update) {
        gali_registers_add(&to->reads, result.bits);
    }
    add_form(self, result.kind);
    add_form(self, sign == '-' ? '+' : sign == '&' || sign == '^' ? '|' : sign);
    return 1;
}

/* jump, call, jumpr, loop0: an operation without a result. */
static void read_control(reading *self, const char *text, size_t size) {
    const size_t count = read_word(text, size, self->word);
    gali_instruction *to = self->to;
    add_form(self, '=');
    if (memcmp(self->word, "loop", 4) == 0) {
        add_form(self, 'n');
        read_operands(self, text + count, size - count);
        to->writes.scalar |= bit(GALI_PACKER_LOOP + (self->word[4] == '1'));
        return;
    }
    to->is_jump = 1;
    if (strcmp(self->word, "jumpr") == 0) {
        add_form(self, 'r');
        read_operands(self, text + count, size - count);
    } else if (strcmp(self->word, "call") == 0) {
        to->writes.scalar |= bit(31);
    } else {
        self->unknown |= strcmp(self->word, "jump") != 0;
    }
}

const char *gali_find_equals(const char *text, size_t size) {
    int depth = 0;
    for (size_t i = 0; i < size; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (text[i] == '=' && !depth) {
            return text + i;
        }
    }
    return NULL;
}

static void read_body(reading *self, const char *text, size_t size) {
    const char *equals = gali_find_equals(text, size);
    const int is_memory = size > 4 && (memcmp(text, "mem", 3) == 0 || memcmp(text, "vmem", 4) == 0);
    if (!equals) {
        read_control(self, text, size);
        return;
    }
    const size_t at = (size_t)(equals - text);
    const char *value = equals + 1;
    size_t value_size = size - at - 1;
    while (value_size && *value == ' ') {
        value++, value_size--;
    }
    if (is_memory) {
        add_form(self, at && strchr("+-|&", text[at - 1]) ? '+' : '=');
        read_store(self, text, at, value, value_size);
        self->to->is_vector = text[0] == 'v';
    } else if (read_result(self, text, size, at)) {
        read_operation(self, value, value_size);
    } else {
        self->unknown = 1;
    }
}

/* "if (!p0.new) ": how long it is; 0 without. */
static size_t read_condition(reading *self, const char *text, size_t size) {
    if (size < 7 || memcmp(text, "if (", 4) != 0) {
        return 0;
    }
    const size_t end = 3 + closed_at(text + 3, size - 3), at = text[4] == '!' ? 5 : 4;
    gali_operand found = gali_operand_read(text + at, end < size ? end - at : 0);
    if (end + 2 >= size || (found.kind != 'p' && found.kind != 'q') || found.size != end - at) {
        self->unknown = 1;
        return 0;
    }
    self->to->is_conditional = 1;
    self->to->predicate = found.kind == 'p' ? (int8_t)found.number : GALI_PACKER_NO_REGISTER;
    read_operands(self, text + at, end - at);
    return end + 2;
}

/* Copies the text without .new and .cur; a comparison that jumps keeps its own. */
static void write_plain(gali_instruction *to, const char *text, size_t size, int as_it_is) {
    size_t kept = 0;
    for (size_t i = 0; i < size;) {
        const int is_form =
            size - i >= 4 && (memcmp(text + i, ".new", 4) == 0 || memcmp(text + i, ".cur", 4) == 0);
        if (is_form && !as_it_is) {
            i += 4;
        } else {
            to->text[kept++] = text[i++];
        }
    }
    to->text[kept] = 0;
}

/* What follows from the rest: steps of registers, words of the packet, comparisons. */
static void conclude(reading *self) {
    gali_instruction *to = self->to;
    to->words = strstr(to->text, "##") ? 2 : 1;
    to->is_comparison = memcmp(self->word, "cmp.", 4) == 0 || strcmp(self->word, "tstbit") == 0 ||
                        memcmp(self->word, "bits", 4) == 0 || strcmp(self->form, "p=r") == 0;
    if (to->is_conditional) {
        gali_registers_add(&to->reads, to->writes);
        to->step_register = GALI_PACKER_NO_REGISTER;
    } else if (strcmp(self->word, "add") == 0 && strcmp(self->form, "r=ri") == 0) {
        const char *hash = strchr(to->text, '#');
        if (to->reads.scalar == to->writes.scalar && hash &&
            read_decimal(hash + 1, strlen(hash) - 2, &to->step)) {
            to->step_register = 0;
            while (to->writes.scalar >> to->step_register != 1) {
                to->step_register++;
            }
        }
    }
}

static int is_spelled(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (!isalnum((unsigned char)text[i]) && (!text[i] || !strchr(" _.,:;#()+-<=!|&^", text[i]))) {
            return 0;
        }
    }
    return size > 0 && size < GALI_PACKER_TEXT_MAX;
}

int gali_instruction_read(const char *text, size_t size, gali_instruction *instruction) {
    reading self = {.to = instruction};
    *instruction = (gali_instruction){.predicate = GALI_PACKER_NO_REGISTER,
                                      .value = GALI_PACKER_NO_REGISTER,
                                      .base = GALI_PACKER_NO_REGISTER,
                                      .step_register = GALI_PACKER_NO_REGISTER};
    const char *both = memchr(text, ';', size);
    if (!is_spelled(text, size)) {
        return 0;
    }
    write_plain(instruction, text, size, both != NULL);
    const size_t first = both ? (size_t)(both - text) : size, condition = read_condition(&self, text, first);
    if (!self.unknown) {
        read_body(&self, text + condition, first - condition);
    }
    instruction->unit = gali_packer_find_unit(self.word, self.form);
    if (both) { /* a comparison that jumps by what it makes */
        instruction->is_jump = 1;
        self.unknown |=
            memcmp(self.word, "cmp.", 4) != 0 || !strstr(instruction->text + first, " jump") || condition;
        instruction->unit = instruction->unit == GALI_PACKER_UNIT_COUNT ? instruction->unit : GALI_PACKER_jump;
    }
    conclude(&self);
    return !self.unknown && instruction->unit != GALI_PACKER_UNIT_COUNT;
}
