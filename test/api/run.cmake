# gallop_run(what COMMAND...): runs a command; its failure, with all that it printed, is the test's. What it printed
# is in `printed`.
function(gallop_run what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
    if(NOT status EQUAL 0)
        string(JOIN " " command ${ARGN})
        message(FATAL_ERROR "${what}: ${status}\n${command}\n${printed}")
    endif()
    set(printed "${printed}" PARENT_SCOPE)
endfunction()

separate_arguments(flags UNIX_COMMAND "${FLAGS}")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
