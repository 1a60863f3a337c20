//! One Play stream after another, for as long as it makes sense.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until, timeout, Instant};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::metadata::MetadataValue;
use tonic::transport::{self, Channel, ClientTlsConfig};
use tonic::{Code, Request};

use crate::environment::Endpoint;
use crate::failure::Failure;
use crate::player::Player;
use crate::run::log;
use crate::v1::play_response::Message;
use crate::v1::play_service_client::PlayServiceClient;

const FIRST_DELAY: Duration = Duration::from_millis(200);
const LONGEST_DELAY: Duration = Duration::from_secs(15);
const GROWTH: f64 = 1.7;
/// How long the service may take to answer the first message of a stream.
const WELCOME: Duration = Duration::from_secs(20);
/// How long after a welcome every match that the service still knows must have come.
const MISSING: Duration = Duration::from_secs(30);
/// How long the last answers may take to leave when the process stops.
const GOODBYE: Duration = Duration::from_secs(3);
/// How long a TLS handshake may take that is only a question.
const HANDSHAKE: Duration = Duration::from_secs(5);
const NEVER: Duration = Duration::from_secs(365 * 86_400);

/// How long to wait before an attempt, counted from 0: longer each time, and never in step. `chance` is from 0 to 1.
fn delay_before(attempt: i32, retry_after: Duration, chance: f64) -> Duration {
    let growing = FIRST_DELAY.as_secs_f64() * GROWTH.powi(attempt);
    Duration::from_secs_f64(growing.min(LONGEST_DELAY.as_secs_f64()) * (0.5 + chance / 2.0))
        .max(retry_after)
}

/// Plays until `stop`, or until the match is over that the token was for. The error is what trying again cannot mend.
pub async fn play(
    endpoint: &Endpoint,
    player: &Arc<Player>,
    mut stop: watch::Receiver<bool>,
) -> Result<(), String> {
    let mut attempt = 0;
    let mut ever = false; // once connected, it is not for TLS that there is no connection
    loop {
        let (end, welcomed) = one_stream(endpoint, player, &mut stop).await;
        player.disconnected();
        if *stop.borrow() || end.reason == "MATCH_OVER" {
            player.until_idle(GOODBYE).await;
            return Ok(());
        }
        if welcomed {
            attempt = 0;
            ever = true;
        }
        if end.is_fatal() {
            return Err(end.to_string());
        }
        if !ever {
            if let Some(why) = disagreement(endpoint, &end).await {
                return Err(why);
            }
        }
        let delay = delay_before(attempt, end.retry_after, rand::random());
        attempt += 1;
        log(&format!(
            "no connection ({end}); trying again in {:.1} s",
            delay.as_secs_f64()
        ));
        tokio::select! {
            () = sleep(delay) => {}
            _ = stop.changed() => return Ok(()),
        }
    }
}

/// Plays over one stream until it ends; why it did, and whether it was welcomed.
async fn one_stream(
    endpoint: &Endpoint,
    player: &Arc<Player>,
    stop: &mut watch::Receiver<bool>,
) -> (Failure, bool) {
    let silent = || {
        Failure::new(
            Code::DeadlineExceeded,
            "it takes connections but does not answer",
        )
    };
    let channel = match timeout(WELCOME, connect(endpoint)).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(error)) => return (Failure::to_connect(&error), false),
        Err(_) => return (silent(), false),
    };
    let (outbox, waiting) = mpsc::unbounded_channel();
    player.begin(outbox);
    let mut request = Request::new(UnboundedReceiverStream::new(waiting));
    let token = MetadataValue::try_from(format!("Bearer {}", endpoint.token))
        .expect("a token has graphic characters");
    request.metadata_mut().insert("authorization", token);
    let mut client = PlayServiceClient::new(channel);
    let mut messages = match timeout(WELCOME, client.play(request)).await {
        Ok(Ok(response)) => response.into_inner(),
        Ok(Err(status)) => return (status.into(), false),
        Err(_) => return (silent(), false),
    };
    let (mut welcomed, mut leaving) = (false, false);
    let mut silence = Instant::now() + WELCOME;
    let mut missing = Instant::now() + NEVER;
    loop {
        tokio::select! {
            message = messages.message() => match message {
                Ok(Some(message)) => {
                    if let Some(Message::Welcome(welcome)) = &message.message {
                        welcomed = true;
                        silence = Instant::now() + NEVER;
                        missing = Instant::now() + MISSING;
                        log(&format!("connected to {} as {} {}", endpoint.address, welcome.bot, welcome.version));
                        if !welcome.notice.is_empty() {
                            log(&welcome.notice);
                        }
                    } else {
                        player.received(message);
                    }
                }
                Ok(None) => return (Failure::new(Code::Ok, "the service ended it"), welcomed),
                Err(status) => return (status.into(), welcomed),
            },
            () = sleep_until(missing) => {
                player.forget_missing();
                missing = Instant::now() + NEVER;
            }
            () = sleep_until(silence) => return (silent(), welcomed),
            _ = stop.changed(), if !leaving => {
                leaving = true;
                player.take_no_more();
                silence = Instant::now() + 2 * GOODBYE;
                let player = Arc::clone(player);
                tokio::spawn(async move {
                    player.until_idle(GOODBYE).await;
                    player.disconnected(); // the half-close goes out behind the last answer; the service then ends it
                });
            }
        }
    }
}

async fn connect(endpoint: &Endpoint) -> Result<Channel, transport::Error> {
    let uri = match endpoint.address.strip_prefix("unix:") {
        Some(path) => format!("unix:{path}"),
        None if endpoint.secure => format!("https://{}", endpoint.address),
        None => format!("http://{}", endpoint.address),
    };
    let mut builder = transport::Endpoint::from_shared(uri)
        .expect("an address makes a URI")
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(5))
        .keep_alive_while_idle(true);
    if endpoint.secure {
        let trust = match &endpoint.authority {
            Some(authority) => ClientTlsConfig::new().ca_certificate(authority.clone()),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        builder = builder.tls_config(trust)?;
    }
    builder.connect().await
}

/// Why a connection that never was can never be, as far as TLS is the reason.
///
/// Otherwise one only learns that no connection could be made, again and again.
async fn disagreement(endpoint: &Endpoint, end: &Failure) -> Option<String> {
    let address = endpoint.address.clone();
    if !matches!(end.code, Code::Unavailable | Code::Unknown) || address.starts_with("unix:") {
        return None;
    }
    if endpoint.secure {
        return end.message.contains("InvalidContentType").then(|| {
            format!("the service at {address} does not use TLS: leave out FUDABA_TLS and FUDABA_CA_CERT")
        });
    }
    let asked = address.clone();
    let speaks = tokio::task::spawn_blocking(move || speaks_tls(&asked).unwrap_or(false))
        .await
        .unwrap_or(false);
    speaks.then(|| {
        format!("the service at {address} wants TLS: set FUDABA_TLS=1, or FUDABA_CA_CERT to its authority's file")
    })
}

/// Whether a server answers the beginning of a TLS handshake with a message of TLS: its own part of it, or an alert.
fn speaks_tls(address: &str) -> std::io::Result<bool> {
    // A hello of TLS 1.2 that offers enough that no server simply hangs up.
    let mut hello = vec![22, 3, 1, 0, 92, 1, 0, 0, 88, 3, 3];
    hello.extend([0; 32]); // what should be random
    hello.extend([0, 0, 4, 0xc0, 0x2b, 0xc0, 0x2f, 1, 0]); // no session, two cipher suites, no compression
    hello.extend([0, 43, 0, 10, 0, 6, 0, 4, 0, 29, 0, 23]); // groups: X25519, P-256
    hello.extend([0, 11, 0, 2, 1, 0]); // points: uncompressed
    hello.extend([0, 13, 0, 14, 0, 12, 4, 3, 8, 4, 4, 1, 5, 3, 8, 5, 5, 1]); // signatures
    hello.extend([0, 16, 0, 5, 0, 3, 2, b'h', b'2']); // the protocol: HTTP/2
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(HANDSHAKE))?;
    stream.write_all(&hello)?;
    let mut kind = [0];
    stream.read_exact(&mut kind)?;
    Ok(matches!(kind[0], 21 | 22))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_the_longest_and_are_never_in_step() {
        assert_eq!(delay_before(0, Duration::ZERO, 0.0), FIRST_DELAY / 2);
        assert_eq!(delay_before(0, Duration::ZERO, 1.0), FIRST_DELAY);
        assert_eq!(delay_before(100, Duration::ZERO, 1.0), LONGEST_DELAY);
        assert_eq!(
            delay_before(0, Duration::from_secs(60), 1.0),
            Duration::from_secs(60)
        );
    }
}
