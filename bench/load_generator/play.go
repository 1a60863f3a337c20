package main

import (
	"context"
	"log"
	"sync"
	"time"

	pb "example.com/fudaba/fudabav1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// A lost connection is tried again soon: what is measured is how long the service needs.
var soon = backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.2, MaxDelay: 250 * time.Millisecond}

// A bot answers each decision with the first legal move. It connects again when its stream ends.
type bot struct {
	config
	token  string
	counts *counts
	wait   *queue // nil for answers at once

	mu     sync.Mutex // of the stream's writes, and what it is
	stream grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse]
}

// beginPlay has a bot for each token.
func beginPlay(wanted config, counts *counts, pace *pace) {
	var wait *queue
	if pace != nil {
		wait = &queue{}
		go pace.each(wait.release)
	}
	for _, token := range wanted.Tokens {
		bot := &bot{config: wanted, token: token, counts: counts, wait: wait}
		conn, err := grpc.NewClient(wanted.Address, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: soon, MinConnectTimeout: time.Second}))
		if err != nil {
			log.Fatal(err)
		}
		go bot.playOn(pb.NewPlayServiceClient(conn))
	}
}

func (b *bot) playOn(client pb.PlayServiceClient) {
	for {
		_ = b.play(client) // where the service is killed, that is what is measured
		b.counts.ended()
		again()
	}
}

// play plays until the stream ends; the reason why.
func (b *bot) play(client pb.PlayServiceClient) error {
	context := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+b.token)
	stream, err := client.Play(context, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.stream = stream
	b.mu.Unlock()
	b.send(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: &pb.Hello{
		Batches: b.Batches,
		Delivery: &pb.Delivery{
			LegalMoves: pb.LegalMoveFormat_LEGAL_MOVE_FORMAT_COUNT, Events: pb.EventDelivery_EVENT_DELIVERY_NEVER,
			Acknowledge: b.Silent,
		},
	}}})
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		b.received(message)
	}
}

func (b *bot) received(message *pb.PlayResponse) {
	var updates []*pb.SeatUpdate
	switch what := message.Message.(type) {
	case *pb.PlayResponse_Ping:
		b.send(&pb.PlayRequest{Message: &pb.PlayRequest_Pong{Pong: &pb.Pong{Id: what.Ping.Id}}})
		return
	case *pb.PlayResponse_Update:
		updates = []*pb.SeatUpdate{what.Update}
	case *pb.PlayResponse_Updates:
		updates = what.Updates.Updates
	case *pb.PlayResponse_Refusal:
		b.counts.refused()
		return
	}
	var answers []*pb.Answer
	for _, update := range updates {
		if len(update.TimedOut) > 0 {
			b.counts.timedOut(update.MatchId, update.Seat, update.TimedOut)
		}
		if decision := update.Decision; decision != nil {
			b.counts.put(update.MatchId, update.Seat, decision.DecisionId, int64(decision.TimeMs))
			if b.counts.mayAnswer(update.MatchId, b.Most) {
				answers = append(answers, &pb.Answer{
					MatchId: update.MatchId, DecisionId: decision.DecisionId, Choice: &pb.Answer_Index{},
				})
			}
		}
	}
	if len(answers) > 0 {
		b.counts.came(proto.Size(message))
		b.asked(answers)
	}
}

func (b *bot) asked(answers []*pb.Answer) {
	switch {
	case b.Silent:
	case b.wait != nil:
		b.wait.add(b, answers)
	case b.ThinkMs > 0:
		for _, answer := range answers {
			time.AfterFunc(time.Duration(b.ThinkMs)*time.Millisecond, func() { b.answer([]*pb.Answer{answer}) })
		}
	default:
		b.answer(answers)
	}
}

// answer sends answers, in one message where the bot plays in batches.
func (b *bot) answer(answers []*pb.Answer) {
	if b.Batches && len(answers) > 1 {
		b.sendAnswers(&pb.PlayRequest{Message: &pb.PlayRequest_Answers{Answers: &pb.Answers{Answers: answers}}}, answers...)
		return
	}
	for _, answer := range answers {
		b.sendAnswers(&pb.PlayRequest{Message: &pb.PlayRequest_Answer{Answer: answer}}, answer)
	}
}

func (b *bot) sendAnswers(request *pb.PlayRequest, answers ...*pb.Answer) {
	matches := make([]string, len(answers))
	for number, answer := range answers {
		matches[number] = answer.MatchId
	}
	b.counts.answering(proto.Size(request), matches...)
	b.send(request)
}

// send writes to the stream. Where that has ended, whoever reads it gets the reason.
func (b *bot) send(request *pb.PlayRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.stream.Send(request)
}
