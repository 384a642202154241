//! Kafka wire protocol: primitives, headers, hot messages, the message table and its interpreter.
