//! What a bot is, and what it is asked.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use crate::v1;

/// Why a bot did not choose; anything with a text will do.
pub type BotError = Box<dyn Error + Send + Sync>;

/// Plays one seat of one match; each has a bot, and a thread, of its own.
pub trait Bot: Send {
    /// Returns the index of a move in `decision.legal_moves`.
    ///
    /// After an error or a panic the default move is played, which is the first one, and the error is printed.
    fn choose(&mut self, decision: &mut Decision) -> Result<usize, BotError>;

    /// Told when the match is over; one without a result has no outcome.
    fn over(&mut self, _end: &v1::MatchEnd) {}

    /// Told when the service had to put the match back: forget what happened since the position asked about next.
    fn rewound(&mut self) {}
}

/// What a bot plays.
#[derive(Debug)]
pub struct Match {
    /// The match's id.
    pub id: String,
    /// The game's id, such as `naga`.
    pub game: String,
    /// This bot's seat, from 0.
    pub seat: usize,
    /// What the service tells of the match when it starts.
    pub header: v1::MatchHeader,
}

/// What a bot has to decide, or may decide.
#[derive(Debug)]
pub struct Decision {
    /// The match that it is about.
    pub of: Arc<Match>,
    /// Its id.
    pub id: String,
    /// Whether it must be made.
    pub required: bool,
    /// What this seat knows, as the game's own message: `NagaView` in a match of Naga.
    pub view: Option<v1::view::Game>,
    /// The legal moves, in the rulebook's order. The first one is the default move.
    pub legal_moves: Vec<v1::Move>,
    /// How many moves are legal: more than `legal_moves` has when they are more than 2000.
    pub legal_count: usize,
    /// What happened since the decision before.
    pub events: Vec<v1::Event>,
    /// Why the answer before was refused, when the bot is asked again.
    pub refusal: Option<v1::Refusal>,
    /// When the answer must have arrived.
    pub deadline: Instant,
    /// For the bot to set: only its author is shown it, beside the record. Of a longer one, the first 1024 bytes are kept.
    pub note: String,
}
