/* What liburcu's configuration would say on x86-64. */
#define CONFIG_RCU_SMP 1
#define CONFIG_RCU_HAVE_FUTEX 1
#define CONFIG_RCU_TLS __thread
#define CONFIG_RCU_HAVE_CLOCK_GETTIME 1
#define CONFIG_RCU_HAVE_MULTIFLAVOR 1
