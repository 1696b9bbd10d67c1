#include "onnx/import_onnx.h"

#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "commands.h"
#include "contract/contract.h"
#include "network/model_layout.h"
#include "onnx/onnx_model.h"

static const char *const gates[GAL_GATE_COUNT] = {"given", "cubic", "linear", "constant", "network"};

static void print_report(const char *path, const char *out, const gali_recognise_report *report, size_t size) {
    printf("%s: %u inputs -> %u outputs, %u layer%s", path, report->inputs, report->outputs, report->layers,
           report->layers == 1 ? "" : "s");
    if (report->gate == GAL_GATE_NETWORK) {
        printf(", %u experts blended by a gating network of %u layer%s on %u features", report->experts,
               report->gate_layers, report->gate_layers == 1 ? "" : "s", report->gate_features);
    } else if (report->gate_input[0]) {
        printf(", %u experts, gate %s by the input \"%s\"", report->experts, gates[report->gate],
               report->gate_input);
    }
    printf("\nnormalisation: %s\n", report->input_normalised && report->output_normalised ? "inputs and outputs"
                                    : report->input_normalised                            ? "inputs"
                                    : report->output_normalised                           ? "outputs"
                                                                                          : "none found");
    printf("%s: %.2f MB, %u golden frames; layers and graph differ by %.1g of a frame's rms at most\n", out,
           (double)size / 1e6, report->golden_frames, report->worst);
}

/* A refusal by recognition; who brings no contract may bring no controller either. */
static gal_status refuse(gal_error *error, const char *path, const gali_recognise_desc *desc,
                         const gal_error *why) {
    return gali_fail(error, why->status, "%.100s: %.150s%s", path, why->message,
                     desc->contract ? "" : " (gallop compile without --layers takes networks of any kind)");
}

gal_status gali_onnx_image(const char *path, const char *external, const gali_recognise_desc *desc,
                           void **image, size_t *size, gali_recognise_report *report, gal_error *error) {
    gali_onnx_model model = {.file = NULL};
    gali_recognise_desc whole = *desc;
    gal_error why = {0};
    char provenance[1024];
    *image = NULL;
    gal_status status = gali_onnx_model_open(&model, path, external, NULL, error);
    if (status == GAL_OK) {
        whole.provenance = provenance;
        whole.provenance_size = gali_onnx_provenance(model.file, provenance, sizeof provenance);
        whole.source_size = gali_onnx_file_bytes(model.file);
        status = gali_recognise_model(model.graph, &whole, image, size, report, &why);
        status = status == GAL_OK ? GAL_OK : refuse(error, path, desc, &why);
    }
    gali_onnx_model_release(&model);
    return status;
}

static gal_status import_file(const char *path, const char *external, const char *out,
                              const gali_recognise_desc *desc, gal_error *error) {
    gali_recognise_report report;
    void *image;
    size_t size;
    gal_status status = gali_onnx_image(path, external, desc, &image, &size, &report, error);
    if (status != GAL_OK) {
        return status;
    }
    status = gali_file_write(out, image, size, error);
    gali_release(NULL, image, size);
    if (status == GAL_OK) {
        print_report(path, out, &report, size);
    }
    return status;
}

/* Parsed before the model is read, so that the file that has the mistake is the one that is named. */
static gal_status read_contract(const char *path, void **text, size_t *size, gal_error *error) {
    gali_contract *contract = NULL;
    gal_error why = {0};
    gal_status status = gali_file_read(path, GALI_CONTRACT_MAX, NULL, text, size, error);
    if (status == GAL_OK && gali_contract_parse(&contract, *text, *size, NULL, &why) != GAL_OK) {
        status = gali_fail_in_file(error, path, &why);
    }
    gali_contract_release(contract, NULL);
    return status;
}

int gali_import_onnx(const char *path, const char *external, const char *out, const char *contract) {
    gali_recognise_desc desc = {0};
    gal_error error = {0};
    void *text = NULL;
    size_t size = 0;
    gal_status status = contract ? read_contract(contract, &text, &size, &error) : GAL_OK;
    if (status == GAL_OK) {
        desc.contract = text;
        desc.contract_size = size;
        status = import_file(path, external, out, &desc, &error);
    }
    gali_release(NULL, text, size);
    return status == GAL_OK ? GALI_EXIT_OK : gali_command_bad("import", "%s", error.message);
}
