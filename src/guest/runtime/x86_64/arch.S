/* The context switch: six registers and the stack pointer. It leaves by a jump: arch_switch, to
 * which it mostly goes, has called nothing. */
	.text
	.globl heddle__switch
	.hidden heddle__switch
	.type heddle__switch, @function
heddle__switch:
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, (%rdi)
	mov %rsi, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	pop %rcx
	jmp *%rcx
	.size heddle__switch, .-heddle__switch

/* heddle__registers(a, b, c, see): see(a, b, c, sp), where the callee-saved registers lie on the stack from
 * sp on: with the rest of the stack, all that the caller's callers still have in mind. */
	.globl heddle__registers
	.hidden heddle__registers
	.type heddle__registers, @function
heddle__registers:
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rcx, %rax
	mov %rsp, %rcx
	sub $8, %rsp			/* the stack is 16-byte aligned at the call */
	call *%rax
	add $56, %rsp
	ret
	.size heddle__registers, .-heddle__registers

	.globl heddle__fiber_start
	.hidden heddle__fiber_start
	.type heddle__fiber_start, @function
heddle__fiber_start:
	.cfi_startproc
	.cfi_undefined rip
	xor %ebp, %ebp
	mov %r12, %rdi
	call *%r13
	ud2
	.cfi_endproc
	.size heddle__fiber_start, .-heddle__fiber_start
/* Between a call and a function of a library: every register that may hold an argument is kept. r11 is the
 * thunk. */
	.globl heddle__opaque
	.hidden heddle__opaque
	.type heddle__opaque, @function
heddle__opaque:
	.cfi_startproc
	push %rax
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	push %r11
	sub $144, %rsp			/* a multiple of 16 now, as calls want it */
	.cfi_adjust_cfa_offset 216
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	movups %xmm2, 32(%rsp)
	movups %xmm3, 48(%rsp)
	movups %xmm4, 64(%rsp)
	movups %xmm5, 80(%rsp)
	movups %xmm6, 96(%rsp)
	movups %xmm7, 112(%rsp)
	lea 216(%rsp), %rdi
	mov %r11, %rsi
	lea 144(%rsp), %rdx
	call opaque_enter
	mov %rax, 128(%rsp)		/* the function */
	test %rdx, %rdx			/* is its return of interest? */
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	movups 32(%rsp), %xmm2
	movups 48(%rsp), %xmm3
	movups 64(%rsp), %xmm4
	movups 80(%rsp), %xmm5
	movups 96(%rsp), %xmm6
	movups 112(%rsp), %xmm7
	mov 152(%rsp), %r10
	mov 160(%rsp), %r9
	mov 168(%rsp), %r8
	mov 176(%rsp), %rdi
	mov 184(%rsp), %rsi
	mov 192(%rsp), %rdx
	mov 200(%rsp), %rcx
	mov 208(%rsp), %rax
	jnz 1f
	mov 128(%rsp), %r11
	add $216, %rsp
	.cfi_adjust_cfa_offset -216
	jmp *%r11
	.cfi_adjust_cfa_offset 216
1:	call *128(%rsp)
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	mov %rax, 32(%rsp)
	mov %rdx, 40(%rsp)
	lea 216(%rsp), %rdi
	mov 144(%rsp), %rsi
	lea 144(%rsp), %rdx
	call opaque_leave
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	mov 32(%rsp), %rax
	mov 40(%rsp), %rdx
	add $216, %rsp
	.cfi_adjust_cfa_offset -216
	ret
	.cfi_endproc
	.size heddle__opaque, .-heddle__opaque

/* heddle__baton(save, load, own, other): saves the registers as heddle__switch does, gives the baton
 * to whoever waits for *other, waits for *own, and goes on with what *load says by then. While it
 * waits nothing of the stack below *save is used: whoever has the baton may write there, and a
 * debugger that looks at the waiting thread finds its frames as they are. */
	.globl heddle__baton
	.hidden heddle__baton
	.type heddle__baton, @function
heddle__baton:
	.cfi_startproc
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	push %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	push %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	push %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	push %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	mov %rsp, (%rdi)
	mov %rsi, %rbx
	mov %rdx, %r12
	movl $1, (%rcx)
	mov $202, %eax			/* futex(other, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1) */
	mov %rcx, %rdi
	mov $129, %esi
	mov $1, %edx
	syscall
1:	xor %eax, %eax
	xchg %eax, (%r12)
	test %eax, %eax
	jnz 2f
	mov $202, %eax			/* futex(own, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, no limit) */
	mov %r12, %rdi
	mov $128, %esi
	xor %edx, %edx
	xor %r10d, %r10d
	syscall
	jmp 1b
2:	mov (%rbx), %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	.cfi_adjust_cfa_offset -48
	ret
	.cfi_endproc
	.size heddle__baton, .-heddle__baton

	.section .note.GNU-stack, "", @progbits
