# cmake -DSOURCE= -DPREFIX= -DWORK= -DCC= -DPKG_CONFIG= -DGENERATOR=Ninja -P prefix.cmake: hosts of an installation that
# came from elsewhere, a package.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
gallop_consume(${PREFIX})
