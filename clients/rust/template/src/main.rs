//! mybot: plays Naga by a small strategy, and a random legal move in every other game.

mod naga;

use fudaba::v1::view::Game;
use fudaba::{Bot, BotError, Decision};
use rand::Rng;

/// Plays one seat of one match. What it knows is in `decision.view`.
struct MyBot;

impl Bot for MyBot {
    fn choose(&mut self, decision: &mut Decision) -> Result<usize, BotError> {
        match &decision.view {
            Some(Game::Naga(view)) if view.place != 0 => {
                Ok(naga::best_hand(view, &decision.legal_moves))
            }
            _ => Ok(rand::rng().random_range(0..decision.legal_count)),
        }
    }
}

fn main() {
    fudaba::run(|_| MyBot)
}
