package fudaba

import (
	"iter"
	"sync"

	pb "example.com/fudaba/fudabav1"
)

// An outbox holds what waits to be written to a stream, which takes one message at a time.
type outbox struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []*pb.PlayRequest
	closed  bool
}

func newOutbox() *outbox {
	box := &outbox{}
	box.changed = sync.NewCond(&box.mu)
	return box
}

// add puts a request behind those that wait, and a pong before them: it measures the network, not this process.
func (o *outbox) add(request *pb.PlayRequest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if request.GetPong() != nil {
		o.waiting = append([]*pb.PlayRequest{request}, o.waiting...)
	} else {
		o.waiting = append(o.waiting, request)
	}
	o.changed.Signal()
}

// close ends the requests after those that wait.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Signal()
}

// requests are all that are added, in their order, until it is closed.
func (o *outbox) requests() iter.Seq[*pb.PlayRequest] {
	return func(yield func(*pb.PlayRequest) bool) {
		for {
			request := o.next()
			if request == nil || !yield(request) {
				return
			}
		}
	}
}

func (o *outbox) next() *pb.PlayRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) == 0 {
		if o.closed {
			return nil
		}
		o.changed.Wait()
	}
	request := o.waiting[0]
	o.waiting = o.waiting[1:]
	return request
}
