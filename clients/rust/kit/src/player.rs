//! The matches of one process: takes the service's messages, gives the bots' answers. What it does at each message
//! follows the comments of `contract/fudaba/v1/play.proto`.

use std::collections::{HashMap, HashSet};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc as jobs, Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::bot::{Bot, Decision, Match};
use crate::bot_calls::{attempt, choice, report, text_of};
use crate::note;
use crate::run::log;
use crate::seat::{Job, Open, Seat};
use crate::v1::{self, answer, play_request, play_response, PlayRequest};

/// How long to wait before an answer is sent again that could not be taken just now.
const AGAIN: Duration = Duration::from_millis(300);
/// So often is an answer to one decision sent at most.
const ATTEMPTS: u32 = 8;

/// Makes the bot of a match.
pub type Factory = Box<dyn Fn(&Match) -> Box<dyn Bot> + Send + Sync>;

pub struct Player {
    factory: Factory,
    /// How many matches it plays at once; 0 for any number.
    capacity: u32,
    /// With the attempt it tells the service which of two streams is the newer one.
    process: String,
    state: Mutex<State>,
    /// How many calls of bots wait or run.
    busy: AtomicUsize,
    this: Weak<Player>,
}

#[derive(Default)]
struct State {
    attempt: u32,
    seats: HashMap<String, Seat>,
    /// None without a stream: what is lost then is asked for again on the next one.
    outbox: Option<mpsc::UnboundedSender<PlayRequest>>,
    leaving: bool,
    /// How many decisions there have been; each has a number of its own, even where an id comes again.
    asked: u64,
    /// What was wrong with notes, and has been told.
    note_faults: HashSet<String>,
}

impl Player {
    pub fn new(factory: Factory, capacity: u32) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            factory,
            capacity,
            process: format!("{:016x}", rand::random::<u64>()),
            state: Mutex::default(),
            busy: AtomicUsize::new(0),
            this: this.clone(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics that holds it")
    }

    /// Waits until no bot is called, but not longer than said.
    pub async fn until_idle(&self, most: Duration) {
        let end = Instant::now() + most;
        while self.busy.load(Ordering::SeqCst) > 0 && Instant::now() < end {
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Leaves further decisions to the next process, or to the clock; those that wait are still answered.
    pub fn take_no_more(&self) {
        self.state().leaving = true;
    }

    /// Begins a new stream with the hello.
    pub fn begin(&self, outbox: mpsc::UnboundedSender<PlayRequest>) {
        let mut state = self.state();
        state.attempt += 1;
        let mut hello = v1::Hello {
            client: "fudaba-rust".into(),
            capacity: self.capacity,
            process: self.process.clone(),
            attempt: state.attempt,
            batches: true,
            delivery: Some(v1::Delivery {
                legal_moves: v1::LegalMoveFormat::Typed.into(),
                events: v1::EventDelivery::WithDecision.into(),
                ..Default::default()
            }),
            ..Default::default()
        };
        for (id, seat) in &mut state.seats {
            seat.here = false;
            hello.seen.push(v1::Seen {
                match_id: id.clone(),
                seen: seat.seen,
                history: seat.history,
            });
        }
        state.outbox = Some(outbox);
        state.send(play_request::Message::Hello(hello));
    }

    /// Sends nothing more: behind what waits, the stream's own side is closed.
    pub fn disconnected(&self) {
        self.state().outbox = None;
    }

    /// Forgets the matches that the stream has not brought: the service does not know them any more.
    pub fn forget_missing(&self) {
        self.state().seats.retain(|id, seat| {
            if !seat.here {
                log(&format!("{id}: the service does not bring it any more"));
            }
            seat.here
        });
    }

    /// Takes any message but the welcome. A kind that a later release may add is passed over.
    pub fn received(&self, message: v1::PlayResponse) {
        match message.message {
            Some(play_response::Message::Ping(ping)) => {
                self.state()
                    .send(play_request::Message::Pong(v1::Pong { id: ping.id }));
            }
            Some(play_response::Message::Update(update)) => self.update(update),
            Some(play_response::Message::Updates(batch)) => {
                batch.updates.into_iter().for_each(|update| self.update(update));
            }
            Some(play_response::Message::Refusal(refusal)) => self.refused(refusal),
            _ => {}
        }
    }

    fn update(&self, update: v1::SeatUpdate) {
        let mut state = self.state();
        if !state.seats.contains_key(&update.match_id) {
            let Some(seat) = self.new_seat(&update) else {
                return;
            };
            state.seats.insert(update.match_id.clone(), seat);
        }
        let State {
            seats,
            asked,
            leaving,
            ..
        } = &mut *state;
        let seat = seats.get_mut(&update.match_id).expect("it is there");
        seat.here = true;
        seat.seen = update.seen;
        seat.history = update.history;
        if update.rewound {
            // What was asked and answered since then has not happened, even where an id comes again.
            seat.open = None;
            seat.events.clear();
            self.call(seat, Job::Rewound);
        }
        seat.events.extend(update.events);
        for id in update.accepted.iter().chain(&update.timed_out) {
            seat.open.take_if(|open| open.message.decision_id == *id);
        }
        for id in &update.timed_out {
            log(&format!(
                "{}: time ran out for decision {id}",
                update.match_id
            ));
        }
        if let Some(end) = update.over {
            let seat = seats.remove(&update.match_id).expect("it is there");
            self.over(&seat, end);
        } else if let Some(decision) = update.decision.filter(|_| !*leaving) {
            if seat
                .open
                .as_ref()
                .is_some_and(|open| open.message.decision_id == decision.decision_id)
            {
                // Asked again after a lost connection: the answer may have been lost with it. An answer counts once.
                let answer = seat.open.as_ref().and_then(|open| open.answer.clone());
                if let Some(answer) = answer {
                    state.send(play_request::Message::Answer(answer));
                }
                return;
            }
            *asked += 1;
            let deadline = Instant::now() + Duration::from_millis(decision.time_ms.into());
            seat.open = Some(Open {
                number: *asked,
                message: decision,
                deadline,
                answer: None,
                attempts: 0,
            });
            self.ask(seat, None);
        }
    }

    /// The seat of a match that is new here, with the thread of its bot.
    fn new_seat(&self, update: &v1::SeatUpdate) -> Option<Seat> {
        let header = update.started.clone()?; // else the end of a match that was over for us already
        let (id, game, seat) = (
            update.match_id.clone(),
            header.game.clone(),
            update.seat as usize,
        );
        let of = Arc::new(Match {
            id,
            game,
            seat,
            header,
        });
        let bot = match catch_unwind(AssertUnwindSafe(|| (self.factory)(&of))) {
            Ok(bot) => bot,
            Err(panic) => {
                report(
                    &of,
                    &text_of(&*panic),
                    "it cannot be played and is left to its clock",
                );
                return None;
            }
        };
        let (jobs, waiting) = jobs::channel();
        let (player, about) = (self.this.upgrade().expect("it is in use"), Arc::clone(&of));
        std::thread::spawn(move || player.serve(&about, bot, &waiting));
        Some(Seat {
            of,
            jobs,
            seen: 0,
            history: 0,
            events: Vec::new(),
            open: None,
            here: true,
        })
    }

    fn over(&self, seat: &Seat, end: v1::MatchEnd) {
        match &end.outcome {
            Some(outcome) => {
                let score = outcome
                    .scores
                    .get(seat.of.seat)
                    .copied()
                    .unwrap_or_default();
                log(&format!("{}: over, score {score}", seat.of.id));
            }
            None => log(&format!(
                "{}: over, without a result ({})",
                seat.of.id,
                end.abort_cause().as_str_name()
            )),
        }
        self.call(seat, Job::Over(Box::new(end)));
    }

    /// Has the bot asked about the decision that is open.
    fn ask(&self, seat: &mut Seat, refusal: Option<v1::Refusal>) {
        let Some(open) = &seat.open else { return };
        let decision = Decision {
            of: Arc::clone(&seat.of),
            id: open.message.decision_id.clone(),
            required: open.message.required,
            view: open.message.view.clone().and_then(|view| view.game),
            legal_moves: open.message.legal_moves.clone(),
            legal_count: open.message.legal_count as usize,
            events: std::mem::take(&mut seat.events),
            refusal,
            deadline: open.deadline,
            note: String::new(),
        };
        self.call(seat, Job::Choose(open.number, Box::new(decision)));
    }

    fn call(&self, seat: &Seat, job: Job) {
        self.busy.fetch_add(1, Ordering::SeqCst);
        seat.jobs
            .send(job)
            .expect("its thread waits as long as the seat is there");
    }

    /// Calls the bot of a match, until the seat is gone.
    fn serve(&self, of: &Match, mut bot: Box<dyn Bot>, waiting: &jobs::Receiver<Job>) {
        for job in waiting {
            match job {
                Job::Choose(number, decision) => self.choose(of, &mut *bot, number, *decision),
                Job::Rewound => attempt(of, || bot.rewound()),
                Job::Over(end) => attempt(of, || bot.over(&end)),
            }
            self.busy.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn choose(&self, of: &Match, bot: &mut dyn Bot, number: u64, mut decision: Decision) {
        if self.state().open(&of.id, number).is_none() {
            return; // closed while it waited
        }
        let index = choice(of, bot, &mut decision);
        let mut state = self.state();
        let Some(open) = state.open(&of.id, number) else {
            return;
        };
        let choice = Some(answer::Choice::Index(index as u32));
        let (note, fault) = note::sendable(decision.note);
        let answer = v1::Answer {
            match_id: of.id.clone(),
            decision_id: decision.id,
            note,
            choice,
        };
        open.attempts += 1;
        open.answer = Some(answer.clone());
        if let Some(fault) = fault.filter(|fault| state.note_faults.insert(fault.clone())) {
            log(&format!(
                "{}: {}: {fault}; the move stands, and this is told once",
                of.id, answer.decision_id
            ));
        }
        state.send(play_request::Message::Answer(answer));
    }

    fn refused(&self, refusal: v1::Refusal) {
        log(&format!(
            "{}: refused: {}: {}",
            refusal.match_id, refusal.reason, refusal.message
        ));
        let mut state = self.state();
        let Some(seat) = state.seats.get_mut(&refusal.match_id) else {
            return;
        };
        let Some(open) = &mut seat.open else { return };
        if open.message.decision_id != refusal.decision_id || open.answer.is_none() {
            return;
        }
        if !refusal.still_open {
            seat.open = None;
        } else if open.attempts >= ATTEMPTS {
            log(&format!(
                "{}: {} is left to the clock",
                refusal.match_id, refusal.decision_id
            ));
        } else {
            match refusal.reason.as_str() {
                // About the answer: the bot is asked for another one.
                "ILLEGAL_MOVE" | "MALFORMED_MOVE" | "MALFORMED" | "NOTE_TOO_LONG" => {
                    open.answer = None;
                    self.ask(seat, Some(refusal));
                }
                // About the moment: the same answer can be sent again.
                "TOO_FAST" | "STORE_UNAVAILABLE" | "SHUTTING_DOWN" | "INTERNAL" => {
                    open.attempts += 1;
                    let number = open.number;
                    let player = self.this.upgrade().expect("it is in use");
                    tokio::spawn(async move {
                        sleep(AGAIN).await;
                        let mut state = player.state();
                        let again = state
                            .open(&refusal.match_id, number)
                            .and_then(|open| open.answer.clone());
                        if let Some(answer) = again {
                            state.send(play_request::Message::Answer(answer));
                        }
                    });
                }
                _ => {}
            }
        }
    }
}

impl State {
    fn send(&self, message: play_request::Message) {
        if let Some(outbox) = &self.outbox {
            // One whose stream has ended loses it; the service asks again on the next.
            let _ = outbox.send(PlayRequest {
                message: Some(message),
            });
        }
    }

    /// A decision, as long as it is open.
    fn open(&mut self, match_id: &str, number: u64) -> Option<&mut Open> {
        self.seats
            .get_mut(match_id)?
            .open
            .as_mut()
            .filter(|open| open.number == number)
    }
}
