#include "utf8.h"

#include <cstddef>

namespace fudaba {
namespace {

struct Read {
    char32_t one;
    // How many bytes it takes.
    std::size_t length;
    bool valid;
};

// The first character of a text that is not empty.
Read first_of(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc0 || lead >= 0xf8) return {0, 1, false};
    char32_t one = lead & (0x7f >> length);
    for (std::size_t at = 1; at < length; ++at) {
        if (at == text.size() || (byte(at) & 0xc0) != 0x80) return {0, at, false};
        one = one << 6 | (byte(at) & 0x3f);
    }
    const char32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
    return {one, length, one >= least && one <= 0x10ffff && (one < 0xd800 || one > 0xdfff)};
}

}  // namespace

std::string cleaned(std::string_view text, bool (*unwanted)(char32_t one)) {
    std::string clean;
    while (!text.empty()) {
        const Read first = first_of(text);
        clean += first.valid && !unwanted(first.one) ? text.substr(0, first.length) : "\xef\xbf\xbd";
        text.remove_prefix(first.length);
    }
    return clean;
}

}  // namespace fudaba
