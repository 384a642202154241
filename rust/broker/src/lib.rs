//! Kafka broker data path: dispatch, partitions, produce and fetch, purgatory, image, control queue.
