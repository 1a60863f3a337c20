//! Why a stream ended.

use std::error::Error;
use std::time::Duration;

use prost::Message;
use tonic::{Code, Status};

use crate::rpc;

/// Why a stream ended.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    /// One of `contract/fudaba/v1/errors.proto`; empty when it was not the service that spoke.
    pub reason: String,
    pub message: String,
    /// How long the service asks to wait before the next attempt.
    pub retry_after: Duration,
}

impl Failure {
    pub fn new(code: Code, message: &str) -> Self {
        Self {
            code,
            reason: String::new(),
            message: message.to_owned(),
            retry_after: Duration::ZERO,
        }
    }

    /// Of a connection that could not be made; its message has all causes.
    pub fn to_connect(error: &tonic::transport::Error) -> Self {
        Self::new(Code::Unavailable, &causes(error))
    }

    /// Whether it is of no use to connect again.
    pub fn is_fatal(&self) -> bool {
        // Without a reason it is gRPC's own: a message is too large, and will be the next time.
        let too_large = self.code == Code::ResourceExhausted && self.reason.is_empty();
        let useless = matches!(
            self.code,
            Code::Unauthenticated
                | Code::PermissionDenied
                | Code::InvalidArgument
                | Code::NotFound
                | Code::FailedPrecondition
                | Code::Unimplemented
        );
        useless && self.retry_after.is_zero() || self.reason == "SUPERSEDED" || too_large
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let mut found = Self::new(status.code(), status.message());
        if let Some(source) = status.source() {
            found.message = format!("{}: {}", found.message, causes(source));
        }
        let Ok(told) = rpc::Status::decode(status.details()) else {
            return found;
        };
        for detail in told.details {
            if detail.type_url.ends_with("/google.rpc.ErrorInfo") {
                if let Ok(info) = rpc::ErrorInfo::decode(detail.value.as_slice()) {
                    if info.domain == "fudaba" {
                        found.reason = info.reason;
                    }
                }
            } else if detail.type_url.ends_with("/google.rpc.RetryInfo") {
                if let Ok(info) = rpc::RetryInfo::decode(detail.value.as_slice()) {
                    found.retry_after = info
                        .retry_delay
                        .and_then(|delay| delay.try_into().ok())
                        .unwrap_or_default();
                }
            }
        }
        found
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, into: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.reason.is_empty() {
            write!(into, "{:?}: {}", self.code, self.message)
        } else {
            write!(into, "{}: {}", self.reason, self.message)
        }
    }
}

fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
