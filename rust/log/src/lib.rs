//! Kafka partition logs on disk: segments, indexes, recovery, producer state.
