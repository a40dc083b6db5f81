/* What librdkafka's configuration would say, as far as tinycthread.c asks. */
#define WITH_C11THREADS 0
#define ENABLE_DEVEL 0
