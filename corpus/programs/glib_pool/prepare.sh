#!/usr/bin/env bash
# Makes what glib's own configuration would make, for x86-64 with glibc: glibconfig.h and a small config.h.
# usage: prepare.sh SOURCE-FOLDER
set -eu
cd "$1"
rm -f glibconfig.h config.h # perhaps links into another tree
sed -e 's/#mesondefine \(GLIB_HAVE_ALLOCA_H\|GLIB_USING_SYSTEM_PRINTF\|G_HAVE_GNUC_VISIBILITY\|G_ATOMIC_LOCK_FREE\)/#define \1 1/' \
    -e 's/#mesondefine .*//' -e 's/@glib_extension@/__extension__ /' \
    -e 's/@gint16@/short/; s/@gint32@/int/; s/@gint64@/long/; s/@g\(size\|ssize\|int64\|intptr\)_modifier@/"l"/' \
    -e 's/@gint64_constant@/(val##L)/; s/@guint64_constant@/(val##UL)/' \
    -e 's/@gint16_modifier@/"h"/; s/@gint32_modifier@/""/' \
    -e 's/@gint16_format@/"hi"/; s/@guint16_format@/"hu"/; s/@gint32_format@/"i"/; s/@guint32_format@/"u"/' \
    -e 's/@g\(int64\|ssize\|intptr\)_format@/"li"/; s/@g\(uint64\|size\|uintptr\)_format@/"lu"/' \
    -e 's/@glib_\(void_p\|long\|size_t\|ssize_t\)@/8/; s/@glib_\(size\|intptr\)_type_define@/long/' \
    -e 's/@glib_msize_type@/LONG/; s/@glib_gpi_cast@/(glong)/; s/@glib_gpui_cast@/(gulong)/' \
    -e 's/@g_pollfd_format@/"%d"/; s/@g_pid_format@/"i"/; s/@g_pid_type@/int/' \
    -e 's/@GLIB_MAJOR_VERSION@/2/; s/@GLIB_MINOR_VERSION@/74/; s/@GLIB_MICRO_VERSION@/6/' \
    -e 's/@glib_os@/#define G_OS_UNIX/; s/@glib_vacopy@/#define G_VA_COPY va_copy/; s/@g_threads_impl_def@/POSIX/' \
    -e 's/@g_bs_native@/LE/; s/@g_bs_alien@/BE/; s/@g_byte_order@/G_LITTLE_ENDIAN/' \
    -e 's/@gintbits@/32/; s/@glongbits@/64/; s/@gsizebits@/64/; s/@g_module_suffix@/so/' \
    -e 's/@g_pollin@/1/; s/@g_pollout@/4/; s/@g_pollpri@/2/; s/@g_pollhup@/16/; s/@g_pollerr@/8/; s/@g_pollnval@/32/' \
    -e 's/@g_af_unix@/1/; s/@g_af_inet@/2/; s/@g_af_inet6@/10/; s/@g_msg_oob@/1/; s/@g_msg_peek@/2/' \
    -e 's/@g_msg_dontroute@/4/; s|@g_dir_separator@|/|; s/@g_searchpath_separator@/:/' \
    glib/glibconfig.h.in >glibconfig.h
cat >config.h <<'CONFIG'
#define GLIB_MAJOR_VERSION 2
#define GLIB_MINOR_VERSION 74
#define SIZEOF_CHAR 1
#define HAVE_PTHREAD_CONDATTR_SETCLOCK 1
#define HAVE_PTHREAD_ATTR_SETSTACKSIZE 1
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_FUTEX 1
#define HAVE_STDATOMIC_H 1
#define HAVE_SCHED_H 1
#define HAVE_UNISTD_H 1
#define GETTEXT_PACKAGE "glib20"
CONFIG
