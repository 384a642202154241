//! Kafka record batches: encode, decode, compression, CRC32C, murmur2, varints.
