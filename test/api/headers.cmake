# Every public header compiles alone, and twice, as C11 and as C++17, with all warnings; C++ links the library.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
file(GLOB headers RELATIVE ${SOURCE}/include ${SOURCE}/include/gallop/*.h)
if(NOT headers)
    message(FATAL_ERROR "no public headers")
endif()
foreach(header IN LISTS headers)
    string(REPLACE "/" "_" name ${header})
    file(WRITE ${WORK}/${name}.c "#include <${header}>\n#include <${header}>\ntypedef int not_empty;\n")
    gallop_run("${header} as C11" ${CC} -std=c11 ${warnings} -Wstrict-prototypes -I${SOURCE}/include -fsyntax-only
        ${WORK}/${name}.c)
    if(CXX)
        gallop_run("${header} as C++17" ${CXX} -std=c++17 ${warnings} -I${SOURCE}/include -fsyntax-only
            -x c++ ${WORK}/${name}.c)
    endif()
endforeach()
if(CXX AND NOT FLAGS MATCHES "sanitize|coverage")
    file(WRITE ${WORK}/link.cpp "#include <gallop/crowd.h>\n#include <gallop/network.h>\n"
        "int main() { gal_controller *c; gal_error e{}; gal_network_close(nullptr);\n"
        "return gal_controller_open(&c, \"no such file\", nullptr, &e) == GAL_IO && gal_version()[0] ? 0 : 1; }\n")
    get_filename_component(folder ${LIBRARY} DIRECTORY) # of a shared one
    gallop_run("C++ program" ${CXX} -std=c++17 ${warnings} -I${SOURCE}/include ${WORK}/link.cpp ${LIBRARY} -lm
        -Wl,-rpath,${folder} -o ${WORK}/link)
    gallop_run("C++ program" ${WORK}/link)
endif()
