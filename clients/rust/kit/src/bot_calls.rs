//! The calls of a bot: its mistakes and panics are reported, and cost a move at most.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::bot::{Bot, Decision, Match};
use crate::run::log;

/// The bot's choice; the default move if it fails, so that a mistake in it costs a move and not the match.
pub fn choice(of: &Match, bot: &mut dyn Bot, decision: &mut Decision) -> usize {
    let (count, id) = (decision.legal_count, decision.id.clone());
    let problem = match catch_unwind(AssertUnwindSafe(|| bot.choose(decision))) {
        Ok(Ok(index)) if index < count => return index,
        Ok(Ok(index)) => {
            format!("choose returned {index}; there are {count} legal moves, from index 0")
        }
        Ok(Err(error)) => error.to_string(),
        Err(panic) => text_of(&*panic),
    };
    // Whoever runs the bot counts these lines, see the contract.
    let what = format!("own error at decision {id}; the default move is played");
    report(of, &problem, &what);
    0
}

/// Calls the bot where nothing is asked; the match goes on whatever comes of it.
pub fn attempt(of: &Match, call: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
        report(of, &text_of(&*panic), "the match goes on");
    }
}

/// What a panic says.
pub fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked".into())
}

/// Logs what is wrong with the bot, and what becomes of it.
pub fn report(of: &Match, problem: &str, what: &str) {
    for line in problem.lines() {
        log(&format!("{}: {line}", of.id));
    }
    log(&format!("{}: {what}", of.id));
}
