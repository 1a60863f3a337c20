#pragma once

#include <string_view>

namespace fudaba {

// Prints one line that does not drive the terminal.
void log(std::string_view line);

}  // namespace fudaba
