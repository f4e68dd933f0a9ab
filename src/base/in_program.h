/* SPDX-License-Identifier: MIT */
/* in_program.h — files that are in the program as they are. */
#ifndef BASE_IN_PROGRAM_H
#define BASE_IN_PROGRAM_H

/* The file at PATH, a literal, from NAME to NAME_end; a zero follows. The build names it in OBJECT_DEPENDS. */
#define FILE_IN_PROGRAM(NAME, PATH)                                                                                    \
    __asm__(".pushsection .rodata\n.global " #NAME "\n" #NAME ":\n.incbin \"" PATH "\"\n.global " #NAME "_end\n" #NAME \
            "_end:\n.byte 0\n.popsection\n");                                                                          \
    extern const char NAME[], NAME##_end[]

#endif
