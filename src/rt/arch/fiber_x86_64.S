/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber_x86_64.S - switching between fibers: stack, callee-saved registers, floating-point
 * control words and the thread pointer (FS base), which carries TLS along.
 *
 * void burl_fiber_switch(void **save_sp, void *load_sp, uintptr_t fs_base);
 *     Saves the caller's context on its stack, its stack pointer in *save_sp, and continues the
 *     context at load_sp with the given thread pointer. Between the change of FS and the change of
 *     stack nothing may touch TLS: that is why it is one function.
 *
 * burl_fiber_entry: where a fresh context begins: calls r12(r13); never returns. Marked as the
 *     outermost frame, so that unwinders stop here.
 *
 * Loading the control words empties the pipeline, and they hardly ever differ: they are compared
 * first (with the flags of exceptions that were raised, in which fibers do differ where they
 * compute with floating point).
 *
 * burl_fiber_fsgsbase: 1 when wrfsbase may be used (about 15 ns instead of 280 ns).
 */
        .text
        .globl  burl_fiber_switch
        .hidden burl_fiber_switch
        .type   burl_fiber_switch, @function
        .p2align 4
burl_fiber_switch:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax            /* read as they were written: one load of both would wait */
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        cmpb    $0, burl_fiber_fsgsbase(%rip)
        je      1f
        wrfsbase %rdx
2:      movq    %rsi, %rsp
        cmpl    (%rsp), %eax
        jne     3f
        cmpw    4(%rsp), %cx
        jne     3f
4:      addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
3:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     4b
1:      movq    %rsi, %rbx
        movq    %rdx, %rsi
        movl    $0x1002, %edi           /* ARCH_SET_FS */
        movl    %eax, %ebp
        movl    %ecx, %r12d
        movl    $158, %eax              /* arch_prctl */
        syscall
        movl    %ebp, %eax
        movl    %r12d, %ecx
        movq    %rbx, %rsi
        jmp     2b
        .cfi_endproc
        .size   burl_fiber_switch, . - burl_fiber_switch

        .globl  burl_fiber_entry
        .hidden burl_fiber_entry
        .type   burl_fiber_entry, @function
        .p2align 4
burl_fiber_entry:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        movq    %r13, %rdi
        call    *%r12
        ud2
        .cfi_endproc
        .size   burl_fiber_entry, . - burl_fiber_entry

        .section .note.GNU-stack,"",@progbits
