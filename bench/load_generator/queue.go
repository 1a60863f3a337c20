package main

import (
	"sync"

	pb "example.com/fudaba/fudabav1"
)

// A queue has answers that wait until they are due.
type queue struct {
	mu      sync.Mutex
	waiting []waiting
}

type waiting struct {
	bot    *bot
	answer *pb.Answer
}

func (q *queue) add(bot *bot, answers []*pb.Answer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, answer := range answers {
		q.waiting = append(q.waiting, waiting{bot, answer})
	}
}

// release sends those that have waited longest, the ones of a bot together.
func (q *queue) release(due int) {
	q.mu.Lock()
	due = min(due, len(q.waiting))
	released := q.waiting[:due]
	q.waiting = q.waiting[due:]
	q.mu.Unlock()
	together := map[*bot][]*pb.Answer{}
	for _, one := range released {
		together[one.bot] = append(together[one.bot], one.answer)
	}
	for bot, answers := range together {
		bot.answer(answers)
	}
}
