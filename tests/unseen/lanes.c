/* Gathers and masked moves, which the runtime performs lane by lane: random ones, compared with loops. One thread;
 * with RACE another thread touches one lane (1: that is loaded by a gather, 2: that is loaded, 3: stored by a masked
 * move), with APART a lane that is not chosen: then nothing races. */
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
typedef union Vector {
    __m256i i;
    __m128i h[2];
    int32_t d[8];
    int64_t q[4];
} Vector;
static int32_t small[64];
static int64_t large[64];

static Vector any(void)
{
    Vector v;
    for (int i = 0; i < 4; i++)
        v.q[i] = (int64_t)next();
    return v;
}

/* Indexes from -8 to 7, of BYTES each. */
static Vector places(int bytes)
{
    Vector v;
    for (int i = 0; i < 32 / bytes; i++)
        if (bytes == 4)
            v.d[i] = (int32_t)(next() % 16) - 8;
        else
            v.q[i] = (int64_t)(next() % 16) - 8;
    return v;
}

static void check(const Vector *got, const Vector *source, const Vector *index, const Vector *mask, int index_bytes, int bytes,
                  int lanes)
{
    Vector want;
    memset(&want, 0, sizeof want);
    for (int i = 0; i < lanes; i++) {
        int64_t at = 32 + (index_bytes == 4 ? index->d[i] : index->q[i]);
        if (bytes == 4)
            want.d[i] = mask->d[i] < 0 ? small[at] : source->d[i];
        else
            want.q[i] = mask->q[i] < 0 ? large[at] : source->q[i];
    }
    assert(!memcmp(got, &want, sizeof want));
}

#define GATHER(name, index_bytes, bytes, lanes, type, whole, half_index, half_data)                                            \
    {                                                                                                                          \
        Vector s = any(), m = any(), x = places(index_bytes), got;                                                             \
        memset(&got, 0, sizeof got);                                                                                           \
        got.half_data = name((type *)(bytes == 4 ? (void *)(small + 32) : (void *)(large + 32)), x.half_index, s.half_data,    \
                             m.half_data);                                                                                     \
        check(&got, &s, &x, &m, index_bytes, bytes, lanes);                                                                    \
    }
#define I_DD(p, x, s, m) _mm256_mask_i32gather_epi32(s, p, x, m, 4)
#define I_DD_HALF(p, x, s, m) _mm_mask_i32gather_epi32(s, p, x, m, 4)
#define I_DQ(p, x, s, m) _mm256_mask_i32gather_epi64(s, p, x, m, 8)
#define I_DQ_HALF(p, x, s, m) _mm_mask_i32gather_epi64(s, p, x, m, 8)
#define I_QD(p, x, s, m) _mm256_mask_i64gather_epi32(s, p, x, m, 4)
#define I_QD_HALF(p, x, s, m) _mm_mask_i64gather_epi32(s, p, x, m, 4)
#define I_QQ(p, x, s, m) _mm256_mask_i64gather_epi64(s, p, x, m, 8)
#define I_QQ_HALF(p, x, s, m) _mm_mask_i64gather_epi64(s, p, x, m, 8)
#define F(v) _mm256_castsi256_ps(v)
#define D(v) _mm256_castsi256_pd(v)
#define I_PS(p, x, s, m) _mm256_castps_si256(_mm256_mask_i32gather_ps(F(s), (const float *)p, x, F(m), 4))
#define I_PD(p, x, s, m) _mm256_castpd_si256(_mm256_mask_i64gather_pd(D(s), (const double *)p, x, D(m), 8))

static void gathers(void)
{
    GATHER(I_DD, 4, 4, 8, int, i, i, i)
    GATHER(I_DD_HALF, 4, 4, 4, int, h[0], h[0], h[0])
    GATHER(I_DQ, 4, 8, 4, long long, i, h[0], i)
    GATHER(I_DQ_HALF, 4, 8, 2, long long, h[0], h[0], h[0])
    GATHER(I_QD, 8, 4, 4, int, h[0], i, h[0])
    GATHER(I_QD_HALF, 8, 4, 2, int, h[0], h[0], h[0])
    GATHER(I_QQ, 8, 8, 4, long long, i, i, i)
    GATHER(I_QQ_HALF, 8, 8, 2, long long, h[0], h[0], h[0])
    GATHER(I_PS, 4, 4, 8, int, i, i, i)
    GATHER(I_PD, 8, 8, 4, long long, i, i, i)
}

/* Masked moves of WIDTH bytes by lanes of BYTES. */
static void moves(int width, int bytes)
{
    Vector m = any(), s = any(), got, want;
    char *memory = (char *)small + 4 * (next() % 8), before[64];
    memcpy(before, memory, sizeof before);
    memset(&got, 0, sizeof got);
    memset(&want, 0, sizeof want);
    if (width == 32) {
        got.i = bytes == 4   ? _mm256_maskload_epi32((int *)memory, m.i)
                : next() & 1 ? _mm256_maskload_epi64((long long *)memory, m.i)
                             : _mm256_castpd_si256(_mm256_maskload_pd((double *)memory, m.i));
    } else {
        got.h[0] = bytes == 4 ? _mm_castps_si128(_mm_maskload_ps((float *)memory, m.h[0]))
                              : _mm_maskload_epi64((long long *)memory, m.h[0]);
    }
    for (int i = 0; i < width / bytes; i++)
        if (((char *)&m)[(i + 1) * bytes - 1] < 0)
            memcpy((char *)&want + i * bytes, memory + i * bytes, (size_t)bytes);
    assert(!memcmp(&got, &want, sizeof want));
    if (width == 32 && bytes == 4)
        _mm256_maskstore_epi32((int *)memory, m.i, s.i);
    else if (width == 32)
        _mm256_maskstore_pd((double *)memory, m.i, D(s.i));
    else if (bytes == 4)
        _mm_maskstore_ps((float *)memory, m.h[0], _mm_castsi128_ps(s.h[0]));
    else
        _mm_maskstore_epi64((long long *)memory, m.h[0], s.h[0]);
    for (int i = 0; i < width / bytes; i++)
        if (((char *)&m)[(i + 1) * bytes - 1] < 0)
            memcpy(before + i * bytes, (char *)&s + i * bytes, (size_t)bytes);
    assert(!memcmp(before, memory, sizeof before));
}

#ifdef RACE
#ifdef APART
#define WHICH 36
#else
#define WHICH 37
#endif
static void *touch(void *unused)
{
    small[WHICH] = 7;
    return unused;
}
static void race(void)
{
    pthread_t thread;
    Vector m, v;
    memset(&m, 0, sizeof m);
    v = m;
    m.d[5] = -1;
    pthread_create(&thread, NULL, touch, NULL);
#if RACE == 1
    v.d[5] = 5;
    v.i = _mm256_mask_i32gather_epi32(v.i, small + 32, v.i, m.i, 4);
#elif RACE == 2
    v.i = _mm256_maskload_epi32(small + 32, m.i);
#else
    v.d[5] = 9;
    _mm256_maskstore_epi32(small + 32, m.i, v.i);
    v.d[5] = 0;
#endif
    pthread_join(thread, NULL);
    assert(v.d[5] != 7);
    assert(RACE != 3 || small[37] == 9);
}
#else
static void race(void)
{
    for (int i = 0; i < 64; i++)
        small[i] = (int32_t)next(), large[i] = (int64_t)next();
    for (int i = 0; i < ROUNDS; i++) {
        gathers();
        moves(32, 4), moves(32, 8), moves(16, 4), moves(16, 8);
    }
}
#endif
int main(void)
{
    race();
    return 0;
}
