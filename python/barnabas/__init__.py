"""Apache Kafka's job as one Python wheel with a Rust data plane."""
