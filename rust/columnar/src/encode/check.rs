//! What must hold for any Arrow arrays whatever, those included that no library makes: property tests and the fuzz target
//! feed this one function.

use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use barnabas_records::{BatchRef, Header};

use crate::encode::batches::{BatchEncoder, BatchOptions};
use crate::encode::cells::{Cells, Layout};
use crate::encode::headers::{Ends, Headers};
use crate::encode::input::Input;
use crate::encode::numbers::{Numbers, Partitions, Timestamps, Unit};

/// Most rows of an array.
const ROWS_MAX: usize = 64;
/// Timestamp of rows that have none.
const TIMESTAMP: i64 = 7;
/// Size of the batches: several are filled.
const BATCH_SIZE: usize = 1 << 10;

/// Takes values off the front of what is fed; zeros after its end.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// Mostly small, sometimes anything.
    fn number(&mut self) -> i64 {
        let first = self.byte();
        match first {
            0..=0xf0 => i64::from(first),
            0xf1..=0xf4 => -i64::from(self.byte()),
            0xf5..=0xfa => i64::from(self.byte()) << (first & 31),
            _ => i64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    /// Mostly ascending.
    fn ends(&mut self, rows: usize) -> Vec<i64> {
        let mut end = 0_i64;
        let mut next = || {
            let step = self.number();
            end = if step < 40 { end.wrapping_add(step) } else { step };
            end
        };
        (0..=rows).map(|_| next()).collect()
    }

    fn bytes(&mut self) -> Buffer {
        let length = usize::from(self.byte());
        Buffer::from((0..length).map(|_| self.byte()).collect::<Vec<u8>>())
    }

    fn nulls(&mut self, rows: usize) -> Option<NullBuffer> {
        let rows = match self.byte() & 7 {
            0 => rows,
            // Shorter than the array, which Arrow's own types do not allow.
            1 => rows / 2,
            _ => return None,
        };
        Some((0..rows).map(|_| self.byte() & 3 > 0).collect())
    }

    #[expect(clippy::cast_possible_truncation, reason = "any number will do")]
    #[expect(clippy::cast_sign_loss, reason = "any number will do")]
    fn layout(&mut self, rows: usize, depth: usize) -> Layout {
        match self.byte() % 6 {
            0 => Layout::Small {
                ends: self.ends(rows).into_iter().map(|end| end as i32).collect(),
                data: self.bytes(),
            },
            1 => Layout::Large {
                ends: self.ends(rows).into_iter().collect(),
                data: self.bytes(),
            },
            2 => {
                let views = (0..rows).flat_map(|_| {
                    let words = [self.number(), self.number(), self.number() & 3, self.number()];
                    words.map(|word| (word as i32).to_le_bytes()).concat()
                });
                Layout::Views {
                    views: Buffer::from(views.collect::<Vec<u8>>()),
                    blocks: vec![self.bytes(), self.bytes()],
                }
            }
            3 => Layout::Fixed {
                width: usize::try_from(self.number()).unwrap_or(0),
                data: self.bytes(),
            },
            4 if depth > 0 => {
                let count = usize::from(self.byte() & 15);
                Layout::Dictionary {
                    indexes: (0..rows).map(|_| self.number() as u32).collect(),
                    values: Box::new(self.cells(count, depth - 1)),
                }
            }
            _ => Layout::Null,
        }
    }

    fn cells(&mut self, rows: usize, depth: usize) -> Cells {
        Cells {
            name: "cells".to_owned(),
            nulls: self.nulls(rows),
            is_text: true,
            layout: self.layout(rows, depth),
        }
    }

    fn numbers(&mut self, rows: usize) -> Numbers {
        Numbers {
            values: (0..rows).map(|_| self.number()).collect::<ScalarBuffer<i64>>(),
            nulls: self.nulls(rows),
        }
    }

    fn headers(&mut self, rows: usize) -> Headers {
        let elements = usize::from(self.byte() & 31);
        let ends = self.ends(rows);
        Headers {
            nulls: self.nulls(rows),
            ends: Ends::Large(ends.into_iter().collect()),
            elements: self.nulls(elements),
            elements_len: elements,
            keys: self.cells(elements, 1),
            values: self.cells(elements, 1),
        }
    }

    fn input(&mut self) -> Input {
        let rows = usize::from(self.byte()) % ROWS_MAX;
        let wants = self.byte();
        let wanted = |bit: u8| wants & bit != 0;
        Input {
            rows,
            value: self.cells(rows, 1),
            key: wanted(1).then(|| self.cells(rows, 1)),
            headers: wanted(2).then(|| self.headers(rows)),
            topic: wanted(4).then(|| self.cells(rows, 1)),
            partition: wanted(8).then(|| Partitions(self.numbers(rows))),
            timestamp: wanted(16).then(|| Timestamps {
                numbers: self.numbers(rows),
                unit: [Unit::Seconds, Unit::Milliseconds, Unit::Microseconds, Unit::Nanoseconds]
                    .get(usize::from(wants >> 5) & 3)
                    .copied()
                    .unwrap_or(Unit::Milliseconds),
            }),
        }
    }
}

/// Makes arrays of `data`, with offsets, indexes, views and null masks that need not fit, and encodes them. It must not
/// panic or allocate beyond what the arrays hold, and what can be encoded must be read again as it was.
///
/// # Panics
/// If one of these rules is broken.
pub fn check(data: &[u8]) {
    let input = Source(data).input();
    let mut encoder = BatchEncoder::new(BatchOptions {
        batch_size: BATCH_SIZE,
        compression: barnabas_records::Compression::None,
        level: None,
        timestamp: TIMESTAMP,
    });
    if encoder.push(&input).is_err() {
        return;
    }
    let Ok(batches) = encoder.finish() else { return };
    let mut found = Vec::new();
    for sealed in &batches {
        let batch = BatchRef::parse(&sealed.bytes).unwrap_or_else(|error| unreachable!("{error}"));
        assert_eq!(batch.check_crc(), Ok(()));
        assert_eq!(batch.header.record_count, sealed.records);
        for record in batch.records(batch.payload()) {
            let record = record.unwrap_or_else(|error| unreachable!("{error}"));
            let headers: Vec<Header<'_>> = record.headers.iter().collect();
            let target = (sealed.topic.as_deref(), sealed.partition);
            found.push((target, record.timestamp, record.key, record.value, headers));
        }
    }
    assert_eq!(found.len(), input.rows());
    let mut wanted = Vec::new();
    for row in 0..input.rows() {
        let cells = input.row(row).unwrap_or_else(|error| unreachable!("{error}"));
        let mut headers = Vec::new();
        input
            .headers(row, &mut headers)
            .unwrap_or_else(|error| unreachable!("{error}"));
        let timestamp = cells.timestamp.unwrap_or(TIMESTAMP);
        let target = (cells.topic, cells.partition);
        wanted.push((target, timestamp, cells.key, cells.value, headers));
    }
    // Batches are sealed as they become full, so the rows of one target are in order and those of several are not.
    found.sort_by_key(|row| target_of(row.0));
    wanted.sort_by_key(|row| target_of(row.0));
    assert_eq!(found, wanted);
}

fn target_of((topic, partition): (Option<&str>, Option<i32>)) -> (Option<String>, Option<i32>) {
    (topic.map(str::to_owned), partition)
}
