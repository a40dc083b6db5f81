/* The context switch: x19 to x30, d8 to d15 and the stack pointer, 160 bytes. The return address is a register like others. */
	.macro save_registers
	sub sp, sp, #160
	stp x19, x20, [sp]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	.endm
	.macro load_registers
	ldp x19, x20, [sp]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	add sp, sp, #160
	.endm
	.macro entry name
	.text
	.balign 16
	.globl \name
	.hidden \name
	.type \name, %function
\name:
	.endm

	entry heddle__switch
	save_registers
	mov x9, sp
	str x9, [x0]
	mov sp, x1
	load_registers
	ret
	.size heddle__switch, .-heddle__switch

/* heddle__registers(a, b, c, see): see(a, b, c, sp), where the callee-saved registers lie on the stack from sp on. */
	entry heddle__registers
	save_registers
	mov x9, x3
	mov x3, sp
	blr x9
	ldp x29, x30, [sp, #80]
	add sp, sp, #160
	ret
	.size heddle__registers, .-heddle__registers

	entry heddle__fiber_start
	.cfi_startproc
	.cfi_undefined x30
	mov x29, xzr
	mov x0, x19
	blr x20
	brk #1
	.cfi_endproc
	.size heddle__fiber_start, .-heddle__fiber_start

/* Between a call and a function of a library: every register that may hold an argument is kept. x16 is the thunk.
 * The frame stays while the function runs (the return address must stand on the stack, next to the arguments there), so
 * the first of the arguments on the stack are given to it once more. */
	.set STACKED, 64		/* bytes of them */
	.set FRAME, 240
	entry heddle__opaque
	.cfi_startproc
	sub sp, sp, #FRAME
	.cfi_adjust_cfa_offset FRAME
	stp x29, x30, [sp, #224]
	.cfi_rel_offset x29, 224
	.cfi_rel_offset x30, 232
	add x29, sp, #224
	str x16, [sp, #8]
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	stp q0, q1, [sp, #96]
	stp q2, q3, [sp, #128]
	stp q4, q5, [sp, #160]
	stp q6, q7, [sp, #192]
	add x0, sp, #232
	mov x1, x16
	add x2, sp, #16
	bl opaque_enter
	mov x16, x0			/* the function */
	str x1, [sp]			/* is its return of interest? */
	ldp q0, q1, [sp, #96]
	ldp q2, q3, [sp, #128]
	ldp q4, q5, [sp, #160]
	ldp q6, q7, [sp, #192]
	cbnz x1, 3f
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldr x8, [sp, #80]
	ldp x29, x30, [sp, #224]
	.cfi_remember_state
	.cfi_restore x29
	.cfi_restore x30
	add sp, sp, #FRAME
	.cfi_adjust_cfa_offset -FRAME
	br x16
3:	.cfi_restore_state
	.cfi_def_cfa x29, 16
	add x9, sp, #FRAME
	sub sp, sp, #STACKED
	mov x10, sp
	mov x11, #STACKED
1:	ldp x12, x13, [x9], #16
	stp x12, x13, [x10], #16
	subs x11, x11, #16
	b.ne 1b
	sub x9, x29, #224
	ldp x0, x1, [x9, #16]
	ldp x2, x3, [x9, #32]
	ldp x4, x5, [x9, #48]
	ldp x6, x7, [x9, #64]
	ldr x8, [x9, #80]
	blr x16
	add sp, sp, #STACKED
	ldr x9, [sp]
	tbz x9, #0, 2f
	stp q0, q1, [sp, #96]		/* results: x0, x1, v0 to v3 */
	stp q2, q3, [sp, #128]
	stp x0, x1, [sp, #160]
	add x0, sp, #232
	ldr x1, [sp, #8]
	add x2, sp, #16
	bl opaque_leave
	ldp q0, q1, [sp, #96]
	ldp q2, q3, [sp, #128]
	ldp x0, x1, [sp, #160]
2:	ldp x29, x30, [sp, #224]
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa sp, FRAME
	add sp, sp, #FRAME
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size heddle__opaque, .-heddle__opaque

/* heddle__baton(save, load, own, other): see x86_64/arch.S. */
	entry heddle__baton
	.cfi_startproc
	save_registers
	.cfi_adjust_cfa_offset 160
	.cfi_rel_offset x29, 80
	.cfi_rel_offset x30, 88
	mov x9, sp
	str x9, [x0]
	mov x19, x1
	mov x20, x2
	mov w9, #1
	stlr w9, [x3]
	mov x8, #98			/* futex(other, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1) */
	mov x0, x3
	mov x1, #129
	mov x2, #1
	svc #0
1:	ldaxr w9, [x20]
	stlxr w10, wzr, [x20]
	cbnz w10, 1b
	cbnz w9, 2f
	mov x8, #98			/* futex(own, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, no limit) */
	mov x0, x20
	mov x1, #128
	mov x2, #0
	mov x3, #0
	svc #0
	b 1b
2:	ldr x9, [x19]
	mov sp, x9
	load_registers
	ret
	.cfi_endproc
	.size heddle__baton, .-heddle__baton

	.section .note.GNU-stack, "", %progbits
