//! The options of one topic that the data plane reads: its own over the broker's over Kafka's.
//!
//! Values outside of Kafka's bounds are refused by the control plane before they are stored; here only what cannot be
//! read at all is refused.

use barnabas_log::{LogConfig, TargetCompression, TimestampType};
use barnabas_records::Compression;

use crate::config::{OptionError, OptionMap, OptionReader, refuse};

/// See the module's text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TopicOptions {
    pub(crate) log: LogConfig,
    pub(crate) min_insync_replicas: usize,
}

impl TopicOptions {
    /// A topic's own options over the broker's defaults over Kafka's.
    pub(crate) fn parse(own: &OptionMap, defaults: &OptionMap) -> Result<Self, OptionError> {
        let reader = OptionReader {
            layers: &[own, defaults],
        };
        let kafka = LogConfig::default();
        let policy = reader.text("cleanup.policy").unwrap_or("delete");
        let policy_has = |word: &str| policy.split(',').any(|part| part.trim() == word);
        let log = LogConfig {
            segment_bytes: reader.number("segment.bytes", kafka.segment_bytes)?,
            segment_ms: reader.number("segment.ms", kafka.segment_ms)?,
            segment_jitter_ms: reader.number("segment.jitter.ms", kafka.segment_jitter_ms)?,
            index_interval_bytes: reader.number("index.interval.bytes", kafka.index_interval_bytes)?,
            segment_index_bytes: reader.number("segment.index.bytes", kafka.segment_index_bytes)?,
            preallocate: reader.boolean("preallocate", kafka.preallocate)?,
            max_message_bytes: reader.number("max.message.bytes", kafka.max_message_bytes)?,
            flush_messages: reader.number("flush.messages", kafka.flush_messages)?,
            flush_ms: reader.number("flush.ms", kafka.flush_ms)?,
            compression: compression(&reader)?,
            message_timestamp_type: timestamp_type(&reader)?,
            message_timestamp_before_max_ms: reader
                .number("message.timestamp.before.max.ms", kafka.message_timestamp_before_max_ms)?,
            message_timestamp_after_max_ms: reader
                .number("message.timestamp.after.max.ms", kafka.message_timestamp_after_max_ms)?,
            delete: policy_has("delete"),
            compact: policy_has("compact"),
            retention_ms: reader.number("retention.ms", kafka.retention_ms)?,
            retention_bytes: reader.number("retention.bytes", kafka.retention_bytes)?,
            file_delete_delay_ms: reader.number("file.delete.delay.ms", kafka.file_delete_delay_ms)?,
            delete_retention_ms: reader.number("delete.retention.ms", kafka.delete_retention_ms)?,
            min_cleanable_dirty_ratio: reader.number("min.cleanable.dirty.ratio", kafka.min_cleanable_dirty_ratio)?,
            min_compaction_lag_ms: reader.number("min.compaction.lag.ms", kafka.min_compaction_lag_ms)?,
            max_compaction_lag_ms: reader.number("max.compaction.lag.ms", kafka.max_compaction_lag_ms)?,
            validate_full: reader.text("barnabas.validation") == Some("full"),
            producer_id_expiration_ms: reader.number("producer.id.expiration.ms", kafka.producer_id_expiration_ms)?,
        };
        Ok(Self {
            log,
            min_insync_replicas: reader.number("min.insync.replicas", 1)?,
        })
    }
}

fn timestamp_type(reader: &OptionReader<'_>) -> Result<TimestampType, OptionError> {
    match reader.text("message.timestamp.type") {
        None | Some("CreateTime") => Ok(TimestampType::Create),
        Some("LogAppendTime") => Ok(TimestampType::LogAppend),
        Some(value) => Err(refuse(
            "message.timestamp.type",
            value,
            "must be CreateTime or LogAppendTime",
        )),
    }
}

fn compression(reader: &OptionReader<'_>) -> Result<Option<TargetCompression>, OptionError> {
    let leveled = |codec, option: &str, default: i32| {
        let level = reader.number(option, default)?;
        Ok(Some(TargetCompression {
            codec,
            // Kafka's default is the codec's own.
            level: (level != default).then_some(level),
        }))
    };
    let plain = |codec| Ok(Some(TargetCompression { codec, level: None }));
    match reader.text("compression.type") {
        None | Some("producer") => Ok(None),
        Some("uncompressed") => plain(Compression::None),
        Some("snappy") => plain(Compression::Snappy),
        Some("gzip") => leveled(Compression::Gzip, "compression.gzip.level", -1),
        Some("lz4") => leveled(Compression::Lz4, "compression.lz4.level", 9),
        Some("zstd") => leveled(Compression::Zstd, "compression.zstd.level", 3),
        Some(value) => Err(refuse(
            "compression.type",
            value,
            "must be producer, uncompressed, gzip, snappy, lz4 or zstd",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> OptionMap {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_topics_own_option_wins_over_the_brokers() {
        let own = map(&[("segment.bytes", "1000"), ("cleanup.policy", "delete, compact")]);
        let defaults = map(&[
            ("segment.bytes", "2000"),
            ("max.message.bytes", "77"),
            ("min.insync.replicas", "2"),
        ]);
        let options = TopicOptions::parse(&own, &defaults).unwrap();
        let expected = LogConfig {
            segment_bytes: 1000,
            max_message_bytes: 77,
            delete: true,
            compact: true,
            ..LogConfig::default()
        };
        assert_eq!(
            options,
            TopicOptions {
                log: expected,
                min_insync_replicas: 2
            }
        );
    }

    #[test]
    fn every_option_of_a_log_is_read() {
        let own = map(&[
            ("cleanup.policy", "compact"),
            ("compression.type", "zstd"),
            ("compression.zstd.level", "-7"),
            ("delete.retention.ms", "1"),
            ("file.delete.delay.ms", "2"),
            ("flush.messages", "3"),
            ("flush.ms", "4"),
            ("index.interval.bytes", "5"),
            ("max.compaction.lag.ms", "6"),
            ("max.message.bytes", "7"),
            ("message.timestamp.type", "LogAppendTime"),
            ("message.timestamp.before.max.ms", "8"),
            ("message.timestamp.after.max.ms", "9"),
            ("min.cleanable.dirty.ratio", "0.25"),
            ("min.compaction.lag.ms", "10"),
            ("preallocate", "true"),
            ("retention.bytes", "11"),
            ("retention.ms", "12"),
            ("segment.bytes", "13"),
            ("segment.index.bytes", "14"),
            ("segment.jitter.ms", "15"),
            ("segment.ms", "16"),
        ]);
        let defaults = map(&[("barnabas.validation", "full"), ("producer.id.expiration.ms", "17")]);
        let expected = LogConfig {
            delete: false,
            compact: true,
            compression: Some(TargetCompression {
                codec: Compression::Zstd,
                level: Some(-7),
            }),
            delete_retention_ms: 1,
            file_delete_delay_ms: 2,
            flush_messages: 3,
            flush_ms: 4,
            index_interval_bytes: 5,
            max_compaction_lag_ms: 6,
            max_message_bytes: 7,
            message_timestamp_type: TimestampType::LogAppend,
            message_timestamp_before_max_ms: 8,
            message_timestamp_after_max_ms: 9,
            min_cleanable_dirty_ratio: 0.25,
            min_compaction_lag_ms: 10,
            preallocate: true,
            retention_bytes: 11,
            retention_ms: 12,
            segment_bytes: 13,
            segment_index_bytes: 14,
            segment_jitter_ms: 15,
            segment_ms: 16,
            validate_full: true,
            producer_id_expiration_ms: 17,
        };
        assert_eq!(TopicOptions::parse(&own, &defaults).unwrap().log, expected);
    }

    #[test]
    fn compression_levels_belong_to_their_codec() {
        let levels = [
            ("compression.gzip.level", "1"),
            ("compression.lz4.level", "9"),
            ("compression.zstd.level", "5"),
        ];
        for (name, expected) in [
            ("producer", None),
            ("uncompressed", Some((Compression::None, None))),
            ("snappy", Some((Compression::Snappy, None))),
            ("gzip", Some((Compression::Gzip, Some(1)))),
            ("lz4", Some((Compression::Lz4, None))),
            ("zstd", Some((Compression::Zstd, Some(5)))),
        ] {
            let mut own = map(&levels);
            own.insert("compression.type".to_owned(), name.to_owned());
            let found = TopicOptions::parse(&own, &OptionMap::new()).unwrap().log.compression;
            assert_eq!(found.map(|target| (target.codec, target.level)), expected, "{name}");
        }
    }

    #[test]
    fn what_cannot_be_read_names_its_option() {
        for (name, value) in [
            ("segment.bytes", "many"),
            ("compression.type", "rar"),
            ("preallocate", "perhaps"),
            ("message.timestamp.type", "Never"),
        ] {
            let error = TopicOptions::parse(&map(&[(name, value)]), &OptionMap::new()).unwrap_err();
            assert_eq!((error.name.as_str(), error.value.as_str()), (name, value));
        }
    }
}
