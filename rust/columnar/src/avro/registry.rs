//! Schemas by the number that stands before a value: Confluent's wire format, a zero byte, the schema's id in four
//! bytes, then the value.
//!
//! Who knows the schemas is the caller's business: a [`Resolver`] is asked for an id that is not known, on the thread
//! that decodes. A caller that must not be called from there (one that needs Python's interpreter, or that waits for
//! the network) leaves the resolver out, asks [`crate::Projection::missing_schemas`] for the ids of the records to come
//! and tells their schemas by [`Registry::insert`] before it decodes.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::schema::Schema;
use crate::{ColumnarError, Result};

/// Most schemas that a [`Registry`] keeps. The oldest that the resolver gave makes room for the next.
pub const SCHEMAS_LIMIT: usize = 1_000;

/// The first byte of a framed value.
pub(crate) const MAGIC: u8 = 0;

/// Bytes before the value in the registry's framing.
pub(crate) const HEADER_LEN: usize = 5;

/// Why there is no schema for an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// There is none, and asking again will not help: values with this id are bad records.
    #[error("{0}")]
    Unknown(String),
    /// It could not be found out: decoding fails, whatever the mode for bad records.
    #[error("{0}")]
    Failed(String),
}

/// Finds the text of a schema by its id.
pub trait Resolver: Send + Sync {
    /// The text of the schema with this id.
    ///
    /// # Errors
    /// There is no such schema, or it could not be found out.
    fn resolve(&self, id: u32) -> std::result::Result<String, Unresolved>;
}

impl<F> Resolver for F
where
    F: Fn(u32) -> std::result::Result<String, Unresolved> + Send + Sync,
{
    fn resolve(&self, id: u32) -> std::result::Result<String, Unresolved> {
        self(id)
    }
}

/// Schemas by id, shared by the decoders that use them.
pub struct Registry {
    resolver: Option<Box<dyn Resolver>>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    schemas: HashMap<u32, std::result::Result<Schema, String>>,
    /// Ids that the resolver gave, from the oldest on.
    resolved: VecDeque<u32>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("schemas", &self.known().schemas.len())
            .finish_non_exhaustive()
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// A registry that knows what it is told.
    pub fn new() -> Self {
        Self {
            resolver: None,
            known: Mutex::default(),
        }
    }

    /// A registry that asks for what it does not know.
    pub fn with_resolver(resolver: impl Resolver + 'static) -> Self {
        Self {
            resolver: Some(Box::new(resolver)),
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // What is behind the lock is whole between any two statements.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the schema of an id.
    ///
    /// # Errors
    /// A text that is no schema, or more than [`SCHEMAS_LIMIT`] ids.
    pub fn insert(&self, id: u32, text: &str) -> Result<()> {
        let schema = Schema::parse(text)?;
        self.tell(id, Ok(schema))
    }

    /// Tells that there is no schema of an id, and why: values with it are bad records.
    ///
    /// # Errors
    /// More than [`SCHEMAS_LIMIT`] ids.
    pub fn insert_unknown(&self, id: u32, reason: &str) -> Result<()> {
        self.tell(id, Err(reason.to_owned()))
    }

    fn tell(&self, id: u32, schema: std::result::Result<Schema, String>) -> Result<()> {
        let mut known = self.known();
        if known.schemas.len() >= SCHEMAS_LIMIT && !known.schemas.contains_key(&id) && !known.forget_oldest() {
            return Err(failed(id, "the registry holds SCHEMAS_LIMIT schemas already"));
        }
        known.schemas.insert(id, schema);
        Ok(())
    }

    /// Whether it asks for what it does not know.
    pub fn has_resolver(&self) -> bool {
        self.resolver.is_some()
    }

    /// The ids of these values that are not known, each once, at most [`SCHEMAS_LIMIT`] of them.
    pub fn missing<'v>(&self, values: impl IntoIterator<Item = &'v [u8]>) -> Vec<u32> {
        let known = self.known();
        let mut missing = BTreeSet::new();
        for id in values.into_iter().filter_map(|value| Some(split(value)?.0)) {
            if !known.schemas.contains_key(&id) && missing.len() < SCHEMAS_LIMIT {
                missing.insert(id);
            }
        }
        missing.into_iter().collect()
    }

    /// The schema of an id; why there is none if values with it are bad records.
    ///
    /// # Errors
    /// It could not be found out.
    pub(crate) fn schema(&self, id: u32) -> Result<std::result::Result<Schema, String>> {
        if let Some(schema) = self.known().schemas.get(&id) {
            return Ok(schema.clone());
        }
        // The resolver may take long: it is asked without the lock.
        let Some(resolver) = &self.resolver else {
            return Err(failed(id, "it was not told and there is no resolver"));
        };
        let schema = match resolver.resolve(id) {
            Ok(text) => Schema::parse(&text).map_err(|error| error.to_string()),
            Err(Unresolved::Unknown(reason)) => Err(reason),
            Err(Unresolved::Failed(reason)) => return Err(failed(id, &reason)),
        };
        let mut known = self.known();
        if known.schemas.len() >= SCHEMAS_LIMIT {
            known.forget_oldest();
        }
        if known.schemas.len() < SCHEMAS_LIMIT && known.schemas.insert(id, schema.clone()).is_none() {
            known.resolved.push_back(id);
        }
        Ok(schema)
    }
}

impl Known {
    /// Makes room by the oldest schema that can be asked for again.
    fn forget_oldest(&mut self) -> bool {
        (self.resolved.pop_front()).is_some_and(|id| self.schemas.remove(&id).is_some())
    }
}

fn failed(id: u32, reason: &str) -> ColumnarError {
    ColumnarError::SchemaUnresolved {
        id,
        reason: reason.to_owned(),
    }
}

/// The id before a framed value, and the value.
#[inline]
pub(crate) fn split(value: &[u8]) -> Option<(u32, &[u8])> {
    let (header, body) = value.split_first_chunk::<HEADER_LEN>()?;
    match *header {
        [MAGIC, a, b, c, d] => Some((u32::from_be_bytes([a, b, c, d]), body)),
        _ => None,
    }
}
