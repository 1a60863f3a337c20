#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fudaba {

// What is sent of the note that a bot gives with its choice. Nothing that is wrong with a note costs the move.
struct SendableNote {
    std::string text;
    // What is wrong with the note: the same words for each note that has that fault.
    std::vector<std::string> faults;
};

SendableNote sendable_note(std::string_view note);

}  // namespace fudaba
