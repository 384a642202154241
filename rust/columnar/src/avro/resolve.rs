//! Schema resolution: how values that were written with one schema are read as another, by the rules of Avro's
//! specification, and put into Arrow columns.
//!
//! Without a reader's schema the columns are the reader: each is looked for by its name, numbers are promoted, and a
//! nullable column that the writer does not have is null.

use std::collections::HashMap;

use arrow_schema::{DataType, Fields};

use super::column::entry_fields;
use super::default::encode_default;
use super::leaf::leaf;
use super::plan::{Branch, FieldStep, Member, Plan, Step};
use super::schema::{Kind, Named, Node, NodeId, RecordField, Schema, short};
use super::types::member_name;
use crate::{ColumnarError, Result};

/// Most steps of a plan: unions of records of unions can be read in very many ways.
pub const PLAN_STEPS_LIMIT: usize = 100_000;

/// Plans how values of `writer` become the columns `fields`.
///
/// # Errors
/// A column that cannot be read from the writer's schema as the reader's.
pub(crate) fn plan(writer: &Schema, reader: Option<&Schema>, fields: &Fields, prefix: Option<&str>) -> Result<Plan> {
    let mut planner = Planner {
        writer,
        reader: reader.unwrap_or(writer),
        is_given: reader.is_some(),
        prefix,
        path: Vec::new(),
        steps: 0,
    };
    let step = planner.root(fields)?;
    Ok(Plan {
        schema: writer.clone(),
        step,
    })
}

/// Where a value goes.
#[derive(Clone, Copy)]
struct Target<'a> {
    data_type: &'a DataType,
    nullable: bool,
}

struct Planner<'a> {
    writer: &'a Schema,
    /// The writer's, if none is given.
    reader: &'a Schema,
    is_given: bool,
    /// How members of unions are named, see [`super::ArrowTypes::stable_union_names`].
    prefix: Option<&'a str>,
    path: Vec<String>,
    steps: usize,
}

impl<'a> Planner<'a> {
    fn refuse<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(ColumnarError::AvroMismatch {
            path: self.path.join("."),
            reason: reason.into(),
        })
    }

    fn within<T>(&mut self, name: &str, plan: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.path.push(name.to_owned());
        let planned = plan(self);
        self.path.pop();
        planned
    }

    /// The step for a whole value: into the columns, or into the only column if the value is no record.
    fn root(&mut self, fields: &Fields) -> Result<Step> {
        let (writer, reader) = (self.writer.root(), self.reader.root());
        let columns = DataType::Struct(fields.clone());
        let columns = Target {
            data_type: &columns,
            nullable: true,
        };
        if self.is_row(reader, &columns) {
            return self.step(writer, reader, columns);
        }
        let [field] = fields.as_ref() else {
            return self.refuse(format!(
                "values are no records but of type {}, which is one column",
                self.reader.kind(reader).word()
            ));
        };
        let target = Target {
            data_type: field.data_type(),
            nullable: field.is_nullable(),
        };
        let step = self.within(field.name(), |planner| planner.step(writer, reader, target))?;
        Ok(Step::Member(Member::Read {
            child: 0,
            step: Box::new(step),
        }))
    }

    /// Whether values of the type are spread over the columns.
    fn is_row(&self, id: NodeId, columns: &Target<'_>) -> bool {
        match self.reader.kind(id) {
            Kind::Record(..) => true,
            Kind::Union(branches) => {
                let mut members = branches
                    .iter()
                    .filter(|&&branch| !matches!(self.reader.kind(branch), Kind::Null));
                let is_record = |&branch: &NodeId| matches!(self.reader.kind(branch), Kind::Record(..));
                self.has_members(self.reader, branches, columns)
                    || (members.clone().count() > 0 && members.all(is_record))
            }
            _ => false,
        }
    }

    fn step(&mut self, writer: NodeId, reader: NodeId, target: Target<'_>) -> Result<Step> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > PLAN_STEPS_LIMIT {
            return self.refuse("the schemas match in more ways than PLAN_STEPS_LIMIT");
        }
        if let Kind::Union(branches) = self.writer.kind(writer) {
            return self.writer_union(branches, reader, target);
        }
        if self.is_given
            && let Kind::Union(branches) = self.reader.kind(reader)
        {
            return self.reader_union(writer, branches, target);
        }
        self.single(writer, reader, target)
    }

    /// Every branch of the writer's on its own.
    fn writer_union(&mut self, branches: &'a [NodeId], reader: NodeId, target: Target<'_>) -> Result<Step> {
        let mut planned = Vec::with_capacity(branches.len());
        let mut refusal = None;
        let mut is_readable = false;
        for &branch in branches {
            let step = if self.is_given {
                self.step(branch, reader, target)
            } else if self.has_members(self.writer, branches, &target) {
                self.member(branch, branch, branches, target)
            } else {
                self.step(branch, branch, target)
            };
            match step {
                Ok(step) => {
                    is_readable |= !matches!(step, Step::Null) || branches.len() == 1;
                    planned.push(Branch::Read(step));
                }
                Err(error) if self.steps > PLAN_STEPS_LIMIT => return Err(error),
                Err(error) => {
                    planned.push(Branch::Refuse(error.to_string().into()));
                    refusal = refusal.or(Some(error));
                }
            }
        }
        if let (false, Some(refusal)) = (is_readable, refusal) {
            return Err(refusal);
        }
        Ok(simplified(planned))
    }

    /// The branch of the reader's union that the writer's type fits best.
    fn reader_union(&mut self, writer: NodeId, branches: &'a [NodeId], target: Target<'_>) -> Result<Step> {
        let Some(branch) = self.best_branch(writer, branches) else {
            return self.refuse(format!(
                "the writer's {} is none of the reader's union",
                self.writer.kind(writer).word()
            ));
        };
        if self.has_members(self.reader, branches, &target) {
            return self.member(writer, branch, branches, target);
        }
        self.single(writer, branch, target)
    }

    /// By the rules of Avro's Java library: a named type of the same name, else a record that can be read, else the
    /// first of the same type, else the first that the type can be promoted to.
    fn best_branch(&mut self, writer: NodeId, branches: &'a [NodeId]) -> Option<NodeId> {
        let kind = self.writer.kind(writer);
        let same = |branch: &&NodeId| self.reader.kind(**branch).word() == kind.word();
        let named = |branch: &&NodeId| match (kind.named(), self.reader.kind(**branch).named()) {
            (Some(one), Some(other)) => one.name == other.name || other.aliases.contains(&one.name),
            _ => true,
        };
        let short_named = |branch: &&NodeId| match (kind.named(), self.reader.kind(**branch).named()) {
            (Some(one), Some(other)) => names_match(one, other),
            _ => false,
        };
        let readable = |branch: &&NodeId| self.is_readable_record(writer, **branch);
        let candidates = || branches.iter().filter(same);
        (candidates().find(named))
            .or_else(|| candidates().find(short_named))
            .or_else(|| candidates().find(readable))
            .or_else(|| (branches.iter()).find(|&&branch| !same(&&branch) && promotes(kind, self.reader.kind(branch))))
            .copied()
    }

    /// Whether a writer's record has every field that a reader's record needs.
    fn is_readable_record(&self, writer: NodeId, reader: NodeId) -> bool {
        let (Kind::Record(_, written), Kind::Record(_, read)) = (self.writer.kind(writer), self.reader.kind(reader))
        else {
            return false;
        };
        let is_written = |field: &RecordField| {
            (written.iter()).any(|written| written.name == field.name || field.aliases.contains(&written.name))
        };
        read.iter().all(|field| field.default.is_some() || is_written(field))
    }

    /// Whether the target is Spark's struct of a union's members.
    fn has_members(&self, schema: &Schema, branches: &[NodeId], target: &Target<'_>) -> bool {
        let DataType::Struct(fields) = target.data_type else {
            return false;
        };
        let names: Vec<String> = members(schema, branches)
            .enumerate()
            .map(|(index, branch)| member_name(schema, branch, index, self.prefix))
            .collect();
        names.len() > 1 && fields.iter().all(|field| names.contains(field.name()))
    }

    /// A branch of a union into the struct of its members.
    fn member(&mut self, writer: NodeId, branch: NodeId, branches: &[NodeId], target: Target<'_>) -> Result<Step> {
        let schema = self.reader;
        let DataType::Struct(fields) = target.data_type else {
            return self.single(writer, branch, target);
        };
        let Some(index) = members(schema, branches).position(|member| member == branch) else {
            return self.single(writer, branch, target);
        };
        let name = member_name(schema, branch, index, self.prefix);
        if let Some(field) = fields.iter().find(|field| !field.is_nullable()) {
            return self.refuse(format!("member {:?} of a union must be nullable", field.name()));
        }
        let Some((child, field)) = fields.find(&name) else {
            return Ok(Step::Member(Member::Skip(writer)));
        };
        let target = Target {
            data_type: field.data_type(),
            nullable: true,
        };
        let step = self.within(&name, |planner| planner.single(writer, branch, target))?;
        Ok(Step::Member(Member::Read {
            child,
            step: Box::new(step),
        }))
    }

    /// A type that is no union, as a type that is no union.
    fn single(&mut self, writer: NodeId, reader: NodeId, target: Target<'_>) -> Result<Step> {
        let (from, to) = (self.writer.node(writer), self.reader.node(reader));
        if self.is_given {
            self.check_types(&from.kind, &to.kind)?;
        }
        match (&from.kind, &to.kind, target.data_type) {
            (Kind::Null, ..) if target.nullable || *target.data_type == DataType::Null => Ok(Step::Null),
            (Kind::Null, ..) => self.refuse("null for a column that is never null"),
            (Kind::Record(_, written), Kind::Record(_, read), DataType::Struct(fields)) => {
                self.record(written, read, fields)
            }
            (Kind::Array(written), Kind::Array(read), DataType::List(element)) => {
                let is_empty = self.writer.node(*written).is_empty;
                let target = Target {
                    data_type: element.data_type(),
                    nullable: element.is_nullable(),
                };
                let items = self.within(element.name(), |planner| planner.step(*written, *read, target))?;
                Ok(Step::Array {
                    items: Box::new(items),
                    is_empty,
                })
            }
            (Kind::Map(written), Kind::Map(read), DataType::Map(entries, _)) => {
                let Some((_, value)) = entry_fields(entries) else {
                    return self.refuse("a map without entries");
                };
                let target = Target {
                    data_type: value.data_type(),
                    nullable: value.is_nullable(),
                };
                let values = self.within(value.name(), |planner| planner.step(*written, *read, target))?;
                Ok(Step::Map {
                    values: Box::new(values),
                    node: *written,
                })
            }
            _ => match leaf(from, to, target.data_type) {
                Some(step) => Ok(step),
                None => self.refuse(format!("{} cannot be read as {}", described(from), target.data_type)),
            },
        }
    }

    /// Whether the writer's type matches the reader's, of which neither is a union.
    fn check_types(&self, writer: &Kind, reader: &Kind) -> Result<()> {
        match (writer, reader) {
            (Kind::Fixed(_, size), Kind::Fixed(_, wanted)) if size != wanted => {
                self.refuse(format!("a fixed of {size} bytes is no fixed of {wanted} bytes"))
            }
            (Kind::Fixed(one, _), Kind::Fixed(other, _)) | (Kind::Enum(one, _), Kind::Enum(other, _))
                if !names_match(one, other) =>
            {
                self.refuse(format!("{} is not {}", one.name, other.name))
            }
            _ if writer.word() == reader.word() || promotes(writer, reader) => Ok(()),
            _ => self.refuse(format!(
                "the writer's {} is no {} as the reader has it",
                writer.word(),
                reader.word()
            )),
        }
    }

    fn record(&mut self, written: &'a [RecordField], read: &'a [RecordField], fields: &Fields) -> Result<Step> {
        let children: HashMap<&str, usize> = (fields.iter().enumerate())
            .map(|(child, field)| (field.name().as_str(), child))
            .collect();
        let readers = ReaderFields::new(written, read);
        let mut is_set = vec![false; fields.len()];
        let mut steps = Vec::with_capacity(written.len());
        for field in written {
            let reader = readers.of(field);
            let child = reader.and_then(|reader| Some((reader, *children.get(reader.name.as_str())?)));
            let step = match child.and_then(|(reader, child)| Some((reader, child, fields.get(child)?))) {
                Some((reader, child, column)) if is_set.get(child) == Some(&false) => {
                    let target = Target {
                        data_type: column.data_type(),
                        nullable: column.is_nullable(),
                    };
                    if let Some(is_set) = is_set.get_mut(child) {
                        *is_set = true;
                    }
                    let step = self.within(&reader.name, |planner| planner.step(field.node, reader.node, target))?;
                    Some(FieldStep::Read {
                        child,
                        step,
                        name: reader.name.as_str().into(),
                    })
                }
                _ => self.skip(field.node),
            };
            steps.extend(step);
        }
        let missing = (fields.iter().enumerate()).filter(|(child, _)| is_set.get(*child) == Some(&false));
        for (child, column) in missing {
            let reader = read.iter().find(|field| field.name == *column.name());
            let target = Target {
                data_type: column.data_type(),
                nullable: column.is_nullable(),
            };
            steps.push(self.within(column.name(), |planner| planner.missing(child, reader, target))?);
        }
        Ok(Step::Record(steps))
    }

    fn skip(&self, node: NodeId) -> Option<FieldStep> {
        let Node { kind, is_empty, .. } = self.writer.node(node);
        match kind {
            _ if *is_empty => None,
            Kind::Long => Some(FieldStep::SkipNumber),
            Kind::Bytes | Kind::String => Some(FieldStep::SkipBytes),
            _ => Some(FieldStep::Skip(node)),
        }
    }

    /// A column that the writer does not have.
    fn missing(&mut self, child: usize, reader: Option<&'a RecordField>, target: Target<'_>) -> Result<FieldStep> {
        if !self.is_given {
            return if target.nullable {
                Ok(FieldStep::Null(child))
            } else {
                self.refuse("the writer has no such field, and the column is never null")
            };
        }
        let Some(field) = reader else {
            return self.refuse("the reader's schema has no such field");
        };
        let Some(default) = &field.default else {
            return self.refuse("the writer has no such field, and the reader has no default");
        };
        let bytes = encode_default(self.reader, field.node, default).or_else(|reason| self.refuse(reason))?;
        let mut planner = Planner {
            writer: self.reader,
            reader: self.reader,
            is_given: false,
            prefix: self.prefix,
            path: self.path.clone(),
            steps: self.steps,
        };
        let step = planner.step(field.node, field.node, target)?;
        self.steps = planner.steps;
        Ok(FieldStep::Read {
            child,
            step: Step::Default {
                schema: self.reader.clone(),
                bytes: bytes.into(),
                step: Box::new(step),
            },
            name: field.name.as_str().into(),
        })
    }
}

/// A reader's fields by what a writer may call them.
struct ReaderFields<'a> {
    by_name: HashMap<&'a str, &'a RecordField>,
    by_alias: HashMap<&'a str, &'a RecordField>,
}

impl<'a> ReaderFields<'a> {
    fn new(written: &'a [RecordField], read: &'a [RecordField]) -> Self {
        let names: HashMap<&str, &RecordField> = read.iter().map(|field| (field.name.as_str(), field)).collect();
        // An alias counts only for a field that the writer does not have by its name.
        let by_name_written: std::collections::HashSet<&str> =
            written.iter().map(|field| field.name.as_str()).collect();
        let by_alias = read
            .iter()
            .filter(|field| !by_name_written.contains(field.name.as_str()))
            .flat_map(|field| field.aliases.iter().map(move |alias| (alias.as_str(), field)))
            .collect();
        Self {
            by_name: names,
            by_alias,
        }
    }

    fn of(&self, written: &RecordField) -> Option<&'a RecordField> {
        let name = written.name.as_str();
        self.by_name.get(name).or_else(|| self.by_alias.get(name)).copied()
    }
}

/// The branches of a union but null.
fn members<'s>(schema: &'s Schema, branches: &'s [NodeId]) -> impl Iterator<Item = NodeId> + 's {
    (branches.iter().copied()).filter(|&branch| !matches!(schema.kind(branch), Kind::Null))
}

/// The short form for a union of null and one other type.
fn simplified(mut branches: Vec<Branch>) -> Step {
    if branches.len() == 2 {
        for null in [0, 1] {
            let other = 1_usize.saturating_sub(null);
            let is_null = matches!(branches.get(null), Some(Branch::Read(Step::Null)));
            let is_other = matches!(branches.get(other), Some(Branch::Read(_)));
            if is_null
                && is_other
                && let Branch::Read(step) = branches.swap_remove(other)
            {
                return Step::Nullable {
                    null,
                    step: Box::new(step),
                };
            }
        }
    }
    Step::Union(branches)
}

/// Names match without their namespaces, as the specification says, or by an alias of the reader's.
fn names_match(writer: &Named, reader: &Named) -> bool {
    writer.short() == reader.short()
        || (reader.aliases.iter()).any(|alias| *alias == writer.name || short(alias) == writer.short())
}

fn promotes(writer: &Kind, reader: &Kind) -> bool {
    matches!(
        (writer, reader),
        (Kind::Int, Kind::Long | Kind::Float | Kind::Double)
            | (Kind::Long, Kind::Float | Kind::Double)
            | (Kind::Float, Kind::Double)
            | (Kind::String, Kind::Bytes)
            | (Kind::Bytes, Kind::String)
    )
}

fn described(node: &Node) -> String {
    match node.logical {
        Some(logical) => format!("{} ({logical:?})", node.kind.word()),
        None => node.kind.word().to_owned(),
    }
}
