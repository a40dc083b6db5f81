/* watch.S: announces one instruction of code that is watched (watch.c). */
	.text

/* heddle__watch: reached from a signal handler, in place of an instruction, with an argument on the stack. Every register and
 * flag is kept. No jump leaves all registers alone, so the thread goes on by a trap: heddle__watch_resume, where the stack
 * pointer is at the address that watch_step(argument, registers) has returned. */
	.set STATUS, 256
	.set VECTORS, 272
	.set FRAME, 784
	.balign 16
	.globl heddle__watch
	.hidden heddle__watch
	.type heddle__watch, %function
heddle__watch:
	sub sp, sp, #FRAME
	stp x0, x1, [sp]
	stp x2, x3, [sp, #16]
	stp x4, x5, [sp, #32]
	stp x6, x7, [sp, #48]
	stp x8, x9, [sp, #64]
	stp x10, x11, [sp, #80]
	stp x12, x13, [sp, #96]
	stp x14, x15, [sp, #112]
	stp x16, x17, [sp, #128]
	stp x18, x19, [sp, #144]
	stp x20, x21, [sp, #160]
	stp x22, x23, [sp, #176]
	stp x24, x25, [sp, #192]
	stp x26, x27, [sp, #208]
	stp x28, x29, [sp, #224]
	mrs x9, nzcv
	stp x30, x9, [sp, #240]
	add x10, sp, #VECTORS
	stp q0, q1, [x10]
	stp q2, q3, [x10, #32]
	stp q4, q5, [x10, #64]
	stp q6, q7, [x10, #96]
	stp q8, q9, [x10, #128]
	stp q10, q11, [x10, #160]
	stp q12, q13, [x10, #192]
	stp q14, q15, [x10, #224]
	stp q16, q17, [x10, #256]
	stp q18, q19, [x10, #288]
	stp q20, q21, [x10, #320]
	stp q22, q23, [x10, #352]
	stp q24, q25, [x10, #384]
	stp q26, q27, [x10, #416]
	stp q28, q29, [x10, #448]
	stp q30, q31, [x10, #480]
	mrs x11, fpcr
	mrs x12, fpsr
	stp x11, x12, [sp, #STATUS]
	ldr x0, [sp, #FRAME]
	mov x1, sp
	bl watch_step
	str x0, [sp, #FRAME]
	ldp x11, x12, [sp, #STATUS]
	msr fpcr, x11
	msr fpsr, x12
	add x10, sp, #VECTORS
	ldp q0, q1, [x10]
	ldp q2, q3, [x10, #32]
	ldp q4, q5, [x10, #64]
	ldp q6, q7, [x10, #96]
	ldp q8, q9, [x10, #128]
	ldp q10, q11, [x10, #160]
	ldp q12, q13, [x10, #192]
	ldp q14, q15, [x10, #224]
	ldp q16, q17, [x10, #256]
	ldp q18, q19, [x10, #288]
	ldp q20, q21, [x10, #320]
	ldp q22, q23, [x10, #352]
	ldp q24, q25, [x10, #384]
	ldp q26, q27, [x10, #416]
	ldp q28, q29, [x10, #448]
	ldp q30, q31, [x10, #480]
	ldp x30, x9, [sp, #240]
	msr nzcv, x9
	ldp x28, x29, [sp, #224]
	ldp x26, x27, [sp, #208]
	ldp x24, x25, [sp, #192]
	ldp x22, x23, [sp, #176]
	ldp x20, x21, [sp, #160]
	ldp x18, x19, [sp, #144]
	ldp x16, x17, [sp, #128]
	ldp x14, x15, [sp, #112]
	ldp x12, x13, [sp, #96]
	ldp x10, x11, [sp, #80]
	ldp x8, x9, [sp, #64]
	ldp x6, x7, [sp, #48]
	ldp x4, x5, [sp, #32]
	ldp x2, x3, [sp, #16]
	ldp x0, x1, [sp]
	add sp, sp, #FRAME
	.size heddle__watch, .-heddle__watch
	.globl heddle__watch_resume
	.hidden heddle__watch_resume
	.type heddle__watch_resume, %function
heddle__watch_resume:
	brk #1000
	.size heddle__watch_resume, .-heddle__watch_resume

	.section .note.GNU-stack, "", %progbits
