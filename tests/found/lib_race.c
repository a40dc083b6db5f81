
#include <pthread.h>
#include <stdio.h>
int v, z;
void *a(void *x) { sscanf("12", "%d", &v); return 0; }
void *b(void *x) { z = v; return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); pthread_join(s, 0); pthread_join(t, 0); }
