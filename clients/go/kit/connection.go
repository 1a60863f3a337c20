package fudaba

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"regexp"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "example.com/fudaba/fudabav1"
)

const (
	firstDelay   = 200 * time.Millisecond
	longestDelay = 15 * time.Second
	growth       = 1.7
	// How long the service may take to answer the first message of a stream.
	welcomeTime = 20 * time.Second
	// How long after a welcome every match that the service still knows must have come.
	missingTime = 30 * time.Second
	// How long the last answers may take to leave when the process stops.
	goodbyeTime = 3 * time.Second
	// How long a TLS handshake may take that is only a question.
	handshakeTime = 5 * time.Second
)

// A fatalError is what trying again cannot mend.
type fatalError struct{ what string }

func (e *fatalError) Error() string { return e.what }

var useless = map[codes.Code]bool{
	codes.Unauthenticated: true, codes.PermissionDenied: true, codes.InvalidArgument: true, codes.NotFound: true,
	codes.FailedPrecondition: true, codes.Unimplemented: true,
}

// A failure is why a stream ended.
type failure struct {
	code codes.Code
	// reason is one of contract/fudaba/v1/errors.proto; empty when it was not the service that spoke.
	reason     string
	message    string
	retryAfter time.Duration
}

func failureOf(err error) failure {
	if errors.Is(err, io.EOF) {
		return failure{code: codes.OK, message: "the service ended it"}
	}
	found := status.Convert(err)
	end := failure{code: found.Code(), message: found.Message()}
	for _, detail := range found.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain == "fudaba" {
				end.reason = detail.Reason
			}
		case *errdetails.RetryInfo:
			end.retryAfter = detail.RetryDelay.AsDuration()
		}
	}
	return end
}

func (f failure) String() string {
	if f.reason != "" {
		return f.reason + ": " + f.message
	}
	return f.code.String() + ": " + f.message
}

// fatal says whether it is of no use to connect again.
func (f failure) fatal() bool {
	// Without a reason it is gRPC's own: a message is too large, and will be the next time.
	tooLarge := f.code == codes.ResourceExhausted && f.reason == ""
	return useless[f.code] && f.retryAfter == 0 || f.reason == "SUPERSEDED" || tooLarge
}

// delayBefore is how long to wait before an attempt, counted from 0: longer each time, and never in step.
func delayBefore(attempt int, retryAfter time.Duration, chance float64) time.Duration {
	growing := math.Min(float64(longestDelay), float64(firstDelay)*math.Pow(growth, float64(attempt)))
	return max(retryAfter, time.Duration(growing*(0.5+chance/2)))
}

// play plays over one stream after another, until the context ends or the match is over that the token was for.
func (e *endpoint) play(ctx context.Context, player *player) error {
	ever := false // once connected, it is not for TLS that there is no connection
	for attempt := 0; ctx.Err() == nil; attempt++ {
		err, welcomed := e.stream(ctx, player)
		end := failureOf(err)
		if ctx.Err() != nil || end.reason == "MATCH_OVER" {
			player.wait(goodbyeTime)
			return nil
		}
		if welcomed {
			attempt, ever = 0, true
		}
		if end.fatal() {
			return &fatalError{end.String()}
		}
		if !ever {
			if why := e.disagreement(end); why != "" {
				return &fatalError{why}
			}
		}
		delay := delayBefore(attempt, end.retryAfter, rand.Float64())
		logLine("no connection (%s%s); trying again in %.1f s", end, throughProxy(e.address), delay.Seconds())
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	}
	return nil
}

// stream plays over one stream until it ends; says why it did, and whether it was welcomed.
func (e *endpoint) stream(stop context.Context, player *player) (end error, welcomed bool) {
	alive := keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}
	connection, err := grpc.NewClient(
		e.address, grpc.WithTransportCredentials(e.credentials), grpc.WithKeepaliveParams(alive))
	if err != nil {
		return err, false
	}
	defer connection.Close()
	ctx, cancel := context.WithCancel(
		metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+e.token))
	defer cancel()
	if stop.Err() != nil {
		return stop.Err(), false
	}
	patience := time.AfterFunc(welcomeTime, cancel)
	defer patience.Stop()
	calls, err := pb.NewPlayServiceClient(connection).Play(ctx)
	if err != nil {
		return err, false
	}
	outbox := newOutbox()
	defer outbox.close()
	go func() {
		for request := range outbox.requests() {
			if calls.Send(request) != nil {
				return // what reads is told why
			}
		}
		calls.CloseSend()
	}()
	outbox.add(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: player.hello(outbox.add)}})
	defer player.disconnected()
	defer context.AfterFunc(stop, func() {
		player.takeNoMore()
		player.wait(goodbyeTime)
		outbox.close() // the half-close goes out behind the last answer; the service then ends the stream
		time.AfterFunc(goodbyeTime, cancel)
	})()
	for {
		response, err := calls.Recv()
		if err != nil {
			return err, welcomed
		}
		if welcome := response.GetWelcome(); welcome != nil {
			patience.Stop()
			welcomed = true
			logLine("connected to %s as %s %s", e.address, welcome.Bot, welcome.Version)
			if welcome.Notice != "" {
				logLine("%s", welcome.Notice)
			}
			missing := time.AfterFunc(missingTime, player.forgetMissing)
			defer missing.Stop()
			continue
		}
		player.received(response)
	}
}

var hostPort = regexp.MustCompile(`^\[?[^\]]+\]?:\d+$`)

// disagreement says why a connection that never was can never be, as far as TLS is the reason.
//
// gRPC only says that no connection could be made, again and again.
func (e *endpoint) disagreement(end failure) string {
	if end.code != codes.Unavailable || strings.HasPrefix(e.address, "unix:") || !hostPort.MatchString(e.address) {
		return ""
	}
	if e.secure {
		if !strings.Contains(end.message, "first record does not look like a TLS handshake") {
			return ""
		}
		return fmt.Sprintf("the service at %s does not use TLS: leave out FUDABA_TLS and FUDABA_CA_CERT", e.address)
	}
	// Nothing is sent over it, so whose certificate it is does not matter.
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}
	found, err := tls.DialWithDialer(&net.Dialer{Timeout: handshakeTime}, "tcp", e.address, config)
	if err != nil {
		return ""
	}
	found.Close()
	return fmt.Sprintf("the service at %s wants TLS: set FUDABA_TLS=1, or FUDABA_CA_CERT to its authority's file", e.address)
}
