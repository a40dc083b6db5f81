/* What tcmalloc's configuration would say, as far as its lock asks. */
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE___ATTRIBUTE__ 1
#define HAVE_UNISTD_H 1
#define PERFTOOLS_DLL_DECL
