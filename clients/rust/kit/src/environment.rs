//! Where the service is and as whom to speak to it, from the environment. What cannot be used is told in one line.

use tonic::transport::Certificate;

/// Where the service is, and as whom to speak to it.
pub struct Endpoint {
    /// `HOST:PORT` or `unix:/path/to/socket`.
    pub address: String,
    pub token: String,
    pub secure: bool,
    /// The authority to trust instead of those that the system trusts.
    pub authority: Option<Certificate>,
    /// How many matches it plays at once; 0 for any number.
    pub capacity: u32,
}

/// A capacity is no more than this.
const MOST_MATCHES: u32 = 1_000_000;

impl Endpoint {
    /// Reads the environment; the error says what to change.
    pub fn of(environment: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let known = |name: &str| environment(name).filter(|value| !value.is_empty());
        let Some(token) = known("FUDABA_TOKEN") else {
            return Err("set FUDABA_TOKEN to your bot's token".into());
        };
        if !token.chars().all(|char| char.is_ascii_graphic()) {
            return Err(
                "FUDABA_TOKEN has blanks or characters that no token has; copy it again".into(),
            );
        }
        let address = known("FUDABA_SERVER").unwrap_or_else(|| "127.0.0.1:7710".into());
        if !is_address(&address) {
            return Err(format!(
                "FUDABA_SERVER is {address:?}; write HOST:PORT, or unix:/path/to/socket"
            ));
        }
        let capacity = known("FUDABA_CAPACITY").map_or(Ok(0), capacity)?;
        let authority = known("FUDABA_CA_CERT").map(certificate).transpose()?;
        let secure = authority.is_some() || known("FUDABA_TLS").is_some();
        Ok(Self {
            address,
            token,
            secure,
            authority,
            capacity,
        })
    }
}

fn is_address(address: &str) -> bool {
    if let Some(path) = address.strip_prefix("unix:") {
        return !path.is_empty();
    }
    let Some((host, port)) = address.rsplit_once(':') else {
        return false;
    };
    let named =
        !host.is_empty() && !host.contains(|char: char| char == '/' || char.is_whitespace());
    named && port.parse::<u16>().is_ok()
}

fn capacity(given: String) -> Result<u32, String> {
    match given.parse() {
        Ok(number) if number <= MOST_MATCHES => Ok(number),
        _ => Err(format!(
            "FUDABA_CAPACITY is {given:?}; write how many matches at once, up to {MOST_MATCHES}"
        )),
    }
}

/// The content of a PEM file.
fn certificate(path: String) -> Result<Certificate, String> {
    let content = std::fs::read(&path)
        .map_err(|error| format!("FUDABA_CA_CERT names {path}, which cannot be read ({error})"))?;
    let text = String::from_utf8_lossy(&content);
    if !text.contains("-----BEGIN CERTIFICATE-----") {
        return Err(format!(
            "FUDABA_CA_CERT names {path}, which holds no certificate; it wants a PEM file"
        ));
    }
    Ok(Certificate::from_pem(content))
}
