//! The broker's metrics as text, in Prometheus' exposition format 0.0.4.
//!
//! Everything is read when somebody asks; nothing is kept for it. `docs/metrics.md` lists every name.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use barnabas_wire::api;

use crate::metrics::{APIS_MAX, BUCKETS, Counted, bound_of};
use crate::node::Node;
use crate::partition::Partition;
use crate::quotas::Reading;

/// Name in [`Node::metrics`], name here without the prefix, whether it only grows, and what it is.
const SIMPLE: [(&str, &str, bool, &str); 33] = [
    (
        "requests_refused",
        "requests_refused_total",
        true,
        "Requests that could not be read or are not served; their connections were closed.",
    ),
    (
        "produce_errors",
        "produce_partition_errors_total",
        true,
        "Partitions of Produce requests that were refused.",
    ),
    (
        "produce_bytes",
        "produce_bytes_total",
        true,
        "Bytes of record batches appended for clients.",
    ),
    (
        "produce_duplicates",
        "produce_duplicate_batches_total",
        true,
        "Batches of idempotent producers that were in the log already.",
    ),
    (
        "fetch_bytes",
        "fetch_bytes_total",
        true,
        "Bytes of record batches sent.",
    ),
    ("fetches_parked", "fetches_parked", false, "Fetches that wait for data."),
    (
        "control_requests",
        "control_requests_total",
        true,
        "Requests handed to the control plane.",
    ),
    (
        "control_appends",
        "control_appends_total",
        true,
        "Batches appended by the control plane.",
    ),
    (
        "control_queue_depth",
        "control_queue_length",
        false,
        "Events that wait for the control plane.",
    ),
    (
        "control_requests_queued",
        "control_requests_queued",
        false,
        "Requests among them; over queued.max.requests connections are not read.",
    ),
    (
        "control_requests_pending",
        "control_requests_pending",
        false,
        "Requests that the control plane has not answered.",
    ),
    (
        "appends_on_helpers",
        "slow_appends_total",
        true,
        "Appends made by a helper thread because those of their partition were slow.",
    ),
    (
        "partitions_slowed",
        "partitions_slowed_total",
        true,
        "How often the appends of a partition became slow.",
    ),
    (
        "flushes",
        "log_flushes_total",
        true,
        "Flushes of partition logs that requests waited for.",
    ),
    (
        "segments_deleted",
        "log_segments_deleted_total",
        true,
        "Segments removed by retention.",
    ),
    (
        "data_dirs_offline",
        "log_dirs_offline",
        false,
        "Data directories given up after a failure.",
    ),
    (
        "cleaner_rounds",
        "cleaner_rounds_total",
        true,
        "Rounds of compaction that were completed.",
    ),
    (
        "cleaner_bytes_read",
        "cleaner_read_bytes_total",
        true,
        "Bytes of log that compaction read.",
    ),
    (
        "cleaner_bytes_written",
        "cleaner_written_bytes_total",
        true,
        "Bytes of log that compaction wrote.",
    ),
    (
        "cleaner_records_removed",
        "cleaner_removed_records_total",
        true,
        "Records that compaction removed.",
    ),
    (
        "cleaner_partitions_given_up",
        "cleaner_partitions_given_up",
        false,
        "Partitions that compaction has given up after a failure.",
    ),
    (
        "cold_reads",
        "cold_reads_total",
        true,
        "Chunks of files that were not in the page cache and were read by a helper before they were sent.",
    ),
    ("connections", "connections", false, "Open connections."),
    (
        "connections_accepted",
        "connections_accepted_total",
        true,
        "Connections accepted.",
    ),
    (
        "connections_refused",
        "connections_refused_total",
        true,
        "Connections closed at once for a limit of their address.",
    ),
    (
        "connections_idle_closed",
        "connections_idle_closed_total",
        true,
        "Connections closed because they were idle.",
    ),
    (
        "connections_evicted",
        "connections_evicted_total",
        true,
        "Connections closed because another listener needed their place, or max.connections was lowered.",
    ),
    (
        "connections_delayed",
        "connections_delayed_total",
        true,
        "Connections that waited to be accepted, because too many came at once.",
    ),
    (
        "connections_throttled",
        "connections_throttled_total",
        true,
        "Connections that were not served, because their address opened too many at once.",
    ),
    (
        "connections_muted",
        "connections_muted",
        false,
        "Connections that are not read for a while, because their client's quota is used up.",
    ),
    (
        "append_helper_queue",
        "append_helper_queue_length",
        false,
        "Appends that wait for a helper thread.",
    ),
    (
        "helper_queue",
        "helper_queue_length",
        false,
        "Flushes, reads and removals that wait for a helper thread.",
    ),
    (
        "fetch_sessions",
        "fetch_sessions",
        false,
        "Fetch sessions that are kept.",
    ),
];

/// Quotas in use that are shown.
const QUOTAS_MAX: usize = 1000;

type QuotaValue = fn(&Reading) -> f64;

const QUOTA_FAMILIES: [(&str, &str, &str, QuotaValue); 4] = [
    (
        "client_quota_limit",
        "gauge",
        "What clients may use per second: bytes, hundredths of a thread's time, partitions created and deleted.",
        |reading| reading.limit,
    ),
    (
        "client_quota_used",
        "gauge",
        "What they used per second over the last windows; of partitions created and deleted how many are left.",
        |reading| reading.used,
    ),
    (
        "client_throttled_total",
        "counter",
        "Answers after which a client was made to wait.",
        |reading| float(reading.throttled),
    ),
    (
        "client_throttled_seconds_total",
        "counter",
        "How long clients were made to wait.",
        |reading| float(reading.throttled_ms) / 1000.0,
    ),
];

/// A label's value.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP barnabas_{name} {help}"));
        self.line(format_args!("# TYPE barnabas_{name} {kind}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.0.write_fmt(line);
        self.0.push('\n');
    }

    fn one(&mut self, name: &str, grows: bool, help: &str, value: f64) {
        self.family(name, if grows { "counter" } else { "gauge" }, help);
        self.line(format_args!("barnabas_{name} {value}"));
    }

    fn histogram(&mut self, name: &str, labels: &str, counted: &Counted) {
        let comma = if labels.is_empty() { "" } else { "," };
        let mut total = 0;
        for (bucket, count) in counted.buckets.iter().enumerate() {
            total += count;
            if bucket < BUCKETS {
                let bound = bound_of(bucket).as_secs_f64();
                self.line(format_args!(
                    "barnabas_{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {total}"
                ));
            } else {
                self.line(format_args!(
                    "barnabas_{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {total}"
                ));
            }
        }
        let labels = if labels.is_empty() {
            String::new()
        } else {
            format!("{{{labels}}}")
        };
        let sum = Duration::from_nanos(counted.sum_ns).as_secs_f64();
        self.line(format_args!("barnabas_{name}_sum{labels} {sum}"));
        self.line(format_args!("barnabas_{name}_count{labels} {total}"));
    }
}

impl Node {
    /// All metrics of the data plane as text.
    pub fn prometheus(&self) -> String {
        let mut text = Text(String::with_capacity(16 * 1024));
        self.simple(&mut text);
        self.by_api(&mut text);
        self.control_lag(&mut text);
        self.quotas(&mut text);
        self.by_partition(&mut text);
        text.0
    }

    fn simple(&self, text: &mut Text) {
        let values = self.metrics();
        for (key, name, grows, help) in SIMPLE {
            if let Some(value) = values.get(key) {
                text.one(name, grows, help, float(*value));
            }
        }
    }

    fn by_api(&self, text: &mut Text) {
        let counted = self.broker().api_metrics.counted();
        let named: Vec<_> = counted
            .iter()
            .map(|(key, counted)| {
                let name = i16::try_from(*key).ok().filter(|_| *key < APIS_MAX).and_then(api::name);
                (format!("api=\"{}\"", name.unwrap_or("unknown")), counted)
            })
            .collect();
        text.family(
            "request_bytes_total",
            "counter",
            "Bytes of requests, without their lengths.",
        );
        for (labels, counted) in &named {
            text.line(format_args!(
                "barnabas_request_bytes_total{{{labels}}} {}",
                counted.bytes_in
            ));
        }
        text.family(
            "response_bytes_total",
            "counter",
            "Bytes of responses, with their lengths.",
        );
        for (labels, counted) in &named {
            text.line(format_args!(
                "barnabas_response_bytes_total{{{labels}}} {}",
                counted.bytes_out
            ));
        }
        let name = "request_duration_seconds";
        text.family(
            name,
            "histogram",
            "From a request's last byte read to its response's last byte written; long polls wait within.",
        );
        for (labels, counted) in &named {
            text.histogram(name, labels, &counted.total);
        }
        let name = "request_handling_seconds";
        text.family(
            name,
            "histogram",
            "From a request's last byte read until its reactor was free for others.",
        );
        for (labels, counted) in &named {
            text.histogram(name, labels, &counted.handling);
        }
    }

    fn control_lag(&self, text: &mut Text) {
        let lag = &self.broker().control.lag;
        let name = "control_wait_seconds";
        text.family(
            name,
            "histogram",
            "How long requests waited until the control plane took them.",
        );
        text.histogram(name, "", &lag.waits.counted());
        let name = "control_turn_seconds";
        text.family(name, "histogram", "How long the turns of the control plane took.");
        text.histogram(name, "", &lag.turns.counted());
        let name = "control_busy_seconds";
        let help = "How long the control plane has been busy with its present turn; 0 while it waits for work.";
        text.one(name, false, help, lag.busy().as_secs_f64());
    }

    fn quotas(&self, text: &mut Text) {
        let readings = self.broker().quotas.readings(QUOTAS_MAX);
        let rows = readings.iter().map(|(kind, user, client_id, reading)| {
            let (kind, user, client_id) = (kind.name(), label(user), label(client_id));
            (
                format!("quota=\"{kind}\",user=\"{user}\",client_id=\"{client_id}\""),
                reading,
            )
        });
        let rows: Vec<_> = rows.collect();
        for (name, kind, help, value) in QUOTA_FAMILIES {
            text.family(name, kind, help);
            for (labels, reading) in &rows {
                text.line(format_args!("barnabas_{name}{{{labels}}} {}", value(reading)));
            }
        }
    }

    fn by_partition(&self, text: &mut Text) {
        let image = self.broker().image();
        let (mut under_min, mut under_replicated, mut offline) = (0_u64, 0_u64, 0_u64);
        let mut rows = Vec::new();
        for topic in image.topics() {
            for entry in &topic.partitions {
                under_min += u64::from(entry.state.isr.len() < topic.min_insync_replicas);
                under_replicated += u64::from(entry.state.isr.len() < entry.state.replicas.len());
                offline += u64::from(entry.state.leader < 0 || entry.usable().is_err());
                if let Some(local) = &entry.local {
                    rows.push((
                        format!("topic=\"{}\",partition=\"{}\"", topic.name, entry.state.index),
                        Arc::clone(local),
                    ));
                }
            }
        }
        let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        for (name, help, value) in [
            ("partitions", "Partitions on this broker.", count),
            (
                "partitions_under_min_isr",
                "Partitions with fewer in-sync replicas than min.insync.replicas.",
                under_min,
            ),
            (
                "partitions_under_replicated",
                "Partitions with fewer in-sync replicas than replicas.",
                under_replicated,
            ),
            (
                "partitions_offline",
                "Partitions without a leader, or whose data directory has failed.",
                offline,
            ),
        ] {
            text.one(name, false, help, float(value));
        }
        logs(text, &rows);
    }

    /// Requests and bytes of all APIs together.
    pub(crate) fn traffic(&self) -> (u64, u64) {
        let sum = |(bytes_in, bytes_out): (u64, u64), (_, counted): &(usize, crate::metrics::ApiCounted)| {
            (bytes_in + counted.bytes_in, bytes_out + counted.bytes_out)
        };
        self.broker().api_metrics.counted().iter().fold((0, 0), sum)
    }
}

/// One line per partition and value of its log.
fn logs(text: &mut Text, rows: &[(String, Arc<Partition>)]) {
    type Value = fn(&Partition) -> i64;
    let families: [(&str, &str, Value); 4] = [
        ("log_start_offset", "First offset of a partition.", |partition| {
            partition.log.log_start_offset()
        }),
        (
            "log_end_offset",
            "Offset after a partition's last record.",
            |partition| partition.log.log_end_offset(),
        ),
        (
            "log_high_watermark",
            "Offset up to which consumers see a partition.",
            |partition| partition.log.high_watermark(),
        ),
        ("log_size_bytes", "Bytes of a partition's segments.", |partition| {
            i64::try_from(partition.log.size_in_bytes()).unwrap_or(i64::MAX)
        }),
    ];
    for (name, help, value) in families {
        text.family(name, "gauge", help);
        for (labels, partition) in rows {
            text.line(format_args!("barnabas_{name}{{{labels}}} {}", value(partition)));
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counters below 2^53 are exact, and above nobody sees it"
)]
fn float(value: u64) -> f64 {
    value as f64
}
