//! JSON values from Arrow columns, by the rules of Spark's `to_json`.
//!
//! - a field that is null is left out, unless `ignoreNullFields` is off; elements and map values that are null are
//!   written; a row that is null gives no value;
//! - timestamps are written to the millisecond with an offset, `timestampFormat` gives another form; bytes are base64;
//!   not-a-number and infinities are strings; decimals are written as Java's `BigDecimal` writes them;
//! - doubles have the fewest digits that are read back as the same number, in Java's form (as from JDK 19 on).

mod cells;
mod nested;
mod numbers;
mod options;
mod strings;
mod times;

use arrow_array::{Array, BinaryArray, StructArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use nested::StructCells;
pub use options::JsonWriteOptions;

use crate::{ColumnarError, Result};

/// Bytes that a row is expected to take when the first one is written.
const ROW_BYTES_EXPECTED: usize = 64;

/// Writes each row as a JSON object; a row that is null stays null.
///
/// # Errors
/// A type that JSON is not written from; more than 2 GiB of values.
pub fn encode(rows: &StructArray, options: &JsonWriteOptions) -> Result<BinaryArray> {
    let cells = StructCells::new(rows, options, 0)?;
    let mut data = Vec::with_capacity(rows.len().saturating_mul(ROW_BYTES_EXPECTED));
    let mut offsets: Vec<i32> = Vec::with_capacity(rows.len().saturating_add(1));
    offsets.push(0);
    for row in 0..rows.len() {
        if !rows.is_null(row) {
            cells.write_object(row, &mut data)?;
        }
        offsets.push(i32::try_from(data.len()).map_err(|_| ColumnarError::ColumnTooLarge)?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(BinaryArray::try_new(
        offsets,
        Buffer::from_vec(data),
        rows.nulls().cloned(),
    )?)
}
