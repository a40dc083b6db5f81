// Compiled without heddle, for foreign_calls.cc: calls and jumps through memory.
struct Shape {
    virtual long area(long *p) = 0;
    virtual ~Shape()
    {
    }
};
struct Small : Shape {
    long area(long *p) override
    {
        return *p += 3;
    }
};
struct Large : Shape {
    long area(long *p) override
    {
        return *p += 5;
    }
};
static long plus(long *p)
{
    return ++*p;
}
static long minus(long *p)
{
    return --*p;
}
long (*table[2])(long *) = {plus, minus};
long run_shapes(long *p)
{
    Shape *shapes[2] = {new Small, new Large};
    long sum = 0;
    for (Shape *shape : shapes)
        sum += shape->area(p);
    for (Shape *shape : shapes)
        delete shape;
    return sum;
}
long run_table(int i, long *p)
{
    return table[i & 1](p);
}
long choose(int i)
{
    switch (i) {
    case 0:
        return 5;
    case 1:
        return 77;
    case 2:
        return 8;
    case 3:
        return 10;
    case 4:
        return 99;
    case 5:
        return i * 3;
    default:
        return -1;
    }
}
