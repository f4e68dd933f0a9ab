# SPDX-License-Identifier: MIT
# commit.cmake: writes INTO, a C file that names the commit of the tree ROOT; "unknown" where there is no git.
execute_process(COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${INTO} CONTENT "#include \"admin/audit.h\"\n\nconst char build_commit[] = \"${commit}\";\n")
