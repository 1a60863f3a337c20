// All of the kit, in one file to compile: most of the time goes into the headers, so that each by itself would take as
// long as all of them together.

#include "caller.cpp"
#include "connection.cpp"
#include "environment.cpp"
#include "failure.cpp"
#include "handshake.cpp"
#include "log.cpp"
#include "note.cpp"
#include "player.cpp"
#include "proxy.cpp"
#include "run.cpp"
#include "stream.cpp"
#include "utf8.cpp"
