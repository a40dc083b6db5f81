/* Machine code that no compiler made: given as bytes, reached by a jump, or by a pointer to a place without a name. It
 * writes to `shared`, which another thread reads: what holds without it is not known to hold. With an even V the reader
 * is created first. */
#include <pthread.h>
#include <stdint.h>
#include <assert.h>
static int shared;
#define KIND ((V + 1) / 2)
#ifdef __cplusplus
#define C_NAME extern "C"
#else
#define C_NAME extern
#endif
/* movl $1,(%rdi); ret */
#define BYTES ".byte 0xc7, 0x07, 1, 0, 0, 0, 0xc3\n"
C_NAME void set(int *);
C_NAME void (*table)(int *);
#if KIND == 1
__asm__(".text\n.globl set\nset: " BYTES);
#elif KIND == 2
__asm__(".text; .globl set; .type set, @function; set: " BYTES ".size set, .-set");
#elif KIND == 3
__asm__(".text\n.Lplace: " BYTES ".data\n.globl table\ntable: .quad .Lplace\n.text");
#elif KIND == 4
__asm__(".section .mine, \"ax\", @progbits\n.Lplace: movl $1, (%rdi)\nret\n.data\n.globl table\ntable: .quad .Lplace\n.text");
#elif KIND == 5
__asm__(".pushsection .text.mine, \"ax\", @progbits\n.globl set\nset: .long 0x000107c7; .ascii \"\\0\\0\\303\"\n.popsection");
#elif KIND == 6
__asm__(".section .mine, \"ax\"\n.type code, @object\ncode: .quad 0\n" BYTES ".previous\n"
        ".data; .globl table; table: .quad code + 8; .text");
#elif KIND == 7
__asm__(".globl set; set: mov $1, %eax; stosl; ret");
#elif KIND == 8
__asm__(".globl set; set: push %rsi; pop %rsi; cld; 1: movl $1, (%rdi); ret");
#endif
static void write_shared(void)
{
#if KIND == 3 || KIND == 4 || KIND == 6
    table(&shared);
#elif KIND == 9
    __asm__ volatile("call 1f\njmp 2f\n1: movl $1, (%0)\nret\n2:" : : "r"(&shared) : "memory");
#elif KIND == 10
    __asm__ volatile("lea 1f(%%rip), %%rax; call *%%rax; jmp 2f; 1: .byte 0xc7, 0x07, 1, 0, 0, 0; ret; 2:"
                     : : "D"(&shared) : "memory", "rax");
#elif KIND == 11
    __asm__ volatile("movl $1, %%eax; stosl" : : "D"(&shared) : "memory", "rax");
#elif KIND == 12
    __asm__ volatile(".byte 0xc7, 0x07, 1, 0, 0, 0" : : "D"(&shared) : "memory");
#else
    set(&shared);
#endif
}
static void *writer(void *a)
{
    write_shared();
    return a;
}
static void *reader(void *a)
{
    assert(!shared);
    return a;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, V % 2 ? writer : reader, 0);
    pthread_create(&threads[1], 0, V % 2 ? reader : writer, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
