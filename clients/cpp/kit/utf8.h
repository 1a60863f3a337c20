#pragma once

#include <string>
#include <string_view>

namespace fudaba {

// A text with the replacement character for what is no UTF-8, and for every character that is unwanted.
std::string cleaned(std::string_view text, bool (*unwanted)(char32_t one));

}  // namespace fudaba
