/* watch.S: performs one instruction of code that is watched (watch.c). */
	.text

/* heddle__watch: reached from a signal handler, in place of an instruction, with an argument below the red zone.
 * Goes on where watch_step(argument, registers) says, with every register and flag as it was. */
	.globl heddle__watch
	.hidden heddle__watch
	.type heddle__watch, @function
heddle__watch:
	pushfq
	push %r15
	push %r14
	push %r13
	push %r12
	push %r11
	push %r10
	push %r9
	push %r8
	push %rdi
	push %rsi
	push %rbp
	push %rsp			/* not used */
	push %rbx
	push %rdx
	push %rcx
	push %rax
	mov %rsp, %rbx
	sub lanes_state_bytes(%rip), %rsp
	and $-64, %rsp
	cld
	mov %rsp, %rdi			/* the header must be zero; the rest, so that equal states have equal stacks */
	mov lanes_state_bytes(%rip), %rcx
	shr $3, %rcx
	xor %eax, %eax
	rep stosq
	mov lanes_state_mask(%rip), %rax
	xor %edx, %edx
	test %eax, %eax
	jz 1f
	xsave64 (%rsp)
	jmp 2f
1:	fxsave64 (%rsp)
2:	mov 136(%rbx), %rdi
	mov %rbx, %rsi
	mov %rsp, %rdx
	call watch_step
	mov %rax, 136(%rbx)
	mov lanes_state_mask(%rip), %rax
	xor %edx, %edx
	test %eax, %eax
	jz 3f
	xrstor64 (%rsp)
	jmp 4f
3:	fxrstor64 (%rsp)
4:	mov %rbx, %rsp
	pop %rax
	pop %rcx
	pop %rdx
	pop %rbx
	add $8, %rsp
	pop %rbp
	pop %rsi
	pop %rdi
	pop %r8
	pop %r9
	pop %r10
	pop %r11
	pop %r12
	pop %r13
	pop %r14
	pop %r15
	popfq
	ret $136			/* the stack is as it was: BELOW of guest/entry/x86_64/watch.c, less this word */
	.size heddle__watch, .-heddle__watch

/* heddle__watch_call: the rest of a call through memory that was watched: the return address stands below the stack
 * pointer. */
	.globl heddle__watch_call
	.hidden heddle__watch_call
	.type heddle__watch_call, @function
heddle__watch_call:
	lea -8(%rsp), %rsp
	jmp *heddle__watch_target(%rip)
	.size heddle__watch_call, .-heddle__watch_call

	.section .note.GNU-stack, "", @progbits
