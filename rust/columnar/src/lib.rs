//! Record batches to and from Arrow, and typed decoders.
