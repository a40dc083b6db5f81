#include "guest/explore/memory/pieces.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/access.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/code.h"
#include "guest/runtime/fiber.h"

static void load(char *address, unsigned bytes, int plain, const void *pc)
{
    DEBUG_ASSERT(bytes && bytes <= 8);
    request.kind = REQUEST_LOAD;
    request.order = ORDER_RELAXED;
    request.size = (uint8_t)bytes;
    request.plain = (uint8_t)plain;
    request.part = request.merge = 0;
    request.address = address;
    request.pc = pc;
    request_submit();
}

/* Functions of their own have variables whose addresses are passed on: in a frame that is there
 * while the thread waits, left-overs in them would tell its states apart (scrub.h). */
__attribute__((noinline)) static void put_answer(char *address, unsigned bytes)
{
    deferred_load(address, bytes, (uint64_t[]){reply.value, reply.value_high}, false);
}

void pieces_load(char *address, unsigned bytes, int plain, const void *pc)
{
    load(address, bytes, plain, pc);
    put_answer(address, bytes);
}

/* Is all of it one event? */
static bool is_whole(const char *address, size_t bytes)
{
    const MemoryPiece piece = memory_piece(address, bytes);
    return piece.bytes == bytes && piece.races;
}

static void check_size(size_t bytes, const char *verb)
{
    if (bytes > DEFERRED_MOST)
        op_unsupported("a plain %s of %zu bytes of which a part races: at most %d can be explored",
                       verb, bytes, DEFERRED_MOST);
}

/* Remarks that an access which the processor would do at once is explored in parts. */
static void remark_torn(const char *address, size_t bytes)
{
    if (((uintptr_t)address & 7) + bytes > 8)
        return;
    unsigned racing = 0;
    MemoryPiece piece;
    for (size_t done = 0; done < bytes; done += piece.bytes) {
        piece = memory_piece(address + done, bytes - done);
        racing += piece.races;
    }
    if (racing > 1)
        op_warning(
            "a plain access of %zu bytes races with accesses to parts of it, and was explored "
            "part by part",
            bytes);
}

/* Kept off the way: its frame has the size of the access. */
__attribute__((noinline)) static void read_pieces(char *address, size_t bytes, const void *pc)
{
    if ((char *)__builtin_frame_address(0) - fibers[fiber_current].limit < (ptrdiff_t)bytes + 16384)
        op_unsupported(
            "a thread's stack is too small for a plain read of %zu bytes of which a part "
            "races: use a larger one (--stack)",
            bytes);
    unsigned char *values = __builtin_alloca(bytes);
    memset(values, 0, bytes); /* states of the thread are compared by their bytes */
    MemoryPiece piece;
    for (size_t done = 0; done < bytes; done += piece.bytes) {
        piece = memory_piece(address + done, bytes - done);
        if (piece.races) {
            load(address + done, piece.bytes, 1, pc);
            memcpy(values + done, &reply.value, piece.bytes);
        } else {
            access_granules(address + done, piece.bytes, false, pc);
        }
    }
    deferred_load(address, (unsigned)bytes, values, true);
}

void pieces_read(char *address, size_t bytes, const void *pc)
{
    if (is_whole(address, bytes)) {
        pieces_load(address, (unsigned)bytes, 1, pc);
        return;
    }
    check_size(bytes, "read");
    remark_torn(address, bytes);
    read_pieces(address, bytes, pc);
}

bool pieces_loads_first(const char *address, size_t bytes, const void *pc)
{
    return bytes <= 8 && code_loads_first(pc, fiber_of_stack(address) == fiber_current);
}

static void write_pieces(char *address, size_t bytes, const void *pc)
{
    if (is_whole(address, bytes)) {
        deferred_store(DEFERRED_STORE, address, (unsigned)bytes, 1, pc);
        return;
    }
    check_size(bytes, "write");
    remark_torn(address, bytes);
    deferred_store(DEFERRED_PIECES, address, (unsigned)bytes, 1, pc);
}

uint64_t pieces_end_load(const char *address, size_t bytes)
{
    DEBUG_ASSERT(bytes <= 8);
    uint64_t loaded = 0;
    memcpy(&loaded, address, bytes);
    deferred_flush();
    return loaded;
}

void pieces_write(char *address, size_t bytes, const void *pc)
{
    if (LIKELY(!pieces_loads_first(address, bytes, pc))) {
        write_pieces(address, bytes, pc);
        return;
    }
    pieces_read(address, bytes, pc);
    uint64_t loaded = pieces_end_load(address, bytes);
    write_pieces(address, bytes, pc);
    memcpy(address, &loaded, bytes);
}

/* A piece that does not race is written; an atomic object in it that has events gets one more. */
static void store_quietly(char *address, unsigned bytes, const unsigned char *fresh, const void *pc)
{
    bool met = access_granules(address, bytes, true, pc);
    memcpy(address, fresh, bytes);
    if (LIKELY(!met))
        return;
    char *places[16]; /* all of them before others run: then more may have events */
    unsigned sizes[16], count = 0;
    while (count < COUNT_OF(places) &&
           memory_location_in(address, address + bytes, count, &places[count], &sizes[count]))
        count++;
    for (unsigned i = 0; i < count; i++)
        deferred_submit_range(places[i], sizes[i], address, address + bytes, 1, pc);
}

void pieces_store(char *address, size_t size, const unsigned char *fresh, const void *pc)
{
    DEBUG_ASSERT(size <= DEFERRED_MOST);
    MemoryPiece piece;
    for (size_t done = 0; done < size; done += piece.bytes) {
        piece = memory_piece(address + done, size - done);
        if (piece.races)
            deferred_submit(address + done, piece.bytes, fresh + done, 1, pc);
        else
            store_quietly(address + done, piece.bytes, fresh + done, pc);
    }
}

void pieces_copy_racing(const char *place, void *to, const void *from, size_t size)
{
    MemoryPiece piece;
    for (size_t done = 0; done < size; done += piece.bytes) {
        piece = memory_piece(place + done, size - done);
        if (piece.races && memcmp((char *)to + done, (const char *)from + done, piece.bytes))
            memcpy((char *)to + done, (const char *)from + done, piece.bytes);
    }
}
