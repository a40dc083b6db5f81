/* printed_main.h: the end of a file of printed programs: main performs the one that the driver asks
 * for. */
__attribute__((constructor)) static void begin(void)
{
    server_begin(random_variables, random_told, random_own);
}

int main(void)
{
    programs[server_number()](NULL);
    pthread_exit(NULL);
}
