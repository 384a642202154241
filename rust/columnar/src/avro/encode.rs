//! Rows of Arrow columns to values in Avro's binary encoding.

use arrow_array::{BinaryArray, RecordBatch};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::Schema as ArrowSchema;

use super::bind::bind_rows;
use super::put::Unwritable;
use super::registry::MAGIC;
use super::schema::Schema;
use super::write::schema_text;
use crate::{ColumnarError, Result};

/// Encodes Arrow batches: each row becomes one value.
///
/// The columns must be the fields of the schema's record, in any order; a field without a column gets its default, or
/// null. A schema that is no record takes one column. Rows that do not fit the schema are an error: a null where there
/// is no null in the schema, a number that is too large, a string that is no symbol.
#[derive(Clone, Debug)]
pub struct Encoder {
    schema: Schema,
    id: Option<u32>,
}

impl Encoder {
    /// Plain values of this schema.
    pub fn new(schema: Schema) -> Self {
        Self { schema, id: None }
    }

    /// Plain values of the schema that follows from the columns, as Spark's `to_avro` has it: see [`schema_text`].
    ///
    /// # Errors
    /// A column that Avro has no type for.
    pub fn for_columns(columns: &ArrowSchema) -> Result<Self> {
        Ok(Self::new(Schema::parse(&schema_text(columns)?)?))
    }

    /// The same values with five bytes before each that name the schema in a registry.
    #[must_use]
    pub fn with_id(self, id: u32) -> Self {
        Self { id: Some(id), ..self }
    }

    /// The schema of the values.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Encodes every row.
    ///
    /// # Errors
    /// Columns that cannot be written with the schema, a row that does not fit it, more than 2 GiB of values.
    pub fn encode(&self, batch: &RecordBatch) -> Result<BinaryArray> {
        let bound = bind_rows(&self.schema, batch)?;
        let rows = batch.num_rows();
        let mut data: Vec<u8> = Vec::with_capacity(batch.get_array_memory_size().min(rows.saturating_mul(256)));
        let mut ends: Vec<i32> = Vec::with_capacity(rows.saturating_add(1));
        ends.push(0);
        for row in 0..rows {
            if let Some(id) = self.id {
                data.push(MAGIC);
                data.extend_from_slice(&id.to_be_bytes());
            }
            (bound.put(row, &mut data)).map_err(|unwritable| not_encodable(row, *unwritable))?;
            ends.push(i32::try_from(data.len()).map_err(|_| ColumnarError::ColumnTooLarge)?);
        }
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        Ok(BinaryArray::try_new(ends, Buffer::from_vec(data), None)?)
    }
}

#[cold]
fn not_encodable(row: usize, unwritable: Unwritable) -> ColumnarError {
    let Unwritable { reason, mut path } = unwritable;
    path.reverse();
    ColumnarError::AvroRow {
        row,
        path: path.join("."),
        reason: reason.into_owned(),
    }
}
