package main

import (
	"context"
	"encoding/binary"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
)

// A bareCodec takes bytes as they are.
type bareCodec struct{}

func (bareCodec) Name() string { return "bare" }

func (bareCodec) Marshal(value any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(value.([]byte))}, nil
}

func (bareCodec) Unmarshal(buffers mem.BufferSlice, value any) error {
	*value.(*[]byte) = buffers.Materialize()
	return nil
}

// beginEcho goes round trips with bench.echo_server, each stream over a connection of its own.
func beginEcho(wanted config, counts *counts, pace *pace) {
	permits := make(chan struct{}, wanted.Streams)
	for range wanted.Streams {
		conn, err := grpc.NewClient(wanted.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			log.Fatal(err)
		}
		description := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
		stream, err := conn.NewStream(
			context.Background(), description, "/bench.Echo/Echo", grpc.ForceCodecV2(bareCodec{}),
		)
		if err != nil {
			log.Fatal(err)
		}
		go goRound(stream, wanted, counts, permits, pace != nil)
	}
	if pace != nil {
		go pace.each(func(due int) {
			for range due {
				select {
				case permits <- struct{}{}:
				default: // all streams are busy
				}
			}
		})
	}
}

func goRound(stream grpc.ClientStream, wanted config, counts *counts, permits <-chan struct{}, paced bool) {
	message, reply := make([]byte, wanted.Up), []byte(nil)
	binary.BigEndian.PutUint16(message, uint16(wanted.Down))
	for {
		if paced {
			<-permits
		}
		began := time.Now()
		if err := stream.SendMsg(message); err != nil {
			log.Fatal(err)
		}
		if err := stream.RecvMsg(&reply); err != nil {
			log.Fatal(err)
		}
		counts.tripped(time.Since(began), len(message), len(reply))
	}
}
