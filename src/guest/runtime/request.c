#include "guest/runtime/request.h"

Request request;
Reply reply;
uint64_t request_count;
