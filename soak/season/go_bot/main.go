// A bot, and a follower of a ladder, that know the contract alone: the code in fudabav1 is generated from the bundle as
// its README says.
//
//	FUDABA_TOKEN=… bot play ADDRESS          plays whatever it is offered, by chance
//	bot standings ADDRESS LADDER             prints a GetStandingsResponse as JSON
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	pb "example.com/bot/fudabav1"
)

// After these, connecting again cannot help.
var useless = map[codes.Code]bool{
	codes.Unauthenticated: true, codes.PermissionDenied: true, codes.InvalidArgument: true, codes.NotFound: true,
	codes.FailedPrecondition: true, codes.Unimplemented: true, codes.Aborted: true,
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "play":
		err = play(ctx, os.Args[2], os.Getenv("FUDABA_TOKEN"))
	case len(os.Args) == 4 && os.Args[1] == "standings":
		err = standings(ctx, os.Args[2], os.Args[3])
	default:
		err = fmt.Errorf("usage: bot play ADDRESS | bot standings ADDRESS LADDER")
	}
	if err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func connect(address string) (*grpc.ClientConn, error) {
	alive := keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 10 * time.Second}
	credentials := grpc.WithTransportCredentials(insecure.NewCredentials())
	return grpc.NewClient(address, credentials, grpc.WithKeepaliveParams(alive))
}

func standings(ctx context.Context, address, ladder string) error {
	connection, err := connect(address)
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	found, err := pb.NewArenaServiceClient(connection).GetStandings(ctx, &pb.GetStandingsRequest{Tournament: ladder})
	if err != nil {
		return err
	}
	text, err := protojson.Marshal(found)
	if err == nil {
		fmt.Println(string(text))
	}
	return err
}

// What the last update of each match in play said: a new stream goes on from there.
type seen struct {
	sync.Mutex
	of map[string]*pb.Seen
}

func (s *seen) all() []*pb.Seen {
	s.Lock()
	defer s.Unlock()
	found := make([]*pb.Seen, 0, len(s.of))
	for _, one := range s.of {
		found = append(found, one)
	}
	return found
}

func play(ctx context.Context, address, token string) error {
	connection, err := connect(address)
	if err != nil {
		return err
	}
	defer connection.Close()
	client := pb.NewPlayServiceClient(connection)
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	known := &seen{of: map[string]*pb.Seen{}}
	for ctx.Err() == nil {
		err := stream(ctx, client, known)
		log.Print(err)
		if useless[status.Code(err)] {
			return err
		}
		time.Sleep(500*time.Millisecond + rand.N(time.Second))
	}
	return nil
}

func stream(ctx context.Context, client pb.PlayServiceClient, known *seen) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	calls, err := client.Play(ctx)
	if err != nil {
		return err
	}
	format := pb.LegalMoveFormat_LEGAL_MOVE_FORMAT_COUNT
	hello := &pb.Hello{Delivery: &pb.Delivery{LegalMoves: format}, Client: "fudaba-soak-go", Seen: known.all()}
	if err := calls.Send(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: hello}}); err != nil {
		return said(calls, err)
	}
	for {
		response, err := calls.Recv()
		if err != nil {
			return err
		}
		if answer := answerTo(response, known); answer != nil {
			if err := calls.Send(answer); err != nil {
				return said(calls, err)
			}
		}
	}
}

// Why a stream takes no more messages: that is what reading from it says.
func said(calls grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse], sending error) error {
	for {
		if _, err := calls.Recv(); err != nil {
			return fmt.Errorf("%w (while sending: %w)", err, sending)
		}
	}
}

func answerTo(response *pb.PlayResponse, known *seen) *pb.PlayRequest {
	switch message := response.Message.(type) {
	case *pb.PlayResponse_Welcome:
		log.Printf("connected as %s version %s", message.Welcome.Bot, message.Welcome.Version)
	case *pb.PlayResponse_Ping:
		return &pb.PlayRequest{Message: &pb.PlayRequest_Pong{Pong: &pb.Pong{Id: message.Ping.Id}}}
	case *pb.PlayResponse_Refusal:
		log.Printf("%s: refused: %s %s", message.Refusal.MatchId, message.Refusal.Reason, message.Refusal.Message)
	case *pb.PlayResponse_Update:
		return decided(message.Update, known)
	}
	return nil
}

func decided(update *pb.SeatUpdate, known *seen) *pb.PlayRequest {
	known.Lock()
	defer known.Unlock()
	known.of[update.MatchId] = &pb.Seen{MatchId: update.MatchId, Seen: update.Seen, History: update.History}
	if update.Over != nil {
		delete(known.of, update.MatchId)
	}
	if update.Decision == nil {
		return nil
	}
	answer := &pb.Answer{MatchId: update.MatchId, DecisionId: update.Decision.DecisionId}
	answer.Choice = &pb.Answer_Index{Index: rand.Uint32N(update.Decision.LegalCount)}
	return &pb.PlayRequest{Message: &pb.PlayRequest_Answer{Answer: answer}}
}
