//! Options of the clients, under Kafka's names, with their limits. It reads values that were already looked up and typed
//! by the caller; it knows no aliases and prints nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::error::ClientError;
use crate::partitioner::Partitioner;

/// One option's value.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A whole number (milliseconds, bytes, counts).
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A switch.
    Bool(bool),
    /// A text.
    Str(String),
    /// A list of texts.
    List(Vec<String>),
}

/// Options by their dotted Kafka names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options(BTreeMap<String, OptionValue>);

impl Options {
    /// No options: everything has its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option, replacing an earlier value.
    pub fn set(&mut self, name: impl Into<String>, value: OptionValue) -> &mut Self {
        self.0.insert(name.into(), value);
        self
    }

    /// The option's value, if it was set.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0.get(name)
    }

    fn int(&self, name: &'static str, default: i64, min: i64, max: i64) -> Result<i64, ClientError> {
        let value = match self.get(name) {
            None => default,
            Some(OptionValue::Int(value)) => *value,
            Some(OptionValue::Bool(value)) => i64::from(*value),
            Some(OptionValue::Str(text)) => text
                .trim()
                .parse()
                .map_err(|_| invalid(name, format!("{text:?} is not a whole number")))?,
            Some(other) => return Err(invalid(name, format!("{other:?} is not a whole number"))),
        };
        if value < min || value > max {
            return Err(invalid(name, format!("{value} is not between {min} and {max}")));
        }
        Ok(value)
    }

    fn size(&self, name: &'static str, default: usize, min: usize, max: usize) -> Result<usize, ClientError> {
        let bound = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let value = self.int(name, bound(default), bound(min), bound(max))?;
        usize::try_from(value).map_err(|_| invalid(name, format!("{value} is negative")))
    }

    fn millis(&self, name: &'static str, default: u64) -> Result<Duration, ClientError> {
        let default = i64::try_from(default).unwrap_or(i64::MAX);
        let value = self.int(name, default, 0, MILLIS_MAX)?;
        Ok(Duration::from_millis(u64::try_from(value).unwrap_or(0)))
    }

    fn flag(&self, name: &'static str, default: bool) -> Result<bool, ClientError> {
        match self.get(name) {
            None => Ok(default),
            Some(OptionValue::Bool(value)) => Ok(*value),
            Some(OptionValue::Str(text)) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(OptionValue::Str(text)) if text.eq_ignore_ascii_case("false") => Ok(false),
            Some(other) => Err(invalid(name, format!("{other:?} is neither true nor false"))),
        }
    }

    fn text(&self, name: &'static str, default: &str) -> Result<String, ClientError> {
        match self.get(name) {
            None => Ok(default.to_owned()),
            Some(OptionValue::Str(text)) => Ok(text.clone()),
            Some(OptionValue::Int(value)) => Ok(value.to_string()),
            Some(other) => Err(invalid(name, format!("{other:?} is not a text"))),
        }
    }

    fn list(&self, name: &'static str) -> Result<Vec<String>, ClientError> {
        let split = |text: &str| {
            text.split(',')
                .map(|item| item.trim().to_owned())
                .filter(|item| !item.is_empty())
                .collect()
        };
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(OptionValue::List(items)) => {
                Ok(items.iter().flat_map(|item| -> Vec<String> { split(item) }).collect())
            }
            Some(OptionValue::Str(text)) => Ok(split(text)),
            Some(other) => Err(invalid(name, format!("{other:?} is not a list of texts"))),
        }
    }
}

/// Longest time an option may name: 24 days, what fits Kafka's int32 of milliseconds.
const MILLIS_MAX: i64 = 2_147_483_647;

fn invalid(name: &'static str, reason: String) -> ClientError {
    ClientError::InvalidOption { name, reason }
}

/// Options of everything below the producer and the consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    /// `bootstrap.servers` as (host, port).
    pub bootstrap_servers: Vec<(String, u16)>,
    /// `client.id`.
    pub client_id: String,
    /// `request.timeout.ms`.
    pub request_timeout: Duration,
    /// `retry.backoff.ms`.
    pub retry_backoff: Duration,
    /// `retry.backoff.max.ms`.
    pub retry_backoff_max: Duration,
    /// `reconnect.backoff.ms`.
    pub reconnect_backoff: Duration,
    /// `reconnect.backoff.max.ms`.
    pub reconnect_backoff_max: Duration,
    /// `metadata.max.age.ms`.
    pub metadata_max_age: Duration,
    /// `connections.max.idle.ms`.
    pub connections_max_idle: Duration,
    /// `metadata.recovery.strategy`: whether the client starts again from its first addresses.
    pub may_rebootstrap: bool,
    /// `metadata.recovery.rebootstrap.trigger.ms`.
    pub rebootstrap_trigger: Duration,
    /// `metadata.max.idle.ms`.
    pub metadata_max_idle: Duration,
    /// `socket.connection.setup.timeout.ms`.
    pub connection_setup_timeout: Duration,
    /// `socket.connection.setup.timeout.max.ms`.
    pub connection_setup_timeout_max: Duration,
    /// `send.buffer.bytes`; `None` leaves it to the operating system.
    pub send_buffer: Option<usize>,
    /// `receive.buffer.bytes`; `None` leaves it to the operating system.
    pub receive_buffer: Option<usize>,
    /// `allow.auto.create.topics`.
    pub allow_auto_create_topics: bool,
    /// `barnabas.max.response.bytes`: the largest response that is read.
    pub max_response_bytes: usize,
}

impl ClientConfig {
    /// Reads the options, with Kafka's defaults.
    ///
    /// # Errors
    /// [`ClientError::InvalidOption`] names the option that is out of its range.
    pub fn from_options(options: &Options) -> Result<Self, ClientError> {
        let servers = options.list("bootstrap.servers")?;
        let bootstrap_servers = servers
            .iter()
            .map(|server| parse_server(server))
            .collect::<Result<Vec<_>, _>>()?;
        if bootstrap_servers.is_empty() {
            return Err(invalid(
                "bootstrap.servers",
                "at least one host:port is needed".to_owned(),
            ));
        }
        let buffer = |name, default| -> Result<Option<usize>, ClientError> {
            let value = options.int(name, default, -1, i64::from(i32::MAX))?;
            Ok(usize::try_from(value).ok().filter(|bytes| *bytes > 0))
        };
        Ok(Self {
            bootstrap_servers,
            client_id: options.text("client.id", "barnabas")?,
            request_timeout: options
                .millis("request.timeout.ms", 30_000)?
                .max(Duration::from_millis(1)),
            retry_backoff: options.millis("retry.backoff.ms", 100)?,
            retry_backoff_max: options.millis("retry.backoff.max.ms", 1_000)?,
            reconnect_backoff: options.millis("reconnect.backoff.ms", 50)?,
            reconnect_backoff_max: options.millis("reconnect.backoff.max.ms", 1_000)?,
            metadata_max_age: options.millis("metadata.max.age.ms", 300_000)?,
            connections_max_idle: options.millis("connections.max.idle.ms", 540_000)?,
            may_rebootstrap: options.text("metadata.recovery.strategy", "rebootstrap")? != "none",
            rebootstrap_trigger: options.millis("metadata.recovery.rebootstrap.trigger.ms", 300_000)?,
            metadata_max_idle: options.millis("metadata.max.idle.ms", 300_000)?,
            connection_setup_timeout: options.millis("socket.connection.setup.timeout.ms", 10_000)?,
            connection_setup_timeout_max: options.millis("socket.connection.setup.timeout.max.ms", 30_000)?,
            send_buffer: buffer("send.buffer.bytes", -1)?,
            receive_buffer: buffer("receive.buffer.bytes", -1)?,
            allow_auto_create_topics: options.flag("allow.auto.create.topics", true)?,
            max_response_bytes: options.size("barnabas.max.response.bytes", 256 << 20, 1 << 20, 1 << 30)?,
        })
    }
}

/// `host:port`, `[v6]:port`; the port is needed.
fn parse_server(server: &str) -> Result<(String, u16), ClientError> {
    let wrong = || invalid("bootstrap.servers", format!("{server:?} is not host:port"));
    let address = server.rsplit_once("://").map_or(server, |(_, address)| address);
    let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    if host.is_empty() {
        return Err(wrong());
    }
    Ok((host.to_owned(), port.parse().map_err(|_| wrong())?))
}

/// How many in-sync replicas must have a record before it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acks {
    /// Nobody answers.
    None,
    /// The leader.
    Leader,
    /// All in-sync replicas.
    All,
}

impl Acks {
    /// The number in a Produce request.
    pub fn code(self) -> i16 {
        match self {
            Self::None => 0,
            Self::Leader => 1,
            Self::All => -1,
        }
    }
}

/// Options of a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerConfig {
    /// `batch.size`: a batch is closed before its records' bytes pass this, or holds one record.
    pub batch_size: usize,
    /// `linger.ms`.
    pub linger: Duration,
    /// `buffer.memory`.
    pub buffer_memory: usize,
    /// `max.block.ms`.
    pub max_block: Duration,
    /// `max.request.size`.
    pub max_request_size: usize,
    /// `acks`.
    pub acks: Acks,
    /// `compression.type`.
    pub compression: barnabas_records::Compression,
    /// `compression.<codec>.level`.
    pub compression_level: Option<i32>,
    /// `enable.idempotence`.
    pub enable_idempotence: bool,
    /// `max.in.flight.requests.per.connection`.
    pub max_in_flight: usize,
    /// `delivery.timeout.ms`.
    pub delivery_timeout: Duration,
    /// `request.timeout.ms` as the broker's limit for acknowledgements.
    pub request_timeout: Duration,
    /// `retries`.
    pub retries: u32,
    /// `partitioner.class` and `partitioner.ignore.keys`.
    pub partitioner: Partitioner,
    /// `partitioner.adaptive.partitioning.enable`.
    pub adaptive_partitioning: bool,
    /// `partitioner.availability.timeout.ms`; `None` if it is 0, which switches it off.
    pub availability_timeout: Option<Duration>,
}

impl ProducerConfig {
    /// Reads the options, with this client's defaults.
    ///
    /// # Errors
    /// [`ClientError::InvalidOption`] names the option that is out of its range or contradicts another.
    pub fn from_options(options: &Options) -> Result<Self, ClientError> {
        let acks = match options.text("acks", "all")?.as_str() {
            "all" | "-1" => Acks::All,
            "1" => Acks::Leader,
            "0" => Acks::None,
            other => return Err(invalid("acks", format!("{other:?} is none of all, -1, 0, 1"))),
        };
        let name = options.text("compression.type", "none")?;
        let compression = barnabas_records::Compression::from_name(&name).ok_or_else(|| {
            invalid(
                "compression.type",
                format!("{name:?} is none of none, gzip, snappy, lz4, zstd"),
            )
        })?;
        let max_in_flight = options.size("max.in.flight.requests.per.connection", 5, 1, 1_000)?;
        let config = Self {
            batch_size: options.size("batch.size", 256 << 10, 0, 64 << 20)?.max(BATCH_SIZE_MIN),
            linger: options.millis("linger.ms", 5)?,
            buffer_memory: options.size("buffer.memory", 32 << 20, 1 << 16, 1 << 40)?,
            max_block: options.millis("max.block.ms", 60_000)?,
            max_request_size: options.size("max.request.size", 1 << 20, 1 << 10, 1 << 30)?,
            acks,
            compression,
            compression_level: compression_level(options, &name)?,
            enable_idempotence: enable_idempotence(options, acks, max_in_flight)?,
            max_in_flight,
            delivery_timeout: options.millis("delivery.timeout.ms", 120_000)?,
            request_timeout: options.millis("request.timeout.ms", 30_000)?,
            retries: u32::try_from(options.int("retries", i64::from(i32::MAX), 0, i64::from(i32::MAX))?).unwrap_or(0),
            partitioner: partitioner(options)?,
            adaptive_partitioning: options.flag("partitioner.adaptive.partitioning.enable", true)?,
            availability_timeout: Some(options.millis("partitioner.availability.timeout.ms", 0)?)
                .filter(|timeout| !timeout.is_zero()),
        };
        if config.delivery_timeout < config.linger + config.request_timeout
            && options.get("delivery.timeout.ms").is_some()
        {
            let reason = "must be at least linger.ms + request.timeout.ms".to_owned();
            return Err(invalid("delivery.timeout.ms", reason));
        }
        Ok(config)
    }
}

fn partitioner(options: &Options) -> Result<Partitioner, ClientError> {
    let name = options.text("partitioner.class", "default")?;
    let partitioner = Partitioner::from_name(&name)
        .ok_or_else(|| invalid("partitioner.class", format!("there is no partitioner {name:?}")))?;
    let is_hash = matches!(partitioner, Partitioner::Hash { .. });
    if is_hash && options.flag("partitioner.ignore.keys", false)? {
        return Ok(Partitioner::Sticky);
    }
    Ok(partitioner)
}

/// Smallest batch: one page. Kafka's batch.size=0 ("no batching") has the same effect with linger.ms=0.
const BATCH_SIZE_MIN: usize = 4 << 10;

fn compression_level(options: &Options, codec: &str) -> Result<Option<i32>, ClientError> {
    let (name, min, max): (&'static str, i64, i64) = match codec {
        "gzip" => ("compression.gzip.level", -1, 9),
        "lz4" => ("compression.lz4.level", 1, 17),
        "zstd" => ("compression.zstd.level", -131_072, 22),
        _ => return Ok(None),
    };
    if options.get(name).is_none() {
        return Ok(None);
    }
    let level = options.int(name, 0, min, max)?;
    match (codec, level) {
        ("gzip", 0) => Err(invalid(name, "0 is neither -1 nor in 1 to 9".to_owned())),
        // gzip's own default.
        ("gzip", -1) => Ok(None),
        _ => Ok(i32::try_from(level).ok()),
    }
}

/// Java's rule: on by default, silently off when a conflicting option was set, an error when both were set.
fn enable_idempotence(options: &Options, acks: Acks, max_in_flight: usize) -> Result<bool, ClientError> {
    let asked = options.get("enable.idempotence").is_some();
    let wanted = options.flag("enable.idempotence", true)?;
    let retries = options.int("retries", 1, 0, i64::from(i32::MAX))?;
    let conflict = if acks != Acks::All {
        Some("needs acks=all")
    } else if max_in_flight > 5 {
        Some("needs max.in.flight.requests.per.connection of at most 5")
    } else if retries == 0 {
        Some("needs retries of at least 1")
    } else {
        None
    };
    match conflict {
        Some(reason) if wanted && asked => Err(invalid("enable.idempotence", reason.to_owned())),
        Some(_) => Ok(false),
        None => Ok(wanted),
    }
}

/// Which records a consumer is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsolationLevel {
    /// All below the high watermark.
    ReadUncommitted,
    /// No records of aborted or open transactions.
    ReadCommitted,
}

/// Options of a consumer's fetching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchConfig {
    /// `fetch.min.bytes`.
    pub min_bytes: i32,
    /// `fetch.max.wait.ms`.
    pub max_wait: Duration,
    /// `fetch.max.bytes`.
    pub max_bytes: usize,
    /// `max.partition.fetch.bytes`.
    pub max_partition_bytes: usize,
    /// `check.crcs`.
    pub check_crcs: bool,
    /// `isolation.level`.
    pub isolation_level: IsolationLevel,
    /// `barnabas.fetch.buffer.bytes`: no fetch is started while so many bytes wait to be polled.
    pub buffer_bytes: usize,
    /// `barnabas.poll.bytes`: a poll takes whole batches until it has so many bytes.
    pub poll_bytes: usize,
    /// `barnabas.max.decompressed.bytes`: a batch that decompresses to more is refused.
    pub max_decompressed_bytes: usize,
    /// `client.rack`: brokers may name a replica in it to read from (KIP-392).
    pub rack: String,
    /// `metadata.max.age.ms`: so long a replica that a broker named is read from without asking the leader again.
    pub replica_age: Duration,
}

impl FetchConfig {
    /// Reads the options, with Kafka's defaults.
    ///
    /// # Errors
    /// [`ClientError::InvalidOption`] names the option that is out of its range.
    pub fn from_options(options: &Options) -> Result<Self, ClientError> {
        let isolation_level = match options.text("isolation.level", "read_uncommitted")?.as_str() {
            "read_uncommitted" => IsolationLevel::ReadUncommitted,
            "read_committed" => IsolationLevel::ReadCommitted,
            other => {
                return Err(invalid(
                    "isolation.level",
                    format!("{other:?} is neither read_uncommitted nor read_committed"),
                ));
            }
        };
        let int32 = i64::from(i32::MAX);
        Ok(Self {
            min_bytes: i32::try_from(options.int("fetch.min.bytes", 1, 0, int32)?).unwrap_or(1),
            max_wait: options.millis("fetch.max.wait.ms", 500)?,
            max_bytes: options.size("fetch.max.bytes", 50 << 20, 1, 1 << 30)?,
            max_partition_bytes: options.size("max.partition.fetch.bytes", 1 << 20, 1, 1 << 30)?,
            check_crcs: options.flag("check.crcs", true)?,
            isolation_level,
            buffer_bytes: options.size("barnabas.fetch.buffer.bytes", 64 << 20, 1, 1 << 40)?,
            poll_bytes: options.size("barnabas.poll.bytes", 512 << 10, 1, 1 << 40)?,
            max_decompressed_bytes: options.size("barnabas.max.decompressed.bytes", 256 << 20, 1 << 10, 1 << 31)?,
            rack: options.text("client.rack", "")?,
            replica_age: options.millis("metadata.max.age.ms", 300_000)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, OptionValue)]) -> Options {
        let mut options = Options::new();
        for (name, value) in pairs {
            options.set(*name, value.clone());
        }
        options
    }

    #[test]
    fn bootstrap_servers_are_parsed() {
        let config = ClientConfig::from_options(&options(&[(
            "bootstrap.servers",
            OptionValue::Str("a:1, [::1]:9092,PLAINTEXT://b:2".into()),
        )]))
        .unwrap();
        let expected = [("a", 1), ("::1", 9092), ("b", 2)].map(|(host, port)| (host.to_owned(), port));
        assert_eq!(config.bootstrap_servers, expected);
        for wrong in ["", "a", ":1", "a:b", "a:70000"] {
            let wrong = options(&[("bootstrap.servers", OptionValue::Str(wrong.into()))]);
            assert!(ClientConfig::from_options(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn idempotence_gives_way_unless_it_was_asked_for() {
        let acks = ("acks", OptionValue::Str("1".into()));
        assert!(ProducerConfig::from_options(&options(&[])).unwrap().enable_idempotence);
        assert!(
            !ProducerConfig::from_options(&options(std::slice::from_ref(&acks)))
                .unwrap()
                .enable_idempotence
        );
        let asked = ("enable.idempotence", OptionValue::Bool(true));
        let error = ProducerConfig::from_options(&options(&[acks, asked])).unwrap_err();
        assert_eq!(error.to_string(), "enable.idempotence: needs acks=all");
    }

    /// Kafka's bounds; -1 is gzip's default, 9 LZ4's fast compressor.
    #[test]
    fn levels_are_those_of_the_codec_in_use() {
        let level = |codec: &str, name, level| {
            let codec = ("compression.type", OptionValue::Str(codec.into()));
            ProducerConfig::from_options(&options(&[codec, (name, OptionValue::Int(level))]))
                .ok()
                .map(|config| config.compression_level)
        };
        for (codec, name, given, expected) in [
            ("gzip", "compression.gzip.level", 9, Some(Some(9))),
            ("gzip", "compression.gzip.level", -1, Some(None)),
            ("gzip", "compression.gzip.level", 0, None),
            ("gzip", "compression.gzip.level", 10, None),
            ("lz4", "compression.lz4.level", 17, Some(Some(17))),
            ("lz4", "compression.lz4.level", 0, None),
            ("zstd", "compression.zstd.level", -131_072, Some(Some(-131_072))),
            ("zstd", "compression.zstd.level", 23, None),
            ("snappy", "compression.gzip.level", 5, Some(None)),
        ] {
            assert_eq!(level(codec, name, given), expected, "{name} {given}");
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (name, value) in [
            ("acks", OptionValue::Int(2)),
            ("linger.ms", OptionValue::Int(-1)),
            ("compression.type", OptionValue::Str("brotli".into())),
            ("buffer.memory", OptionValue::List(Vec::new())),
        ] {
            assert!(
                ProducerConfig::from_options(&options(&[(name, value)])).is_err(),
                "{name}"
            );
        }
    }
}
