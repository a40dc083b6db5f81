# Sources, one a line, as a compilation database for editors. Variables: folder, compiler, tool and guest (the
# flags of either side).
BEGIN { print "[" }
{
    flags = $1 ~ /^src\/guest\// ? guest : tool
    printf "%s{\"directory\":\"%s\",\"file\":\"%s\",\"command\":\"%s %s -c %s\"}", (NR > 1 ? ",\n" : ""), folder, $1, compiler, flags, $1
}
END { print "\n]" }
