// A stranger's program: uses the installed library and prints its version.

#include <iostream>

#include <tracedeck/base/version.hpp>

int main() { std::cout << tracedeck::version() << '\n'; }
