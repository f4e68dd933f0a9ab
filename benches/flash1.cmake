# Adapters for the public benchmark of matching engines (benches/flash1/README.md), and a test of them that needs
# nothing of it. engine_init is a name of both interfaces: the core's is another one in the copy of its archive linked
# here.
set(flash1 ${CMAKE_CURRENT_BINARY_DIR}/libcore_flash1.a)
add_custom_command(OUTPUT ${flash1} DEPENDS core
    COMMAND ${CMAKE_OBJCOPY} --redefine-sym engine_init=core_engine_init $<TARGET_FILE:core> ${flash1})
add_custom_target(flash1_core DEPENDS ${flash1})
foreach(part book engine)
    add_library(flash1_${part} MODULE flash1/${part}.c flash1/queue.c bare_book.c)
    set_target_properties(flash1_${part} PROPERTIES PREFIX "")
    target_include_directories(flash1_${part} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(flash1_${part} PRIVATE engine_init=core_engine_init)
    target_link_libraries(flash1_${part} PRIVATE ${flash1} rules model base)
    target_link_options(flash1_${part} PRIVATE -Wl,-z,defs)
    add_dependencies(flash1_${part} flash1_core)
endforeach()
add_executable(flash1_drive flash1/drive.c)
target_link_libraries(flash1_drive PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
add_dependencies(flash1_drive flash1_book flash1_engine)
add_test(NAME benches/flash1 COMMAND flash1_drive $<TARGET_FILE:flash1_book> $<TARGET_FILE:flash1_engine> 6000)

set(DOJIMA_FLASH1 "" CACHE PATH "a checkout of the public benchmark, built; empty: its scenarios are not run")
if(DOJIMA_FLASH1)
    add_library(flash1_same_abi OBJECT flash1/same_abi.c)
    target_include_directories(flash1_same_abi SYSTEM PRIVATE ${DOJIMA_FLASH1}/api)
    add_dependencies(flash1_drive flash1_same_abi)
endif()
