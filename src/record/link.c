#include "record/link.h"

const uint64_t link_version = LINK_VERSION; /* see the Makefile */
