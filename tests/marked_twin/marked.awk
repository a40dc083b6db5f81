# A test file of tests/check_twin as a program with a main() that marks its calls.
/#include <stdatomic/ { print "#include <pthread.h>" }
/^HD_OP\(/ { name = $0; gsub(/HD_OP\(|\)/, "", name); print "static void " name "(void)"; next }
/int r = 0;/ { print; print "    HD_BEGIN(\"object\", \"" name "\");"; next }
/return HD_INT\(r\)/ { print "    HD_END(HD_INT(r));"; next }
/^HD_SCENARIO/ {
    gsub(/HD_SCENARIO\("|"\)/, "")
    count = split($0, columns, " *[|] *")
    for (t = 1; t <= count; t++) {
        gsub(/\)/, ");", columns[t])
        print "static void *thread" t "(void *unused) { " columns[t] " return unused; }"
    }
    print "int main(void)\n{\n    pthread_t t[8];"
    for (t = 1; t <= count; t++) print "    pthread_create(&t[" t "], 0, thread" t ", 0);"
    for (t = 1; t <= count; t++) print "    pthread_join(t[" t "], 0);"
    print "    (void)op0; (void)op1; (void)op2;\n    return 0;\n}"
    next
}
{ print }
