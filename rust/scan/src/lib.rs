//! Reads an offset range of one partition into Arrow batches.
