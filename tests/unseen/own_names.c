#include <assert.h>
#include <stddef.h>
int getline(char *to, int most);
size_t strlen(const char *s);
void *memcpy(void *restrict a, const void *restrict b, size_t n);
int rand(void);
struct big { long a[9]; } x, y;
int main(void) { char b[4]; x = y; assert(getline(b, 3) == 42 && rand() == 7 && strlen("abc") == 103); }
