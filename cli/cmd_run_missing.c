/* gallop run where the compiler was built without what builds and loads C. */
#include "commands.h"

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    return gali_command_bad("run",
                            "this build cannot run models: that needs jansson and dlopen, which were not "
                            "there (Windows has no dlopen); gallop compile makes C of them");
}

const gali_command gali_command_run = {
    .name = "run",
    .summary = "runs an ONNX model on arrays; not in this build",
    .help =
        "usage: gallop run\n\n"
        "This build cannot run models: that needs jansson and dlopen, which were not there when it was made.\n"
        "gallop compile makes C of them.\n",
    .run = run,
};
