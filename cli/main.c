#include "commands.h"

int main(int argc, char **argv) {
    return gali_command_main(argc > 1 ? argv[1] : NULL, argc - 1, argv + 1);
}
