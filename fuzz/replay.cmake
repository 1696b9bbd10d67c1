# Included by the tests: each fuzz target replays its corpus as the CTest test fuzz/<parser>.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(parser ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" parser ${parser})
    add_executable(replay_${parser} ${source} ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
    target_include_directories(replay_${parser} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test)
    target_compile_definitions(replay_${parser} PRIVATE GALLOP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(replay_${parser} PRIVATE $<IF:$<IN_LIST:${parser},npy;drive_script;sizes>,gallop_cli,gallop_import>
        $<$<IN_LIST:${parser},onnx;recognise>:gallop_recognise> $<$<STREQUAL:${parser},graph_text>:gallop_graph>
        gallop_inside gallop_flags)
    add_test(NAME fuzz/${parser} COMMAND replay_${parser} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${parser})
    set_tests_properties(fuzz/${parser} PROPERTIES LABELS fuzz TIMEOUT 300)
    if(parser MATCHES "^(device|expression|loop|model|onnx_graph|packer|profile|schedule|sizes|tune_log)$")
        target_link_libraries(replay_${parser} PRIVATE gallop_compiler)
    endif()
endforeach()

# `BUILD/test/fuzz_seeds fuzz/corpus` writes the inputs that fuzzing starts from.
add_executable(fuzz_seeds ${PROJECT_SOURCE_DIR}/fuzz/seeds.c)
target_compile_definitions(fuzz_seeds PRIVATE GALLOP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_include_directories(fuzz_seeds PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test)
target_link_libraries(fuzz_seeds PRIVATE gallop_inside gallop_flags)
add_test(NAME fuzz/seeds COMMAND ${CMAKE_COMMAND} -DSEEDS=$<TARGET_FILE:fuzz_seeds> -DCORPUS=${PROJECT_SOURCE_DIR}/fuzz/corpus
    -DOUT=${CMAKE_CURRENT_BINARY_DIR}/seeds -P ${PROJECT_SOURCE_DIR}/fuzz/seeds.cmake)
set_tests_properties(fuzz/seeds PROPERTIES LABELS fuzz)
