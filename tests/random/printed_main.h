/* printed_main.h: the end of a file of printed programs: main performs the one that the driver asks
 * for. */
static struct {
    int number;
} wanted; /* read only once main runs */

__attribute__((constructor)) static void read_number(void)
{
    const char *text = getenv("HEDDLE_RANDOM");
    if (text)
        wanted.number = atoi(text);
    else
        server_run(&wanted, sizeof wanted, random_variables, random_told, random_own);
}

int main(void)
{
    programs[wanted.number](NULL);
    pthread_exit(NULL);
}
