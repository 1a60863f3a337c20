# Makes build/libfudaba.a: the contract's messages and what connects a bot. The project's Makefile includes this file.
#
# The messages' code is made by this system's protoc, because it has to fit this system's protobuf. It is most of what
# there is to compile: all of it in two files takes half the time of a file for each game, and -O1 two thirds of -O2.

FUDABA := build/libfudaba.a
fudaba_needs := 'grpc++ >= 1.51' protobuf

ifneq ($(shell (pkg-config --exists $(fudaba_needs) && command -v protoc) >/dev/null 2>&1 || echo missing),)
$(error gRPC for C++, protobuf, protoc or pkg-config is not installed here. On Debian and Ubuntu: apt-get install \
g++ make pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler. On a Mac: brew install grpc protobuf pkgconf)
endif

FUDABA_FLAGS := -std=c++20 -pthread -I. -isystem build/contract $(shell pkg-config --cflags $(fudaba_needs))
FUDABA_LIBS := -pthread $(shell pkg-config --libs $(fudaba_needs))

# Files that are not part of the Play stream.
fudaba_others := $(patsubst %,fudaba/contract/fudaba/v1/%.proto,accounts arena bots catalog errors matches submissions)
fudaba_protos := $(filter-out $(fudaba_others),$(wildcard fudaba/contract/fudaba/v1/*.proto)) \
    fudaba/contract/google/rpc/status.proto fudaba/contract/google/rpc/error_details.proto
fudaba_sources := $(filter-out fudaba/test.cpp,$(wildcard fudaba/*.cpp))
fudaba_objects := build/contract/1.o build/contract/2.o $(fudaba_sources:%.cpp=build/%.o)

$(FUDABA): $(fudaba_objects)
	rm -f $@
	$(AR) rcs $@ $^

build/contract/made: $(fudaba_protos) fudaba/kit.mk
	rm -rf build/contract
	mkdir -p build/contract
	protoc -Ifudaba/contract --cpp_out=lite:build/contract $(fudaba_protos:fudaba/contract/%=%)
	cd build/contract && find . -name '*.pb.cc' | sort | \
	    awk '{ print "#include \"" $$0 "\"" >(NR % 2 + 1 ".cc") }'
	touch $@

build/contract/%.o: build/contract/made
	$(CXX) $(FUDABA_FLAGS) $(CXXFLAGS) -O1 -w -c -o $@ build/contract/$*.cc

build/%.o: %.cpp | build/contract/made
	@mkdir -p $(@D)
	$(CXX) $(FUDABA_FLAGS) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard build/*.d build/fudaba/*.d)

build/fudaba/test: build/fudaba/test.o $(FUDABA)
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(FUDABA_LIBS)
