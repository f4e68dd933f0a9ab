# SPDX-License-Identifier: MIT
# terminal_embed.cmake: writes INTO, a C file with the files of the terminal's folder FROM and of FROM/assets; none
# when FROM is empty. CMakeLists.txt includes it; it gives the list `embedded` of what the C file depends on.
set(embedded "")
if(FROM)
    file(GLOB embedded CONFIGURE_DEPENDS ${FROM}/* ${FROM}/assets/*)
    if(NOT EXISTS ${FROM}/index.html)
        message(FATAL_ERROR "DOJIMA_TERMINAL=${FROM}: there is no index.html; build it with `ninja terminal` first")
    endif()
endif()
string(CONCAT text "/* Written by tools/terminal_embed.cmake. */\n#include \"app/terminal_source.h\"\n"
       "#include \"base/in_program.h\"\n\n")
set(rows "")
set(number 0)
foreach(file IN LISTS embedded)
    if(NOT IS_DIRECTORY ${file} AND file MATCHES "\\.(html|js|css|svg|png|ico|woff2|txt|json|webmanifest)(\\.gz)?$")
        file(RELATIVE_PATH path ${FROM} ${file})
        string(APPEND text "FILE_IN_PROGRAM(terminal_file_${number}, \"${file}\");\n")
        string(APPEND rows "    { \"/${path}\", terminal_file_${number}, terminal_file_${number}_end },\n")
        math(EXPR number "${number} + 1")
    endif()
endforeach()
string(APPEND text "\nconst struct terminal_embedded terminal_embedded[] = {\n${rows}    { 0 },\n};\n"
                   "const uint32_t terminal_embedded_count = ${number};\n")
file(CONFIGURE OUTPUT ${INTO} CONTENT "${text}" @ONLY)
