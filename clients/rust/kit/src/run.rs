//! Runs a bot: signals, exit codes.

use std::process::exit;

use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;

use crate::bot::{Bot, Match};
use crate::connection::play;
use crate::environment::Endpoint;
use crate::player::Player;

/// Plays on the service that the environment names: FUDABA_SERVER, FUDABA_TOKEN, and for TLS FUDABA_TLS or
/// FUDABA_CA_CERT; FUDABA_CAPACITY matches at once, or any number. `new_bot` makes the bot of each match.
///
/// The process ends with exit code 0 after SIGTERM or Ctrl-C, or when the match is over that the token was for; with 1
/// after what trying again cannot mend; and with 2 when the environment cannot be used.
pub fn run<B: Bot + 'static>(new_bot: impl Fn(&Match) -> B + Send + Sync + 'static) -> ! {
    let endpoint = Endpoint::of(|name| std::env::var(name).ok()).unwrap_or_else(|problem| {
        log(&problem);
        exit(2)
    });
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    let ended = runtime.block_on(async {
        let (tell, stop) = watch::channel(false);
        tokio::spawn(until_told(tell));
        let player = Player::new(Box::new(move |of| Box::new(new_bot(of))), endpoint.capacity);
        play(&endpoint, &player, stop).await
    });
    if let Err(problem) = &ended {
        log(problem);
    }
    exit(i32::from(ended.is_err()))
}

/// Sets the watch after the first signal; a second one ends the process at once.
async fn until_told(tell: watch::Sender<bool>) {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be waited for");
    let mut interrupt = signal(SignalKind::interrupt()).expect("signals can be waited for");
    for _ in 0..2 {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if tell.send_replace(true) {
            exit(130);
        }
    }
}

/// Prints one line that does not drive the terminal.
pub fn log(line: &str) {
    let turns = |char: char| matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let shown: String = line
        .chars()
        .map(|char| {
            if char.is_control() || turns(char) {
                '\u{fffd}'
            } else {
                char
            }
        })
        .collect();
    eprintln!("{shown}");
}
