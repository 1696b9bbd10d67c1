# ONNX import: protobuf-c's code for onnx.proto is made while building. Without the packages (Debian's
# libprotobuf-c-dev, protobuf-c-compiler, libonnx-dev) `gallop import` says in words that it cannot read ONNX.
pkg_check_modules(protobuf_c IMPORTED_TARGET libprotobuf-c)
find_program(PROTOC_C protoc-c)
find_path(ONNX_PROTO_FOLDER onnx/onnx.proto)

function(gallop_onnx target)
    if(NOT (protobuf_c_FOUND AND PROTOC_C AND ONNX_PROTO_FOLDER))
        message(STATUS "no ONNX import: libprotobuf-c, protoc-c or onnx/onnx.proto is missing")
        get_target_property(sources ${target} SOURCES)
        list(FILTER sources EXCLUDE REGEX "/onnx/[^/]*[.]c$")
        set_target_properties(${target} PROPERTIES SOURCES "${sources};${PROJECT_SOURCE_DIR}/src/import/onnx/missing.c")
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources EXCLUDE REGEX "/onnx/missing[.]c$")
    set_target_properties(${target} PROPERTIES SOURCES "${sources}")
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/onnx)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${folder}/onnx.pb-c.c ${folder}/onnx.pb-c.h VERBATIM
        COMMAND ${PROTOC_C} --proto_path=${ONNX_PROTO_FOLDER}/onnx --c_out=${folder} onnx.proto
        DEPENDS ${ONNX_PROTO_FOLDER}/onnx/onnx.proto)
    set_source_files_properties(${folder}/onnx.pb-c.c PROPERTIES COMPILE_OPTIONS -w)
    target_sources(${target} PRIVATE ${folder}/onnx.pb-c.c ${folder}/onnx.pb-c.h)
    target_include_directories(${target} SYSTEM PUBLIC ${folder})
    target_link_libraries(${target} PRIVATE PkgConfig::protobuf_c)
endfunction()
