# cmake -DINPUTS=a|b -DOUTPUT=x.c -DNAME=x -DBIG=0 -P embed.cmake
# The inputs, one behind the other, as a C array of 64-bit words, which compiles much faster than bytes.
# An input that does not exist adds nothing, so that an absent model becomes an empty array.
string(REPLACE "|" ";" inputs "${INPUTS}")
set(hex "")
foreach(input IN LISTS inputs)
    if(EXISTS "${input}")
        file(READ "${input}" part HEX)
        string(APPEND hex "${part}")
    endif()
endforeach()
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
set(hex "${hex}0000000000000000")
set(order "\\8\\7\\6\\5\\4\\3\\2\\1")
if(BIG)
    set(order "\\1\\2\\3\\4\\5\\6\\7\\8")
endif()
string(REGEX REPLACE "(..)(..)(..)(..)(..)(..)(..)(..)" "0x${order},\n" words "${hex}")
string(REGEX REPLACE "\n[^,]*$" "\n" words "${words}")
file(WRITE "${OUTPUT}" "#include \"base/embedded.h\"\n\nextern const gali_embedded gali_embedded_${NAME};\nstatic const uint64_t words[] = {\n${words}};\n\n"
    "const gali_embedded gali_embedded_${NAME} = {words, ${size}};\n")
