// Exceptions through frames with destructors, which make requests of their own: what a landing pad or a
// handler reads must be there.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>
static std::atomic<int> x{0}, y{0};
static int seen[2];
struct Guard {
	int &r;
	int keep;
	Guard(int &r_, int k) : r(r_), keep(k) {}
	~Guard() { r += keep + x.load(); }
};
static int inner(int a, int b)
{
	Guard g(seen[a], b * 100);
	int v = y.fetch_add(1);
	if (v == b)
		throw std::string("s") + std::to_string(v + a);
	return v;
}
static void work(int a)
{
	int local = a * 7 + 1, other = 3;
	std::string text = "abc";
	try {
		Guard g(seen[a], 1000);
		local += inner(a, a);
		other = local + y.load();
	} catch (std::string &s) {
		assert(local == a * 7 + 1 && other == 3);
		local += (int)s.size() * 10 + y.load();
		assert(s.size() == 2 && s[0] == 's' && text == "abc" && local > 20);
		x.fetch_add(1);
	}
	seen[a] += local + other + (int)text.size();
}
int main()
{
	std::thread t(work, 0), u(work, 1);
	t.join();
	u.join();
	assert(x.load() == 0 || x.load() == 2);
	assert(seen[0] >= 1007 && seen[1] >= 1100);
	return 0;
}
