#include "log.h"

#include <cstdio>
#include <string>

#include "utf8.h"

namespace fudaba {
namespace {

// Whether a character does something else than being seen: controls, line ends, and what turns the direction of text.
bool drives(char32_t one) {
    return one < 0x20 || (one >= 0x7f && one < 0xa0) || one == 0x61c || one == 0x200e || one == 0x200f ||
           (one >= 0x2028 && one <= 0x202e) || (one >= 0x2066 && one <= 0x2069) || one == 0xfeff;
}

}  // namespace

void log(std::string_view line) {
    const std::string shown = cleaned(line, drives) + '\n';
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace fudaba
