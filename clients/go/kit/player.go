package fudaba

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	pb "example.com/fudaba/fudabav1"
)

const (
	// How long to wait before an answer is sent again that could not be taken just now.
	againAfter = 300 * time.Millisecond
	// So often is an answer to one decision sent at most.
	attempts = 8
)

var (
	// Refusals that are about the moment, not about the answer: the same answer can be sent again.
	again = map[string]bool{"TOO_FAST": true, "STORE_UNAVAILABLE": true, "SHUTTING_DOWN": true, "INTERNAL": true}
	// Refusals that are about the answer: the bot is asked for another one.
	wrong = map[string]bool{"ILLEGAL_MOVE": true, "MALFORMED_MOVE": true, "MALFORMED": true, "NOTE_TOO_LONG": true}
)

// A player has the matches of one process: it takes the service's messages, and gives the bots' answers. What it does
// at each message follows the comments of contract/fudaba/v1/play.proto.
type player struct {
	newBot   func(match *Match) Bot
	capacity uint32 // how many matches it plays at once; 0 for any number
	process  string // with attempt it tells the service which of two streams is the newer one

	mu      sync.Mutex
	attempt uint32
	seats   map[string]*seat
	send    func(*pb.PlayRequest) // nil without a stream: what is lost then is asked for again on the next one
	leaving bool
	busy    sync.WaitGroup
	// What was wrong with notes, and has been told.
	noteFaults map[string]bool
}

// A seat is this bot's in a match that is not over.
type seat struct {
	match *Match
	bot   Bot
	turn  chan struct{} // closed when the bot's method has returned that was called last; nil before the first
	// What the last update said of them; both go into the next hello.
	seen, history uint32
	events        []*pb.Event
	open          *open
	here          bool // whether the stream of now has brought it
}

// An open decision.
type open struct {
	decision *Decision
	ctx      context.Context
	cancel   context.CancelFunc
	answer   *pb.Answer // what was sent; it is sent again, word for word, after a lost connection
	attempts int
}

func newPlayer(newBot func(match *Match) Bot, capacity uint32) *player {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return &player{
		newBot: newBot, capacity: capacity, process: hex.EncodeToString(id), seats: map[string]*seat{},
		noteFaults: map[string]bool{},
	}
}

// wait waits until nothing is thought about, but not longer than said.
func (p *player) wait(most time.Duration) {
	idle := make(chan struct{})
	go func() {
		p.busy.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(most):
	}
}

// takeNoMore leaves further decisions to the next process, or to the clock; those that wait are still answered.
func (p *player) takeNoMore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving = true
}

// hello is the first message of a new stream, to which requests go from now on.
func (p *player) hello(send func(*pb.PlayRequest)) *pb.Hello {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.send = send
	p.attempt++
	hello := &pb.Hello{
		Client: "fudaba-go", Capacity: p.capacity, Process: p.process, Attempt: p.attempt, Batches: true,
		Delivery: &pb.Delivery{
			LegalMoves: pb.LegalMoveFormat_LEGAL_MOVE_FORMAT_TYPED, Events: pb.EventDelivery_EVENT_DELIVERY_WITH_DECISION,
		},
	}
	for id, seat := range p.seats {
		seat.here = false
		hello.Seen = append(hello.Seen, &pb.Seen{MatchId: id, Seen: seat.seen, History: seat.history})
	}
	return hello
}

func (p *player) disconnected() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.send = nil
}

// forgetMissing forgets the matches that the stream has not brought: the service does not know them any more.
func (p *player) forgetMissing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, seat := range p.seats {
		if !seat.here {
			logLine("%s: the service does not bring it any more", id)
			seat.close()
			delete(p.seats, id)
		}
	}
}

// received takes any message but the welcome. A kind that a later release may add is passed over.
func (p *player) received(message *pb.PlayResponse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch message := message.Message.(type) {
	case *pb.PlayResponse_Ping:
		p.put(&pb.PlayRequest{Message: &pb.PlayRequest_Pong{Pong: &pb.Pong{Id: message.Ping.Id}}})
	case *pb.PlayResponse_Update:
		p.update(message.Update)
	case *pb.PlayResponse_Updates:
		for _, update := range message.Updates.Updates {
			p.update(update)
		}
	case *pb.PlayResponse_Refusal:
		p.refused(message.Refusal)
	}
}

func (p *player) put(request *pb.PlayRequest) {
	if p.send != nil {
		p.send(request)
	}
}

func (p *player) update(update *pb.SeatUpdate) {
	seat := p.seats[update.MatchId]
	if seat == nil {
		if seat = p.newSeat(update); seat == nil {
			return
		}
	}
	seat.here, seat.seen, seat.history = true, update.Seen, update.History
	if update.Rewound {
		// What was asked and answered since then has not happened, even where an id comes again.
		seat.close()
		seat.events = nil
		if bot, ok := seat.bot.(Rewinder); ok {
			p.call(seat, bot.Rewound)
		}
	}
	seat.events = append(seat.events, update.Events...)
	for _, id := range append(update.Accepted, update.TimedOut...) {
		if seat.open != nil && seat.open.decision.ID == id {
			seat.close()
		}
	}
	for _, id := range update.TimedOut {
		logLine("%s: time ran out for decision %s", update.MatchId, id)
	}
	switch {
	case update.Over != nil:
		p.over(seat, update.Over)
	case update.Decision != nil && !p.leaving:
		p.asked(seat, update.Decision)
	}
}

func (p *player) newSeat(update *pb.SeatUpdate) *seat {
	header := update.Started
	if header == nil {
		return nil // the end of a match that was over for us already
	}
	match := &Match{ID: update.MatchId, Game: header.Game, Seat: int(update.Seat), Header: header}
	made := &seat{match: match}
	if problem := catch(func() { made.bot = p.newBot(match) }); problem != nil {
		report(match, problem, "it cannot be played and is left to its clock")
		return nil
	}
	p.seats[match.ID] = made
	return made
}

func (p *player) over(seat *seat, end *pb.MatchEnd) {
	seat.close()
	delete(p.seats, seat.match.ID)
	if outcome := end.GetOutcome(); outcome != nil {
		logLine("%s: over, score %d", seat.match.ID, outcome.Scores[seat.match.Seat])
	} else {
		logLine("%s: over, without a result (%s)", seat.match.ID, end.GetAbortCause())
	}
	if bot, ok := seat.bot.(Ender); ok {
		p.call(seat, func() { bot.Over(end) })
	}
}

func (p *player) asked(seat *seat, message *pb.Decision) {
	if seat.open != nil && seat.open.decision.ID == message.DecisionId {
		// Asked again after a lost connection: the answer may have been lost with it. An answer counts once.
		if seat.open.answer != nil {
			p.put(&pb.PlayRequest{Message: &pb.PlayRequest_Answer{Answer: seat.open.answer}})
		}
		return
	}
	seat.close()
	decision := &Decision{
		Match: seat.match, ID: message.DecisionId, Required: message.Required, View: message.View,
		LegalMoves: message.LegalMoves, LegalCount: int(message.LegalCount), Events: seat.events,
		Deadline: time.Now().Add(time.Duration(message.TimeMs) * time.Millisecond),
	}
	seat.events = nil
	seat.open = &open{decision: decision}
	seat.open.ctx, seat.open.cancel = context.WithDeadline(context.Background(), decision.Deadline)
	p.think(seat, seat.open)
}

// think has the bot asked, and its answer sent if the decision is then still open.
func (p *player) think(seat *seat, open *open) {
	p.call(seat, func() {
		p.mu.Lock()
		wanted := seat.open == open
		p.mu.Unlock()
		if !wanted {
			return // closed while it waited
		}
		index := choose(seat, open)
		p.mu.Lock()
		defer p.mu.Unlock()
		if seat.open != open {
			return
		}
		open.answer = &pb.Answer{
			MatchId: seat.match.ID, DecisionId: open.decision.ID, Note: p.noteOf(open.decision),
			Choice: &pb.Answer_Index{Index: uint32(index)},
		}
		open.attempts++
		p.put(&pb.PlayRequest{Message: &pb.PlayRequest_Answer{Answer: open.answer}})
	})
}

// noteOf is what is sent of a bot's note. What is wrong with it is told once.
func (p *player) noteOf(decision *Decision) string {
	text, faults := sendableNote(decision.Note)
	for _, fault := range faults {
		if !p.noteFaults[fault] {
			logLine("%s: %s: %s; the move stands, and this is told once", decision.Match.ID, decision.ID, fault)
		}
		p.noteFaults[fault] = true
	}
	return text
}

// choose is the bot's choice; the default move if it fails, so that a mistake in it costs a move and not the match.
func choose(seat *seat, open *open) (index int) {
	id := open.decision.ID
	var err error
	problem := catch(func() { index, err = seat.bot.Choose(open.ctx, open.decision) })
	if problem == nil && err == nil && (index < 0 || index >= open.decision.LegalCount) {
		err = fmt.Errorf("Choose returned %d; there are %d legal moves, from index 0", index, open.decision.LegalCount)
	}
	if problem == nil {
		problem = err
	}
	if problem != nil {
		// Whoever runs the bot counts these lines, see the contract.
		report(seat.match, problem, fmt.Sprintf("own error at decision %s; the default move is played", id))
		return 0
	}
	return index
}

func (p *player) refused(refusal *pb.Refusal) {
	logLine("%s: refused: %s: %s", refusal.MatchId, refusal.Reason, refusal.Message)
	seat := p.seats[refusal.MatchId]
	if seat == nil || seat.open == nil || seat.open.answer == nil || seat.open.decision.ID != refusal.DecisionId {
		return
	}
	open := seat.open
	switch {
	case !refusal.StillOpen:
		seat.close()
	case open.attempts >= attempts:
		logLine("%s: %s is left to the clock", refusal.MatchId, refusal.DecisionId)
	case wrong[refusal.Reason]:
		open.answer = nil
		asked := *open.decision
		asked.Refusal, asked.Note, asked.Events = refusal, "", nil
		open.decision = &asked
		p.think(seat, open)
	case again[refusal.Reason]:
		answer := open.answer
		open.attempts++
		time.AfterFunc(againAfter, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if seat.open == open && open.answer == answer {
				p.put(&pb.PlayRequest{Message: &pb.PlayRequest_Answer{Answer: answer}})
			}
		})
	}
}

// call calls a method of the bot, after those that it was called before.
func (p *player) call(seat *seat, method func()) {
	before := seat.turn
	done := make(chan struct{})
	seat.turn = done
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		defer close(done)
		if before != nil {
			<-before
		}
		if problem := catch(method); problem != nil {
			report(seat.match, problem, "the match goes on")
		}
	}()
}

// close leaves nothing more to be done about the decision that was open.
func (s *seat) close() {
	if s.open != nil {
		s.open.cancel()
		s.open = nil
	}
}

// catch calls a function, and makes an error of a panic.
func catch(call func()) (problem error) {
	defer func() {
		if found := recover(); found != nil {
			problem = fmt.Errorf("%v\n%s", found, debug.Stack())
		}
	}()
	call()
	return nil
}

func report(match *Match, problem error, what string) {
	for line := range strings.SplitSeq(strings.TrimSpace(problem.Error()), "\n") {
		logLine("%s: %s", match.ID, strings.ReplaceAll(line, "\t", "    "))
	}
	logLine("%s: %s", match.ID, what)
}
