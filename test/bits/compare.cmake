# cmake -DPROGRAM=... -DISA=... -DGOLDEN=... -P compare.cmake: runs the bits program and compares its lines.
# An instruction set that this build or machine lacks is a skip: the program's own words say so.
set(ENV{GALLOP_ISA} ${ISA})
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE got ERROR_VARIABLE words RESULT_VARIABLE failed)
string(REPLACE "\r" "" got "${got}") # Windows ends lines with both
file(READ ${GOLDEN} expected)
if(words MATCHES "not in this build")
    message("SKIPPED: no ${ISA} here")
elseif(failed)
    message(FATAL_ERROR "bits under ${ISA}: exit ${failed}: ${words}")
elseif(NOT got STREQUAL expected)
    message(FATAL_ERROR "bits under ${ISA} differ\ngot:\n${got}expected:\n${expected}")
endif()
