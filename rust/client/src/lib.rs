//! Kafka client data path: buffer pool, accumulator, sender, fetcher, cluster view.
