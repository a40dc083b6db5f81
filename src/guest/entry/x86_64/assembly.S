	.text
/* heddle__assembly: called in place of an instruction of inline assembly, rdi holding the address of its
 * memory operand, heddle__asm the rest (guest/entry/x86_64/assembly.c). Every register and flag is kept but for what
 * the instruction changes. Nothing is known of the stack's alignment. While the instruction is performed the
 * stack holds, as record/assembly_code.h says: the distance of the registers from here, and a word that is not
 * used; what fxsave saves; perhaps another word that is not used; the registers, the address of the operand, the
 * flags; the return address. */
	.globl heddle__assembly
	.type heddle__assembly, @function
heddle__assembly:
	pushfq
	push %rdi
	push %r15
	push %r14
	push %r13
	push %r12
	push %r11
	push %r10
	push %r9
	push %r8
	pushq heddle__asm(%rip)		/* rdi */
	push %rsi
	push %rbp
	push %rsp			/* not used */
	push %rbx
	push %rdx
	push %rcx
	push %rax
	mov %rsp, %rbx
	mov %rsp, %rdi
	mov 144(%rsp), %rsi		/* where the program goes on */
	sub $528, %rsp
	and $-16, %rsp
	fxsave64 16(%rsp)
	mov %rbx, %rax
	sub %rsp, %rax
	mov %rax, (%rsp)
	cld
	call heddle__perform
	.size heddle__assembly, .-heddle__assembly

/* heddle__performed: where heddle__perform returns to: the table of dead bytes names this frame by it. */
	.type heddle__performed, @function
heddle__performed:
	fxrstor64 16(%rsp)
	mov %rbx, %rsp
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
	add $8, %rsp
	popfq
	ret
	.size heddle__performed, .-heddle__performed
	.section .note.GNU-stack, "", @progbits
