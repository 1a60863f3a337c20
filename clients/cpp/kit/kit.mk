# Makes build/libfudaba.a: the contract's messages and what connects a bot. The project's Makefile includes this file.
#
# The messages' code is made by this system's protoc, because it has to fit this system's protobuf. Most of the time goes
# into compiling it, once; -O2 would take half as long again as -O1.

FUDABA := build/libfudaba.a
fudaba_found := $(shell (command -v protoc >/dev/null && pkg-config --cflags --libs 'grpc++ >= 1.51' protobuf) 2>/dev/null)

ifeq ($(strip $(fudaba_found)),)
$(error gRPC for C++, protobuf, protoc or pkg-config is not installed here. On Debian and Ubuntu: apt-get install \
g++ make pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler. On a Mac: brew install grpc protobuf pkgconf)
endif

FUDABA_FLAGS := -std=c++20 -pthread -I. -isystem build/contract $(filter -I% -D%,$(fudaba_found))
FUDABA_LIBS := -pthread $(filter-out -I% -D%,$(fudaba_found))

# Files that are not part of the Play stream.
fudaba_others := $(patsubst %,fudaba/contract/fudaba/v1/%.proto,accounts arena bots catalog errors matches submissions)
fudaba_protos := $(filter-out $(fudaba_others),$(wildcard fudaba/contract/fudaba/v1/*.proto)) \
    fudaba/contract/google/rpc/status.proto fudaba/contract/google/rpc/error_details.proto
fudaba_messages := $(fudaba_protos:fudaba/contract/%.proto=build/contract/%.pb.o)

$(FUDABA): $(fudaba_messages) build/fudaba/kit.o
	rm -f $@
	$(AR) rcs $@ $^

build/contract/made: $(fudaba_protos) fudaba/kit.mk
	rm -rf build/contract
	mkdir -p build/contract
	protoc -Ifudaba/contract --cpp_out=build/contract $(fudaba_protos:fudaba/contract/%=%)
	touch $@

$(fudaba_messages): build/contract/made
	$(CXX) $(FUDABA_FLAGS) $(filter-out -O% -W% -g% -fsanitize%,$(CXXFLAGS)) -O1 -w -c -o $@ $(@:.o=.cc)

build/%.o: %.cpp | build/contract/made
	@mkdir -p $(@D)
	$(CXX) $(FUDABA_FLAGS) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard build/*.d build/fudaba/*.d)

build/fudaba/test: build/fudaba/test.o $(FUDABA)
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(FUDABA_LIBS)
