//! Sealed record batches from Arrow rows.

use std::collections::HashMap;
use std::sync::Arc;

use barnabas_records::{BatchBuilder, Compression, Seal};
use bytes::Bytes;

use crate::encode::input::{Fill, Input, append_rows};
use crate::{ColumnarError, Result, pool};

/// Most partitions that one call writes to: each has an open batch.
pub const TARGETS_LIMIT: usize = 65_536;

/// What batches are made like.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions {
    /// Bytes at which a batch is full, uncompressed; a larger record gets a batch of its own.
    pub batch_size: usize,
    /// Codec.
    pub compression: Compression,
    /// The codec's level, its default if `None`.
    pub level: Option<i32>,
    /// Timestamp of rows that have none, milliseconds since the epoch.
    pub timestamp: i64,
}

/// One sealed batch.
#[derive(Clone, Debug)]
pub struct SealedBatch {
    /// Topic of its rows, if they say.
    pub topic: Option<Arc<str>>,
    /// Partition of its rows, if they say.
    pub partition: Option<i32>,
    /// Number of records.
    pub records: i32,
    /// The batch, from base offset 0.
    pub bytes: Bytes,
}

/// Turns Arrow batches into record batches, one open batch for each topic and partition that the rows name.
#[derive(Debug)]
pub struct BatchEncoder {
    options: BatchOptions,
    open: Vec<Open>,
    /// Places in `open` by topic (no topic is the empty one) and partition.
    places: HashMap<Box<str>, HashMap<Option<i32>, usize>>,
    /// Place in `open` of the batch without topic and partition.
    plain: Option<usize>,
    sealed: Vec<SealedBatch>,
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct Open {
    topic: Option<Arc<str>>,
    partition: Option<i32>,
    builder: BatchBuilder,
}

impl BatchEncoder {
    /// An encoder without rows.
    pub fn new(options: BatchOptions) -> Self {
        Self {
            options,
            open: Vec::new(),
            places: HashMap::new(),
            plain: None,
            sealed: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Appends all rows.
    ///
    /// # Errors
    /// A row that cannot be a record, or more than [`TARGETS_LIMIT`] partitions.
    pub fn push(&mut self, input: &Input) -> Result<()> {
        let mut row = 0;
        while row < input.rows() {
            let (topic, partition) = input.target(row)?;
            let end = input.run_end(row..input.rows())?;
            let index = self.open_for(topic, partition)?;
            while row < end {
                row = row.saturating_add(self.fill(index, input, row..end)?);
            }
        }
        Ok(())
    }

    /// Appends one value without key, headers, topic and partition.
    ///
    /// # Errors
    /// The value is larger than a batch can be.
    #[inline]
    pub fn push_value(&mut self, value: Option<&[u8]>) -> Result<()> {
        let index = if let Some(index) = self.plain {
            index
        } else {
            let index = self.open_for(None, None)?;
            *self.plain.insert(index)
        };
        let (timestamp, mut size_limit) = (self.options.timestamp, self.options.batch_size);
        loop {
            let Some(open) = self.open.get_mut(index) else {
                return Err(ColumnarError::TooManyTargets { limit: TARGETS_LIMIT });
            };
            if (open.builder)
                .try_append(size_limit, timestamp, None, value, &[])?
                .is_some()
            {
                return Ok(());
            }
            if open.builder.is_empty() {
                size_limit = usize::MAX;
            } else {
                self.seal_open(index)?;
            }
        }
    }

    /// Seals the open batch of a target and opens the next.
    fn seal_open(&mut self, index: usize) -> Result<()> {
        let Some(open) = self.open.get_mut(index) else {
            return Err(ColumnarError::TooManyTargets { limit: TARGETS_LIMIT });
        };
        let next = BatchBuilder::new(pool::take(self.options.batch_size));
        let full = std::mem::replace(&mut open.builder, next);
        let sealed = seal(&self.options, open, full, &mut self.scratch)?;
        self.sealed.push(sealed);
        Ok(())
    }

    /// Fills the open batch, and seals it when the next row does not fit.
    fn fill(&mut self, index: usize, input: &Input, rows: std::ops::Range<usize>) -> Result<usize> {
        let Some(open) = self.open.get_mut(index) else {
            return Err(ColumnarError::TooManyTargets { limit: TARGETS_LIMIT });
        };
        let mut fill = Fill {
            size_limit: self.options.batch_size,
            timestamp: self.options.timestamp,
        };
        let mut taken = append_rows(&mut open.builder, input, rows.clone(), &fill)?;
        if taken < rows.len() {
            if open.builder.is_empty() {
                fill.size_limit = usize::MAX;
                taken = append_rows(
                    &mut open.builder,
                    input,
                    rows.start..rows.start.saturating_add(1),
                    &fill,
                )?;
            }
            self.seal_open(index)?;
        }
        Ok(taken)
    }

    /// The place of the open batch for a target.
    fn open_for(&mut self, topic: Option<&str>, partition: Option<i32>) -> Result<usize> {
        let known = self.places.get(topic.unwrap_or_default());
        if let Some(index) = known.and_then(|partitions| partitions.get(&partition)) {
            return Ok(*index);
        }
        if self.open.len() >= TARGETS_LIMIT {
            return Err(ColumnarError::TooManyTargets { limit: TARGETS_LIMIT });
        }
        // The first batch has its whole size at once; those of further targets grow.
        let buffer = if self.open.is_empty() {
            pool::take(self.options.batch_size)
        } else {
            Vec::new()
        };
        self.open.push(Open {
            topic: topic.map(Arc::from),
            partition,
            builder: BatchBuilder::new(buffer),
        });
        let index = self.open.len().saturating_sub(1);
        let partitions = self.places.entry(topic.unwrap_or_default().into()).or_default();
        partitions.insert(partition, index);
        Ok(index)
    }

    /// Seals what is open. The batches of one target are in the order of their rows.
    ///
    /// # Errors
    /// The codec has no such level, or a compressed batch passes what the format can express.
    pub fn finish(mut self) -> Result<Vec<SealedBatch>> {
        for mut open in std::mem::take(&mut self.open) {
            let last = std::mem::replace(&mut open.builder, BatchBuilder::new(Vec::new()));
            if last.is_empty() {
                pool::give(last.into_buffer());
            } else {
                let sealed = seal(&self.options, &open, last, &mut self.scratch)?;
                self.sealed.push(sealed);
            }
        }
        Ok(self.sealed)
    }
}

fn seal(options: &BatchOptions, open: &Open, builder: BatchBuilder, scratch: &mut Vec<u8>) -> Result<SealedBatch> {
    let records = builder.record_count();
    let seal = Seal {
        compression: options.compression,
        level: options.level,
        ..Seal::default()
    };
    Ok(SealedBatch {
        topic: open.topic.clone(),
        partition: open.partition,
        records,
        bytes: pool::lend_bytes(builder.finish(&seal, scratch)?),
    })
}
