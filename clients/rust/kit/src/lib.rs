//! Plays a bot on a Fudaba service: write a [`Bot`], and give what makes one to [`run`].

mod bot;
mod bot_calls;
mod connection;
mod environment;
mod failure;
mod note;
mod player;
mod run;
mod seat;

pub use bot::{Bot, BotError, Decision, Match};
pub use run::run;

/// The contract's messages, generated from `contract/fudaba/v1`.
#[allow(clippy::all, missing_docs)]
pub mod v1 {
    include!("generated/fudaba.v1.rs");
}

#[allow(clippy::all, dead_code)]
mod rpc {
    include!("generated/google.rpc.rs");
}
