#include "note.h"

#include <cstddef>

#include "utf8.h"

namespace fudaba {
namespace {

// How long a note may be, in UTF-8.
constexpr std::size_t max_note_bytes = 1024;

}  // namespace

SendableNote sendable_note(std::string_view note) {
    // What is no UTF-8 would end the stream, and again when it is sent again on the next.
    SendableNote sendable{cleaned(note, [](char32_t) { return false; }), {}};
    if (sendable.text != note) {
        sendable.faults.emplace_back("the note has bytes that are no UTF-8; U+FFFD is sent in their place");
    }
    if (sendable.text.size() > max_note_bytes) {
        std::size_t end = max_note_bytes;
        while ((static_cast<unsigned char>(sendable.text[end]) & 0xc0) == 0x80) --end;  // inside a character
        sendable.text.resize(end);
        sendable.faults.push_back("the note is longer than " + std::to_string(max_note_bytes) +
                                  " bytes in UTF-8; the rest is cut off");
    }
    return sendable;
}

}  // namespace fudaba
