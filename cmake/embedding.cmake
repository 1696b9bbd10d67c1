# gallop_embed(list name file...): the files, paths from the project's root, as one C array gali_embedded_<name>
# (base/embedded.h); adds the source to the list.
set(GALLOP_BIG 0)
if(CMAKE_C_BYTE_ORDER STREQUAL BIG_ENDIAN)
    set(GALLOP_BIG 1)
endif()
function(gallop_embed list name)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
    file(GLOB present CONFIGURE_DEPENDS ${inputs})
    list(JOIN inputs "|" joined)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.c)
    add_custom_command(OUTPUT ${output} VERBATIM
        COMMAND ${CMAKE_COMMAND} -DINPUTS=${joined} -DOUTPUT=${output} -DNAME=${name} -DBIG=${GALLOP_BIG}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${present} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    set(${list} ${${list}} ${output} PARENT_SCOPE)
endfunction()
