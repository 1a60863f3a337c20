//! A seat of this bot, and the decision that is open there.

use std::sync::{mpsc as jobs, Arc};
use std::time::Instant;

use crate::bot::{Decision, Match};
use crate::v1;

/// This bot's seat in a match that is not over.
pub struct Seat {
    pub of: Arc<Match>,
    /// The calls of its bot, which a thread of its own makes in turn.
    pub jobs: jobs::Sender<Job>,
    /// What the last update said of them; both go into the next hello.
    pub seen: u32,
    pub history: u32,
    pub events: Vec<v1::Event>,
    pub open: Option<Open>,
    /// Whether the stream of now has brought it.
    pub here: bool,
}

/// A decision that is open.
pub struct Open {
    pub number: u64,
    pub message: v1::Decision,
    pub deadline: Instant,
    /// What was sent; it is sent again, word for word, after a lost connection.
    pub answer: Option<v1::Answer>,
    pub attempts: u32,
}

/// A call of the bot.
pub enum Job {
    Choose(u64, Box<Decision>),
    Rewound,
    Over(Box<v1::MatchEnd>),
}
