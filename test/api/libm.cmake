# Of the C library's mathematics the runtime calls only what every library rounds exactly; the float64 truths that results are
# compared with (a layer's `truth`, kernels/ref) may call the rest, since no result is made of them.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
gallop_run("symbols" ${NM} -A -u ${INSIDE})
set(inexact "a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|cbrt|hypot|erfc?|[lt]gamma|j[01n]|y[01n]")
string(REGEX MATCHALL "[^\n:/]+[:]? +U (${inexact})[fl]?(@[^\n]*)?\n" calls "${printed}")
list(FILTER calls EXCLUDE REGEX "^(activate|gru)[.]c[.]o(bj)?:")
if(calls)
    list(JOIN calls "" calls)
    message(FATAL_ERROR "the runtime calls what C libraries do not agree on:\n${calls}")
endif()
if(NOT printed MATCHES "activate[.]c[.]o[^\n]* U exp\n")
    message(FATAL_ERROR "no truth calls exp: is this how ${NM} prints symbols?\n${printed}")
endif()
