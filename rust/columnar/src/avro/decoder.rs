//! Typed columns from values in Avro's binary encoding.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields};

use super::column::Column;
use super::cursor::{Cursor, Fault};
use super::plan::Plan;
use super::registry::{Registry, split};
use super::resolve::plan;
use super::schema::Schema;
use super::{AvroOptions, Writer};
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;
use crate::{ColumnarError, Result};

/// Most plans that a decoder keeps; they are made again when there are more schemas.
pub const PLANS_LIMIT: usize = 1_000;

/// Decodes values into columns, by the schema that each was written with.
#[derive(Debug)]
pub(crate) struct AvroDecoder {
    fields: Fields,
    root: Column,
    rows: usize,
    reader: Option<Schema>,
    prefix: Option<String>,
    refuse_trailing_bytes: bool,
    plans: Plans,
}

#[derive(Debug)]
enum Plans {
    /// Every value has the same schema.
    One(Arc<Plan>),
    /// A value says its schema.
    ById(Box<ById>),
}

#[derive(Debug)]
struct ById {
    registry: Arc<Registry>,
    plans: HashMap<u32, Planned>,
    /// The plan of the value before.
    last: Option<(u32, Arc<Plan>)>,
}

/// A plan, or why values with the id are bad records.
type Planned = std::result::Result<Arc<Plan>, Box<str>>;

impl AvroDecoder {
    /// A decoder for these columns.
    ///
    /// # Errors
    /// A type that is not supported; columns that cannot be read from the schema, where it is known beforehand.
    pub(crate) fn new(fields: &[&Field], options: &AvroOptions) -> Result<Self> {
        for field in fields {
            Column::new(field.data_type()).ok_or_else(|| unsupported(field, "Avro"))?;
        }
        let fields: Fields = fields.iter().map(|&field| field.clone()).collect();
        let Some(root) = Column::new(&DataType::Struct(fields.clone())) else {
            return Err(super::no_schema());
        };
        let reader = options.reader.clone();
        let prefix = options.types.stable_union_names.clone();
        let plans = match &options.writer {
            Some(Writer::Schema(writer)) => {
                Plans::One(Arc::new(plan(writer, reader.as_ref(), &fields, prefix.as_deref())?))
            }
            Some(Writer::Registry(registry)) => Plans::ById(Box::new(ById {
                registry: Arc::clone(registry),
                plans: HashMap::new(),
                last: None,
            })),
            None => return Err(super::no_schema()),
        };
        Ok(Self {
            fields,
            root,
            rows: 0,
            reader,
            prefix,
            refuse_trailing_bytes: options.refuse_trailing_bytes,
            plans,
        })
    }

    /// The plan for the schema of this id.
    fn plan_of(&mut self, id: u32) -> Result<Planned> {
        let Plans::ById(by_id) = &mut self.plans else {
            return Err(super::no_schema());
        };
        let planned = if let Some(planned) = by_id.plans.get(&id) {
            planned.clone()
        } else {
            let planned = match by_id.registry.schema(id)? {
                Ok(writer) => plan(&writer, self.reader.as_ref(), &self.fields, self.prefix.as_deref())
                    .map(Arc::new)
                    .map_err(|error| format!("schema {id}: {error}").into()),
                Err(reason) => Err(format!("schema {id}: {reason}").into()),
            };
            if by_id.plans.len() >= PLANS_LIMIT {
                by_id.plans.clear();
            }
            by_id.plans.insert(id, planned.clone());
            planned
        };
        by_id.last = planned.as_ref().ok().map(|plan| (id, Arc::clone(plan)));
        Ok(planned)
    }

    /// Decodes one value; says what is wrong, if anything is. The columns may then hold part of a row.
    fn decode(&mut self, value: &[u8]) -> Result<Option<Bad>> {
        let (body, planned) = match &self.plans {
            Plans::One(plan) => (value, Arc::clone(plan)),
            Plans::ById(by_id) => {
                let Some((id, body)) = split(value) else {
                    return Ok(Some(Bad::Other(
                        "the value has no registry header: a zero byte and the schema's id in four bytes".into(),
                    )));
                };
                let plan = match &by_id.last {
                    Some((last, plan)) if *last == id => Arc::clone(plan),
                    _ => match self.plan_of(id)? {
                        Ok(plan) => plan,
                        Err(reason) => return Ok(Some(Bad::Other(reason))),
                    },
                };
                (body, plan)
            }
        };
        let mut input = Cursor::new(body);
        if let Err(fault) = planned.read(&mut input, &mut self.root) {
            return described(*fault, body.len()).map(Some);
        }
        if self.refuse_trailing_bytes && input.left() > 0 {
            return Ok(Some(Bad::Other(
                format!("{} bytes follow the value", input.left()).into(),
            )));
        }
        Ok(None)
    }

    fn push_null(&mut self) -> Result<()> {
        self.root.push_null().map_err(|_| ColumnarError::ColumnTooLarge)
    }
}

/// A sentence about a fault.
#[cold]
fn described(fault: Fault, size: usize) -> Result<Bad> {
    match fault {
        Fault::TooLarge => Err(ColumnarError::ColumnTooLarge),
        Fault::Malformed { left, what, mut path } => {
            path.reverse();
            let at = size.saturating_sub(left);
            let field = if path.is_empty() {
                String::new()
            } else {
                format!(" in field {:?}", path.join("."))
            };
            Ok(Bad::Other(
                format!("the value is not of its Avro schema: {what}{field} at byte {at}").into(),
            ))
        }
    }
}

impl PayloadDecoder for AvroDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        let bad = if let Some(value) = payload {
            self.decode(value)?
        } else {
            self.push_null()?;
            None
        };
        if bad.is_some() {
            self.root.truncate(self.rows);
            self.push_null()?;
        }
        self.rows = self.rows.saturating_add(1);
        Ok(bad)
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        self.root.reserve(rows, bytes);
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.rows = 0;
        let Column::Struct(root) = &mut self.root else {
            return Ok(Vec::new());
        };
        root.finish_children(&self.fields)
    }
}
