//! A simulated file system that keeps apart what was written and what is on disk.
//!
//! Data becomes durable by `sync_data`, names by `sync_dir`. What a crash leaves of the rest is decided in [`image`].
//! Any call can be told to fail; a failed sync loses what it should have made durable, and a later one does not bring
//! it back. Crash images can be taken at any change, also in the middle of a write.

mod fault;
mod image;
mod tally;
mod tree;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::storage::{DirEntry, OpenMode, Storage, StorageFile, StorageLock};

use self::fault::Plan;
use self::tree::{Change, DirState, NameChange, Node, Tree};

pub(super) use fault::{Call, Fault};
pub(super) use tally::{Tally, report, seeds};

/// A small generator of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    pub(super) fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// Crash images that are taken on the way.
#[derive(Debug)]
struct Capturing {
    random: Random,
    one_in: u64,
    images: Vec<Tree>,
}

#[derive(Debug, Default)]
struct World {
    tree: Tree,
    changes: u64,
    plan: Option<Plan>,
    locks: BTreeSet<PathBuf>,
    capturing: Option<Capturing>,
}

#[derive(Clone, Debug)]
pub(super) struct SimStorage {
    world: Arc<Mutex<World>>,
    tally: Arc<Tally>,
}

#[derive(Debug)]
struct SimFile {
    storage: SimStorage,
    id: u64,
    /// As it was opened.
    path: PathBuf,
}

#[derive(Debug)]
struct SimLock {
    storage: SimStorage,
    path: PathBuf,
}

impl StorageLock for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.storage.world.lock().unwrap().locks.remove(&self.path);
    }
}

impl SimStorage {
    /// An empty file system but for `/data`.
    pub(super) fn new() -> Self {
        Self::tallied(&Arc::default())
    }

    /// As `new`, counting every fault that strikes.
    pub(super) fn tallied(tally: &Arc<Tally>) -> Self {
        let storage = Self::empty_tallied(tally);
        storage.create_dir_all(Path::new("/data")).unwrap();
        storage.sync_dir(Path::new("/")).unwrap();
        storage
    }

    pub(super) fn empty() -> Self {
        Self::empty_tallied(&Arc::default())
    }

    fn empty_tallied(tally: &Arc<Tally>) -> Self {
        let tree = Tree {
            dirs: HashMap::from([(0, DirState::default())]),
            next_id: 1,
            ..Tree::default()
        };
        Self::of(tree, tally)
    }

    fn of(tree: Tree, tally: &Arc<Tally>) -> Self {
        Self {
            world: Arc::new(Mutex::new(World {
                tree,
                ..World::default()
            })),
            tally: Arc::clone(tally),
        }
    }

    pub(super) fn shared() -> Arc<dyn Storage> {
        Arc::new(Self::new())
    }

    pub(super) fn as_storage(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    /// Number of changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.world.lock().unwrap().changes
    }

    /// Lets the change after `count` further ones fail, and with `lasting` every one after it.
    pub(super) fn fail_after(&self, count: u64, fault: Fault, lasting: bool) {
        self.plan(None, count, fault, lasting);
    }

    /// Lets the call of that kind after `count` further ones fail, and with `lasting` every one after it.
    pub(super) fn fail_call(&self, call: Call, count: u64, fault: Fault, lasting: bool) {
        self.plan(Some(call), count, fault, lasting);
    }

    fn plan(&self, call: Option<Call>, left: u64, fault: Fault, lasting: bool) {
        self.world.lock().unwrap().plan = Some(Plan {
            call,
            left,
            fault,
            lasting,
            fired: false,
        });
    }

    /// Whether a planned fault has struck.
    pub(super) fn has_failed(&self) -> bool {
        let world = self.world.lock().unwrap();
        world.plan.as_ref().is_some_and(|plan| plan.fired)
    }

    /// Takes an image at one in `one_in` changes from here on, just before it or in the middle of it.
    pub(super) fn capture(&self, random: Random, one_in: u64) {
        self.world.lock().unwrap().capturing = Some(Capturing {
            random,
            one_in,
            images: Vec::new(),
        });
    }

    /// The images taken since the last call.
    pub(super) fn captured(&self) -> Vec<Self> {
        let mut world = self.world.lock().unwrap();
        let images = world
            .capturing
            .as_mut()
            .map_or_else(Vec::new, |capturing| std::mem::take(&mut capturing.images));
        images.into_iter().map(|tree| Self::of(tree, &self.tally)).collect()
    }

    /// All files with their contents, for comparisons.
    pub(super) fn contents(&self, dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let world = self.world.lock().unwrap();
        let Ok(Node::Dir(id)) = world.tree.find(dir) else {
            return BTreeMap::new();
        };
        world.tree.dirs[&id]
            .now
            .iter()
            .filter_map(|(name, node)| match node {
                Node::File(file) => Some((name.clone(), world.tree.files[file].now.clone())),
                Node::Dir(_) => None,
            })
            .collect()
    }

    /// Changes a file's bytes behind the log's back, durably.
    pub(super) fn corrupt(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut world = self.world.lock().unwrap();
        let Ok(Node::File(id)) = world.tree.find(path) else {
            panic!("no file {}", path.display())
        };
        let file = world.tree.files.get_mut(&id).unwrap();
        change(&mut file.now);
        file.durable = file.now.clone();
    }

    /// Flips one bit of a file behind the log's back, durably.
    pub(super) fn flip(&self, path: &Path, bit: usize) {
        self.corrupt(path, |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
    }

    /// Counts a change, takes an image if it is time for one, and fails if the call is the one to fail.
    fn begin(
        &self,
        world: &mut World,
        call: Call,
        path: &Path,
        in_flight: Option<(u64, u64, &[u8])>,
    ) -> io::Result<()> {
        if call != Call::Read {
            world.changes += 1;
            if let Some(capturing) = &mut world.capturing
                && capturing.random.one_in(capturing.one_in)
            {
                self.tally.count(call.crash_name(path));
                let mut tree = world.tree.clone();
                if let Some((id, position, data)) = in_flight
                    && capturing.random.one_in(2)
                {
                    let written = &data[..capturing.random.index(data.len() + 1)];
                    tree.write(id, Change::Write(position, written.to_vec()));
                    self.tally.count("crash in the middle of a write");
                }
                capturing.images.push(tree);
            }
        }
        let Some(plan) = &mut world.plan else { return Ok(()) };
        let meant = plan.call.map_or(call != Call::Read, |wanted| wanted == call);
        if !meant || (plan.fired && !plan.lasting) {
            return Ok(());
        }
        if plan.left > 0 {
            plan.left -= 1;
            return Ok(());
        }
        plan.fired = true;
        self.tally.count(call.failed_name(plan.fault));
        Err(plan.fault.error())
    }
}

impl StorageFile for SimFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let mut world = self.storage.world.lock().unwrap();
        self.storage.begin(&mut world, Call::Read, &self.path, None)?;
        let bytes = &world.tree.files[&self.id].now;
        let start = usize::try_from(position).unwrap().min(bytes.len());
        let count = buffer.len().min(bytes.len() - start);
        buffer[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }

    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()> {
        let mut world = self.storage.world.lock().unwrap();
        let outcome = self
            .storage
            .begin(&mut world, Call::Write, &self.path, Some((self.id, position, data)));
        let written = if outcome.is_ok() { data } else { &data[..data.len() / 2] };
        world.tree.write(self.id, Change::Write(position, written.to_vec()));
        outcome
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.storage.world.lock().unwrap().tree.files[&self.id].now.len() as u64)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut world = self.storage.world.lock().unwrap();
        self.storage.begin(&mut world, Call::SetLen, &self.path, None)?;
        world.tree.write(self.id, Change::SetLen(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut world = self.storage.world.lock().unwrap();
        let outcome = self.storage.begin(&mut world, Call::SyncData, &self.path, None);
        let file = world.tree.files.get_mut(&self.id).unwrap();
        file.unsynced.clear();
        if outcome.is_ok() {
            file.durable = file.now.clone();
        }
        outcome
    }

    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Storage for SimStorage {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        let mut world = self.world.lock().unwrap();
        let node = match world.tree.find(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && mode == OpenMode::Create => {
                let (dir, name) = world.tree.parent(path)?;
                self.begin(&mut world, Call::Create, path, None)?;
                world.tree.add(dir, name, false)
            }
            found => found?,
        };
        match node {
            Node::File(id) => Ok(Arc::new(SimFile {
                storage: self.clone(),
                id,
                path: path.to_owned(),
            })),
            Node::Dir(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.world.lock().unwrap().tree.find(path).is_ok())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let world = self.world.lock().unwrap();
        let Node::Dir(id) = world.tree.find(path)? else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let entry = |(name, node): (&String, &Node)| match node {
            Node::Dir(_) => DirEntry {
                name: name.clone(),
                is_dir: true,
                len: 0,
            },
            Node::File(id) => DirEntry {
                name: name.clone(),
                is_dir: false,
                len: world.tree.files[id].now.len() as u64,
            },
        };
        Ok(world.tree.dirs[&id].now.iter().map(entry).collect())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.world.lock().unwrap();
        let node = world.tree.find(from)?;
        self.begin(&mut world, Call::Rename, to, None)?;
        let ((from_dir, from), (to_dir, to)) = (world.tree.parent(from)?, world.tree.parent(to)?);
        assert_eq!(from_dir, to_dir, "renames stay in their directory");
        world.tree.rename_in(from_dir, NameChange::Rename(from, to, node));
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world.lock().unwrap();
        world.tree.find(path)?;
        self.begin(&mut world, Call::Remove, path, None)?;
        let (dir, name) = world.tree.parent(path)?;
        world.tree.rename_in(dir, NameChange::Remove(name));
        Ok(())
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        if path == Path::new("/") || self.exists(path)? {
            return Ok(());
        }
        self.create_dir_all(path.parent().unwrap())?;
        let mut world = self.world.lock().unwrap();
        self.begin(&mut world, Call::MakeDir, path, None)?;
        let (dir, name) = world.tree.parent(path)?;
        world.tree.add(dir, name, true);
        Ok(())
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        for entry in self.read_dir(path)? {
            let path = path.join(entry.name);
            if entry.is_dir {
                self.remove_dir_all(&path)?;
            } else {
                self.remove_file(&path)?;
            }
        }
        self.remove_file(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world.lock().unwrap();
        let Node::Dir(id) = world.tree.find(path)? else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let outcome = self.begin(&mut world, Call::SyncDir, path, None);
        let dir = world.tree.dirs.get_mut(&id).unwrap();
        dir.unsynced.clear();
        if outcome.is_ok() {
            dir.durable = dir.now.clone();
        }
        outcome
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>> {
        let mut world = self.world.lock().unwrap();
        if !world.locks.insert(path.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(SimLock {
            storage: self.clone(),
            path: path.to_owned(),
        })))
    }
}
