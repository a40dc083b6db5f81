/* The multi-threaded encoder of xz: a few bytes in blocks of their own, so that each is the work of another thread,
 * go through lzma_code. The stream that comes out has the sizes that its index tells and ends with the magic bytes of
 * a stream footer; the encoder is the whole of liblzma, with the smallest dictionary that it takes. */
#include <assert.h>
#include <lzma.h>
#include <string.h>

static uint8_t input[BLOCKS * 4], output[1024];

int main(void)
{
    lzma_options_lzma smallest = {.dict_size = LZMA_DICT_SIZE_MIN,
                                  .lc = 0,
                                  .lp = 0,
                                  .pb = 0,
                                  .mode = LZMA_MODE_FAST,
                                  .nice_len = 8,
                                  .mf = LZMA_MF_HC3,
                                  .depth = 1};
    lzma_filter filters[] = {{.id = LZMA_FILTER_LZMA2, .options = &smallest}, {.id = LZMA_VLI_UNKNOWN}};
    lzma_mt options = {.threads = 2, .block_size = 4, .filters = filters, .check = LZMA_CHECK_CRC32};
    lzma_stream stream = LZMA_STREAM_INIT;
    for (unsigned i = 0; i < sizeof input; i++)
        input[i] = (uint8_t)(i * 37);
    assert(lzma_stream_encoder_mt(&stream, &options) == LZMA_OK);
    stream.next_in = input;
    stream.avail_in = sizeof input;
    stream.next_out = output;
    stream.avail_out = sizeof output;
    lzma_ret status;
    while ((status = lzma_code(&stream, LZMA_FINISH)) == LZMA_OK)
        ;
    assert(status == LZMA_STREAM_END);
    assert(stream.total_in == sizeof input && stream.total_out % 4 == 0);
    assert(!memcmp(output, "\3757zXZ", 6));
    assert(!memcmp(output + stream.total_out - 2, "YZ", 2));
    lzma_end(&stream);
    return 0;
}
