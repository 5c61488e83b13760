#!/usr/bin/env python3
"""Checks that each source includes the headers of the standard library and of fmt that it uses.

check-includes.py [ROOT]        reports FILE:LINE of each name whose header the file includes neither itself nor
                                through headers of the project, of each name that the table does not know, of each
                                C header that has a C++ name, and of each source that is included; exit 1 if there is one
check-includes.py --self-test   checks this script against a small broken tree

`make lint` compiles each source with these headers precompiled; that the source includes them is seen here only.
"""

import pathlib
import re
import sys
import tempfile

# Header → the names that it is included for. A name in several headers is satisfied by each of them.
NAMES = {
    "algorithm": """
        all_of any_of clamp copy copy_if copy_n equal fill fill_n find find_if find_if_not is_sorted is_sorted_until
        lexicographical_compare_three_way lower_bound max min minmax move nth_element partition partition_point remove remove_if
        replace reverse rotate search shuffle sort stable_sort transform unique upper_bound""",
    "array": "array get size to_array tuple_size_v",
    "atomic": "atomic atomic_flag atomic_ref memory_order memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": """
        bit_cast bit_ceil bit_floor bit_width byteswap countl_one countl_zero countr_one countr_zero endian has_single_bit
        popcount rotl rotr""",
    "bitset": "bitset",
    "cctype": "isalnum isdigit isspace isupper tolower toupper",
    "charconv": "chars_format from_chars to_chars",
    "chrono": "chrono chrono_literals",
    "cmath": """
        abs acos asin atan ceil cos erfc exp expm1 fabs floor fmod ilogb isfinite isinf isnan ldexp lgamma llround log log10 log1p
        log2 lround modf nearbyint nextafter pow round signbit sin sqrt tan trunc""",
    "compare": "partial_ordering strong_ordering weak_ordering",
    "concepts": """
        constructible_from convertible_to derived_from equality_comparable floating_point integral invocable same_as
        signed_integral totally_ordered unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "csignal": "raise sig_atomic_t signal",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": """
        int16_t int32_t int64_t int8_t intmax_t intptr_t uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t""",
    "cstdio": """
        FILE fclose fflush fopen fprintf fputc fputs fread fwrite perror printf putc puts remove rename size_t snprintf""",
    "cstdlib": """
        _Exit abort abs aligned_alloc atexit atoi calloc exit free getenv malloc mkstemp realloc size_t strtod strtol strtoll
        strtoul strtoull system""",
    "cstring": "memchr memcmp memcpy memmove memset size_t strchr strcmp strerror strlen strncmp strrchr",
    "ctime": "clock_t gmtime localtime mktime size_t strftime time time_t tm",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception terminate uncaught_exceptions",
    "expected": "expected in_place unexpect unexpected",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "fstream ifstream ios ofstream streamsize",
    "functional": "bind_front cref equal_to function greater hash identity invoke less not_fn plus ref reference_wrapper",
    "future": "async future future_status packaged_task promise",
    "initializer_list": "initializer_list",
    "iomanip": "setfill setprecision setw",
    "ios": "ios ios_base streamsize",
    "iostream": "cerr cin cout ios istream ostream streamsize",
    "iterator": """
        advance back_insert_iterator back_inserter begin bidirectional_iterator_tag data default_sentinel default_sentinel_t
        distance empty end forward_iterator_tag input_iterator_tag inserter istreambuf_iterator iter_value_t make_move_iterator
        next ostreambuf_iterator prev random_access_iterator random_access_iterator_tag reverse_iterator size ssize""",
    "latch": "latch",
    "limits": "numeric_limits",
    "list": "erase_if list",
    "map": "erase_if map multimap",
    "memory": """
        addressof allocator construct_at const_pointer_cast default_delete destroy destroy_at dynamic_pointer_cast
        enable_shared_from_this make_shared make_shared_for_overwrite make_unique make_unique_for_overwrite shared_ptr
        static_pointer_cast uninitialized_copy unique_ptr weak_ptr""",
    "mutex": "adopt_lock call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock try_to_lock unique_lock",
    "new": "align_val_t bad_alloc launder nothrow",
    "numbers": "numbers",
    "numeric": "accumulate gcd iota lcm midpoint partial_sum reduce",
    "optional": "in_place make_optional nullopt nullopt_t optional",
    "ostream": "endl ostream",
    "queue": "priority_queue queue",
    "random": """
        bernoulli_distribution exponential_distribution lognormal_distribution minstd_rand mt19937 mt19937_64
        normal_distribution random_device seed_seq uniform_int_distribution uniform_real_distribution""",
    "ranges": "views",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "erase_if multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes data dynamic_extent size span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument length_error logic_error out_of_range overflow_error range_error runtime_error",
    "stop_token": "nostopstate stop_callback stop_source stop_token",
    "string": """
        char_traits data erase erase_if getline hash size stod stoi stol stoll stoul stoull string to_string u16string u32string
        u8string wstring""",
    "string_view": "data hash size string_view string_view_literals u16string_view u8string_view",
    "system_error": "errc error_category error_code error_condition generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": """
        apply forward_as_tuple get ignore make_from_tuple make_tuple tie tuple tuple_cat tuple_element_t tuple_size_v""",
    "type_traits": """
        add_const_t bool_constant common_type_t conditional_t decay_t enable_if_t false_type has_unique_object_representations_v
        integral_constant invoke_result_t is_arithmetic_v is_base_of_v is_const_v is_constant_evaluated is_convertible_v is_empty_v
        is_enum_v is_floating_point_v is_integral_v is_invocable_r_v is_invocable_v is_lvalue_reference_v is_pointer_v is_same_v
        is_nothrow_move_constructible_v
        is_signed_v is_standard_layout_v is_trivially_copyable_v is_trivially_destructible_v is_unsigned_v is_void_v
        make_signed_t make_unsigned_t remove_const_t remove_cv_t remove_cvref_t remove_pointer_t remove_reference_t true_type
        type_identity_t underlying_type_t void_t""",
    "unordered_map": "erase_if unordered_map unordered_multimap",
    "unordered_set": "erase_if unordered_multiset unordered_set",
    "utility": """
        as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal declval exchange forward get in_place in_range
        index_sequence index_sequence_for integer_sequence make_index_sequence make_pair move pair piecewise_construct swap
        to_underlying unreachable""",
    "variant": """
        bad_variant_access get get_if hash holds_alternative in_place_index in_place_type monostate variant variant_alternative_t
        variant_npos variant_size_v visit""",
    "vector": "data erase erase_if size vector",
}
# Of std::ranges, what is not an algorithm; each container's header has its ends.
RANGES = {
    "iterator": "advance begin cbegin cend data distance empty end next prev rbegin rend size ssize",
    "functional": "equal_to greater greater_equal less less_equal not_equal_to",
    "memory": "construct_at destroy destroy_at uninitialized_copy uninitialized_fill",
    "ranges": """
        bidirectional_range begin borrowed_range common_range contiguous_range data empty end forward_range input_range
        iterator_t random_access_range range range_difference_t range_reference_t range_size_t range_value_t size sized_range
        subrange view view_interface viewable_range""",
}
# What is used without std::, as patterns.
BARE = {
    r"\bassert\s*\(": {"cassert"},
    r"\b(?:errno|E(?:2BIG|ACCES|ADDRINUSE|AGAIN|BADF|BUSY|CANCELED|CONN\w+|EXIST|INPROGRESS|INTR|INVAL|IO|ISDIR|MFILE|NFILE|NOENT"
    r"|NOMEM|NOSPC|NOSYS|NOTDIR|NOTSUP|NXIO|PERM|PIPE|PROTO|ROFS|TIMEDOUT|WOULDBLOCK))\b": {"cerrno"},
    r"(?<![\w:])u?int(?:8|16|32|64|max|ptr)_t\b": {"cstdint", "stdint.h"},
    r"\bU?INT(?:8|16|32|64)_(?:MAX|MIN|C)\b|\bSIZE_MAX\b": {"cstdint", "stdint.h"},
    r"\bEXIT_(?:SUCCESS|FAILURE)\b": {"cstdlib"},
    r"\bva_(?:list|start|end|arg|copy)\b": {"cstdarg"},
    r"\boffsetof\s*\(": {"cstddef"},
    r"\bfmt::\w+": {"fmt/format.h", "fmt/core.h"},
}
# Headers of C that C++ names otherwise.
C_HEADER = re.compile(
    "(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdbool|stddef|stdint"
    "|stdio|stdlib|string|tgmath|time|uchar|wchar|wctype)[.]h"
)
# Read by C compilers, too.
C_FILES = {"tracedeck/tband/device.hpp", "tracedeck/tband/device.h"}
FOLDERS = ("tracedeck", "cli", "examples", "fuzz", "bench")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
USE = re.compile(r"\bstd::(ranges::)?(\w+)")
# Comments and texts, which use nothing. A quote inside a number begins no text.
IDLE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL
)


def headers_by_name(table: dict[str, str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for header, names in table.items():
        for name in names.split():
            found.setdefault(name, set()).add(header)
    return found


BY_NAME, BY_RANGES_NAME = headers_by_name(NAMES), headers_by_name(RANGES)


def uses(text: str):
    """(position, name, headers of which each would do) of all that a source uses; of unknown names without headers."""
    for match in USE.finditer(text):
        ranges, name = match.groups()
        if name == "ranges":
            continue
        known = BY_RANGES_NAME.get(name, {"algorithm"}) if ranges else BY_NAME.get(name, set())
        yield match.start(), match[0], known
    for pattern, known in BARE.items():
        for match in re.finditer(pattern, text):
            yield match.start(), match[0], known


class Tree:
    """The sources below a folder, and what they include."""

    def __init__(self, root: pathlib.Path):
        self.root, self.reached = root, {}
        self.files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.[ch]pp"))]

    def reach(self, file: str) -> set[str]:
        """The foreign headers that a file includes itself or through the project's."""
        if file not in self.reached:
            self.reached[file] = set()  # for circles
            path, found = self.root / file, set()
            for ours, theirs in INCLUDE.findall(path.read_text()) if path.is_file() else ():
                found |= {theirs} if theirs else self.reach(ours)
            self.reached[file] = found
        return self.reached[file]

    def objections(self) -> list[str]:
        said = []
        for path in self.files:
            file, text = path.relative_to(self.root).as_posix(), path.read_text()
            if not re.search(r"_test\.[ch]pp$", file):
                said += [f"{file}:{text.count(chr(10), 0, at) + 1}: {words}" for at, words in (*self.lacks(file, text), *misplaced(file, text))]
        return said

    def lacks(self, file: str, text: str):
        """(position, words) of each name that is used without its header; the first of each."""
        # The lines of what is blanked stay, so that the positions do.
        text = IDLE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        reached, before = self.reach(file), set()
        for at, name, headers in uses(text):
            if name in before or headers & reached:
                continue
            before.add(name)
            if headers:
                yield at, f"{name} without " + " or ".join(f"<{header}>" for header in sorted(headers))
            else:
                yield at, f"{name} is not in the table of {pathlib.Path(__file__).name}; add it there"


def misplaced(file: str, text: str):
    """(position, words) of each include that should be none or another one."""
    for match in INCLUDE.finditer(text):
        ours, theirs = match.groups()
        if ours and ours.endswith(".cpp"):
            yield match.start(), f"{ours} is a source, no header"
        elif theirs and C_HEADER.fullmatch(theirs) and file not in C_FILES:
            yield match.start(), f"<{theirs}> is C's; C++ has <c{theirs[:-2]}>"


def self_test() -> int:
    sources = {
        "tracedeck/a.hpp": "#include <string>\n#include <vector>\n",
        "tracedeck/b.cpp": '#include "tracedeck/a.hpp"\n// std::map\nstd::string s = "std::set"; std::vector<std::string> v;\n',
        "tracedeck/c.cpp": '#include "tracedeck/a.hpp"\nstd::deque<int> d;\nauto x = R"(std::map)" + 1\'000;\nstd::map<int, int> m;\n',
        "cli/d.cpp": "std::nonsense n;\nbool b = std::ranges::any_of(v, f);\nint e = errno;\nstd::size_t s;\n",
        "cli/e.cpp": "#include <algorithm>\n#include <cerrno>\n#include <cstring>\nstd::size_t s = std::ranges::find(v, errno);\n",
        "cli/f.cpp": '#include <string.h>\n#include <unistd.h>\n#include "cli/e.cpp"\n',
    }
    wanted = {"tracedeck/c.cpp:2", "tracedeck/c.cpp:4", "cli/d.cpp:1", "cli/d.cpp:2", "cli/d.cpp:3", "cli/d.cpp:4", "cli/f.cpp:1", "cli/f.cpp:3"}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, text in sources.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        found = {":".join(each.split(":")[:2]) for each in Tree(root).objections()}
    if found != wanted:
        print(f"found {sorted(found)}, not {sorted(wanted)}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    said = Tree(root).objections()
    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
