//! Conditions on columns: rows that do not meet all of them are dropped before they are handed over.
//!
//! Comparisons are Spark's: nothing compares with null, NaN equals itself and is above every other number, -0.0 equals
//! 0.0, text and bytes compare by bytes.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, Scalar};
use arrow_buffer::BooleanBuffer;
use arrow_ord::cmp;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::coalesce::BatchCoalescer;

use crate::{Result, ScanError};

/// Most values that one condition may compare with.
pub const VALUES_MAX: usize = 10_000;

/// How a column is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Is one of the values.
    In,
    /// Is not the value.
    NotEqual,
    /// Is below the value.
    Less,
    /// Is the value or below.
    LessOrEqual,
    /// Is above the value.
    Greater,
    /// Is the value or above.
    GreaterOrEqual,
    /// Is null.
    Null,
    /// Is not null.
    NotNull,
}

impl Test {
    /// By the words of SQL; `=` is `in` with one value.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "in" => Self::In,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            "is null" => Self::Null,
            "is not null" => Self::NotNull,
            _ => return None,
        })
    }

    fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Self::In => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
            Self::Null | Self::NotNull => false,
        }
    }

    fn compares(self) -> bool {
        !matches!(self, Self::Null | Self::NotNull)
    }
}

/// A condition on one column.
#[derive(Clone, Debug)]
pub struct Condition {
    column: usize,
    test: Test,
    values: Vec<ArrayRef>,
}

impl Condition {
    /// A condition on a column of `schema`. `values` are of the column's type and none is null: any number for
    /// [`Test::In`], one for other comparisons, none for the tests for null.
    ///
    /// # Errors
    /// [`ScanError::Condition`]: there is no such column, it has a type that is not compared, or the values do not fit.
    pub fn new(schema: &SchemaRef, column: &str, test: Test, values: &ArrayRef) -> Result<Self> {
        let refuse = |reason: String| ScanError::Condition {
            column: column.to_owned(),
            reason,
        };
        let (index, field) = schema
            .column_with_name(column)
            .ok_or_else(|| refuse("there is no such column".to_owned()))?;
        let wanted = match test {
            Test::In => 0..=VALUES_MAX,
            Test::Null | Test::NotNull => 0..=0,
            _ => 1..=1,
        };
        if !wanted.contains(&values.len()) {
            return Err(refuse(format!(
                "{} values are given, {} to {} can be",
                values.len(),
                wanted.start(),
                wanted.end()
            )));
        }
        if test.compares() {
            if !is_compared(field.data_type()) {
                return Err(refuse(format!("its type {} has no order", field.data_type())));
            }
            if values.data_type() != field.data_type() {
                return Err(refuse(format!(
                    "it is {}, but it is compared with {}",
                    field.data_type(),
                    values.data_type()
                )));
            }
            if values.null_count() > 0 {
                return Err(refuse("nothing compares with null; use is null".to_owned()));
            }
        }
        Ok(Self {
            column: index,
            test,
            values: (0..values.len()).map(|row| values.slice(row, 1)).collect(),
        })
    }

    fn mask(&self, batch: &RecordBatch) -> std::result::Result<BooleanBuffer, ArrowError> {
        let column = batch.column(self.column);
        let rows = batch.num_rows();
        let present = || {
            column
                .logical_nulls()
                .map_or_else(|| BooleanBuffer::new_set(rows), |nulls| nulls.inner().clone())
        };
        match self.test {
            Test::NotNull => Ok(present()),
            Test::Null => Ok(!&present()),
            test => self
                .values
                .iter()
                .try_fold(BooleanBuffer::new_unset(rows), |found, value| {
                    let matches = compare(column, test, value)?;
                    Ok(match matches.nulls() {
                        None => &found | matches.values(),
                        Some(nulls) => &found | &(matches.values() & nulls.inner()),
                    })
                }),
        }
    }
}

fn is_compared(data_type: &DataType) -> bool {
    data_type.is_numeric()
        || data_type.is_temporal()
        || matches!(
            data_type,
            DataType::Boolean
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
        )
}

fn compare(column: &ArrayRef, test: Test, value: &ArrayRef) -> std::result::Result<BooleanArray, ArrowError> {
    match column.data_type() {
        DataType::Float32 => return Ok(compare_floats::<Float32Type>(column, test, value)),
        DataType::Float64 => return Ok(compare_floats::<Float64Type>(column, test, value)),
        _ => {}
    }
    let value = Scalar::new(Arc::clone(value));
    match test {
        Test::NotEqual => cmp::neq(column, &value),
        Test::Less => cmp::lt(column, &value),
        Test::LessOrEqual => cmp::lt_eq(column, &value),
        Test::Greater => cmp::gt(column, &value),
        Test::GreaterOrEqual => cmp::gt_eq(column, &value),
        Test::In | Test::Null | Test::NotNull => cmp::eq(column, &value),
    }
}

/// Arrow orders floats by their bits, Spark does not.
fn compare_floats<T>(column: &ArrayRef, test: Test, value: &ArrayRef) -> BooleanArray
where
    T: ArrowPrimitiveType<Native: Into<f64>>,
{
    let value: f64 = value.as_primitive::<T>().value(0).into();
    BooleanArray::from_unary(column.as_primitive::<T>(), |found| {
        let found: f64 = found.into();
        let ordering = found
            .partial_cmp(&value)
            .unwrap_or_else(|| found.is_nan().cmp(&value.is_nan()));
        test.accepts(ordering)
    })
}

/// Rows that meet all conditions, gathered into batches of the usual size: small ones cost their reader more.
pub(crate) struct Sieve {
    conditions: Vec<Condition>,
    gathered: BatchCoalescer,
}

impl Sieve {
    pub(crate) fn new(schema: &SchemaRef, conditions: Vec<Condition>, rows: usize) -> Self {
        Self {
            conditions,
            gathered: BatchCoalescer::new(Arc::clone(schema), rows.max(1)),
        }
    }

    /// Takes a batch in, and puts into `full` what is complete.
    pub(crate) fn push(
        &mut self,
        batch: RecordBatch,
        full: &mut Vec<RecordBatch>,
    ) -> std::result::Result<(), ArrowError> {
        let mut kept = BooleanBuffer::new_set(batch.num_rows());
        for condition in &self.conditions {
            kept = &kept & &condition.mask(&batch)?;
        }
        self.gathered
            .push_batch_with_filter(batch, &BooleanArray::new(kept, None))?;
        full.extend(std::iter::from_fn(|| self.gathered.next_completed_batch()));
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> std::result::Result<Option<RecordBatch>, ArrowError> {
        self.gathered.finish_buffered_batch()?;
        Ok(self.gathered.next_completed_batch())
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "columns are made where they are passed")]
mod tests {
    use arrow_array::{BinaryArray, Float64Array, Int32Array, Int64Array, StringArray};
    use arrow_schema::{Field, Schema};

    use super::*;

    /// Which rows of a column a condition keeps.
    fn kept(column: ArrayRef, test: &str, value: ArrayRef) -> Vec<usize> {
        let schema = Arc::new(Schema::new(vec![Field::new("c", column.data_type().clone(), true)]));
        let condition = Condition::new(&schema, "c", Test::parse(test).unwrap(), &value).unwrap();
        let batch = RecordBatch::try_new(schema, vec![column]).unwrap();
        condition.mask(&batch).unwrap().set_indices().collect()
    }

    #[test]
    fn floats_compare_as_in_spark() {
        let column = || -> ArrayRef {
            let values = [
                Some(-1.0),
                Some(-0.0),
                Some(0.0),
                Some(f64::NAN),
                None,
                Some(f64::INFINITY),
            ];
            Arc::new(Float64Array::from(values.to_vec()))
        };
        let value = |number: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![number])) };
        for (test, number, rows) in [
            ("in", 0.0, vec![1, 2]),
            ("in", -0.0, vec![1, 2]),
            ("<", 0.0, vec![0]),
            (">=", 0.0, vec![1, 2, 3, 5]),
            (">", f64::INFINITY, vec![3]),
            ("in", f64::NAN, vec![3]),
            ("<=", f64::NAN, vec![0, 1, 2, 3, 5]),
            ("!=", f64::NAN, vec![0, 1, 2, 5]),
        ] {
            assert_eq!(kept(column(), test, value(number)), rows, "{test} {number}");
        }
        assert_eq!(kept(column(), "is null", value(0.0).slice(0, 0)), [4]);
    }

    #[test]
    fn text_and_bytes_compare_by_bytes() {
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("B"), None, Some("ä"), Some("")]));
        let bytes: ArrayRef = Arc::new(BinaryArray::from_opt_vec(vec![Some(&[0x80]), Some(&[]), None]));
        let value = || -> ArrayRef { Arc::new(StringArray::from(vec!["a"])) };
        assert_eq!(kept(Arc::clone(&text), "<", value()), [1, 4]);
        assert_eq!(kept(text, ">=", value()), [0, 3]);
        assert_eq!(
            kept(bytes, ">", Arc::new(BinaryArray::from_vec(vec![&[0x7f, 0xff]]))),
            [0]
        );
    }

    #[test]
    fn a_condition_that_cannot_be_asked_says_why() {
        let list = DataType::List(Arc::new(Field::new("item", DataType::Int64, true)));
        let schema: SchemaRef = Arc::new(Schema::new(vec![
            Field::new("n", DataType::Int64, true),
            Field::new("l", list, true),
        ]));
        let one: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let cases: [(&str, Test, ArrayRef, &str); 6] = [
            (
                "x",
                Test::Less,
                Arc::clone(&one),
                "condition on column x: there is no such column",
            ),
            ("l", Test::Less, Arc::clone(&one), "has no order"),
            (
                "n",
                Test::Less,
                Arc::new(Int32Array::from(vec![1])),
                "it is Int64, but it is compared with Int32",
            ),
            (
                "n",
                Test::Less,
                Arc::new(Int64Array::from(vec![None])),
                "nothing compares with null; use is null",
            ),
            (
                "n",
                Test::Less,
                Arc::new(Int64Array::from(vec![1, 2])),
                "2 values are given, 1 to 1 can be",
            ),
            ("n", Test::Null, one, "1 values are given, 0 to 0 can be"),
        ];
        for (column, test, values, expected) in cases {
            let error = Condition::new(&schema, column, test, &values).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
