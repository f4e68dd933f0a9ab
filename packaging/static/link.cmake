# SPDX-License-Identifier: MIT
# The program in one file (-DDOJIMA_STATIC=ON): what it otherwise loads when needed, libcurl and libpq with what they need,
# is linked into it; what they name for protocols that dojima does not use is written by packaging/static/absent.
file(GLOB pg_folders /usr/lib/postgresql/*/lib ${DOJIMA_SYSROOT}/usr/lib/postgresql/*/lib)
set(needed "")
foreach(name curl pq pgcommon pgport ssl crypto nghttp2 brotlidec brotlicommon zstd z)
    find_library(STATIC_${name} ${name} REQUIRED HINTS ${pg_folders})
    list(APPEND needed ${STATIC_${name}})
endforeach()
set(absent ${CMAKE_BINARY_DIR}/absent.c)
execute_process(COMMAND ${CMAKE_COMMAND} -E env NM=${CMAKE_NM} ${CMAKE_SOURCE_DIR}/packaging/static/absent
                ${STATIC_curl} ${STATIC_pq} OUTPUT_FILE ${absent} COMMAND_ERROR_IS_FATAL ANY)
add_library(absent STATIC ${absent})
target_compile_options(absent PRIVATE -w -fno-builtin)
foreach(room io log)
    target_link_libraries(${room} PUBLIC -Wl,--start-group ${needed} absent -Wl,--end-group m)
endforeach()
target_link_options(dojima PRIVATE -static-pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--gc-sections -Wl,--build-id=none
                    -Wl,-z,pack-relative-relocs)
