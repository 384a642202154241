//! Directories and files of the simulated file system, each as it is and as it is on disk.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Dir(u64),
    File(u64),
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    Write(u64, Vec<u8>),
    SetLen(u64),
}

#[derive(Clone, Debug, Default)]
pub(super) struct FileState {
    pub(super) now: Vec<u8>,
    pub(super) durable: Vec<u8>,
    pub(super) unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
pub(super) enum NameChange {
    Add(String, Node),
    Remove(String),
    Rename(String, String, Node),
}

#[derive(Clone, Debug, Default)]
pub(super) struct DirState {
    pub(super) now: BTreeMap<String, Node>,
    pub(super) durable: BTreeMap<String, Node>,
    pub(super) unsynced: Vec<NameChange>,
}

/// All directories and files, as they are and as they are on disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) dirs: HashMap<u64, DirState>,
    pub(super) files: HashMap<u64, FileState>,
    pub(super) next_id: u64,
}

pub(super) fn apply(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::SetLen(len) => bytes.resize(usize::try_from(*len).unwrap(), 0),
        Change::Write(position, data) => {
            let start = usize::try_from(*position).unwrap();
            bytes.resize(bytes.len().max(start + data.len()), 0);
            bytes[start..start + data.len()].copy_from_slice(data);
        }
    }
}

pub(super) fn apply_name(names: &mut BTreeMap<String, Node>, change: &NameChange) {
    match change {
        NameChange::Add(name, node) => _ = names.insert(name.clone(), *node),
        NameChange::Remove(name) => _ = names.remove(name),
        NameChange::Rename(from, to, node) => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
    }
}

impl Tree {
    pub(super) fn find(&self, path: &Path) -> io::Result<Node> {
        let mut node = Node::Dir(0);
        for part in path.components().skip(1) {
            let Node::Dir(id) = node else {
                return Err(io::ErrorKind::NotADirectory.into());
            };
            let name = part.as_os_str().to_str().unwrap();
            node = *self.dirs[&id].now.get(name).ok_or(io::ErrorKind::NotFound)?;
        }
        Ok(node)
    }

    pub(super) fn parent(&self, path: &Path) -> io::Result<(u64, String)> {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match self.find(path.parent().unwrap())? {
            Node::Dir(id) => Ok((id, name)),
            Node::File(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn rename_in(&mut self, dir: u64, change: NameChange) {
        let dir = self.dirs.get_mut(&dir).unwrap();
        apply_name(&mut dir.now, &change);
        dir.unsynced.push(change);
    }

    pub(super) fn write(&mut self, file: u64, change: Change) {
        let file = self.files.get_mut(&file).unwrap();
        apply(&mut file.now, &change);
        file.unsynced.push(change);
    }

    pub(super) fn add(&mut self, dir: u64, name: String, is_dir: bool) -> Node {
        let id = self.next_id;
        self.next_id += 1;
        let node = if is_dir {
            self.dirs.insert(id, DirState::default());
            Node::Dir(id)
        } else {
            self.files.insert(id, FileState::default());
            Node::File(id)
        };
        self.rename_in(dir, NameChange::Add(name, node));
        node
    }
}
