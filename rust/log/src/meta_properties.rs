//! `meta.properties`: which cluster, broker and directory a data directory belongs to.

use std::io;
use std::path::Path;

use crate::dir_name;
use crate::error::LogError;
use crate::storage::Storage;
use crate::uuid;

pub(crate) const FILE_NAME: &str = "meta.properties";
const FILE_BYTES_MAX: usize = 64 << 10;

/// Contents of version 1 of the file.
#[expect(clippy::struct_field_names, reason = "the properties' own names")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MetaProperties {
    pub(crate) cluster_id: Option<String>,
    pub(crate) node_id: Option<i32>,
    pub(crate) directory_id: Option<String>,
}

impl MetaProperties {
    fn parse(path: &Path, text: &str) -> Result<Self, LogError> {
        let damaged = |reason: String| LogError::Damaged {
            path: path.to_owned(),
            position: 0,
            reason,
        };
        let mut properties = Self::default();
        let mut version = None;
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with(['#', '!']))
        {
            let (key, value) = line
                .split_once(['=', ':'])
                .ok_or_else(|| damaged(format!("no '=' in the line {line:?}")))?;
            // Java escapes ':' and '=' in values.
            let value = value.trim().replace('\\', "");
            match key.trim() {
                "version" => version = Some(value),
                "cluster.id" => properties.cluster_id = Some(value),
                "directory.id" => properties.directory_id = Some(value),
                "node.id" | "broker.id" => {
                    let id = value.parse().map_err(|_| damaged(format!("{value:?} is no node id")))?;
                    properties.node_id = Some(id);
                }
                _ => {}
            }
        }
        match version.as_deref() {
            Some("0" | "1") => Ok(properties),
            other => Err(damaged(format!("version {} is not known", other.unwrap_or("(none)")))),
        }
    }

    fn to_text(&self) -> String {
        format!(
            "#\ncluster.id={}\ndirectory.id={}\nnode.id={}\nversion=1\n",
            self.cluster_id.as_deref().unwrap_or_default(),
            self.directory_id.as_deref().unwrap_or_default(),
            self.node_id.unwrap_or_default()
        )
    }
}

/// Reads the file of a data directory, if it has one.
pub(crate) fn load(storage: &dyn Storage, data_dir: &Path) -> Result<Option<MetaProperties>, LogError> {
    let path = data_dir.join(FILE_NAME);
    match storage.read_whole(&path, FILE_BYTES_MAX) {
        Ok(bytes) => MetaProperties::parse(&path, &String::from_utf8_lossy(&bytes)).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LogError::io("read", &path, error)),
    }
}

fn has_logs(storage: &dyn Storage, data_dir: &Path) -> Result<bool, LogError> {
    let entries = storage
        .read_dir(data_dir)
        .map_err(|error| LogError::io("list", data_dir, error))?;
    Ok(entries
        .iter()
        .any(|entry| entry.is_dir && dir_name::parse(&entry.name).is_some()))
}

/// Checks that the data directory is this broker's; a new one becomes so. Returns its id.
pub(crate) fn claim(
    storage: &dyn Storage,
    data_dir: &Path,
    cluster_id: &str,
    node_id: i32,
    sync: bool,
) -> Result<String, LogError> {
    let path = data_dir.join(FILE_NAME);
    let stored = load(storage, data_dir)?;
    if stored.is_none() && has_logs(storage, data_dir)? {
        // Without the file nothing says whose logs these are.
        return Err(LogError::MetaMissing {
            path: data_dir.to_owned(),
        });
    }
    let mut properties = stored.unwrap_or_default();
    let mismatch = |key, expected: String, found: String| LogError::MetaMismatch {
        path: path.clone(),
        key,
        expected,
        found,
    };
    match &properties.cluster_id {
        Some(found) if found != cluster_id => {
            return Err(mismatch("cluster.id", cluster_id.to_owned(), found.clone()));
        }
        _ => {}
    }
    match properties.node_id {
        Some(found) if found != node_id => {
            return Err(mismatch("node.id", node_id.to_string(), found.to_string()));
        }
        _ => {}
    }
    if let (Some(_), Some(_), Some(directory_id)) =
        (&properties.cluster_id, properties.node_id, &properties.directory_id)
    {
        return Ok(directory_id.clone());
    }
    properties.cluster_id = Some(cluster_id.to_owned());
    properties.node_id = Some(node_id);
    let directory_id = properties
        .directory_id
        .get_or_insert_with(|| uuid::to_text(uuid::random()))
        .clone();
    storage
        .write_atomic(&path, properties.to_text().as_bytes(), sync)
        .map_err(|error| LogError::io("write", &path, error))?;
    Ok(directory_id)
}
