//! Where compiled models are kept.

use crate::{Options, SimError};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The folder of the cache.
#[derive(Clone)]
pub(crate) struct Folder {
    pub path: PathBuf,
    /// Without a cache: the folder goes with the last library of the process that has it.
    passing: Option<Arc<TempDir>>,
}

impl Folder {
    /// The folder, made if need be; the crate's documentation says which.
    pub fn find(options: &Options) -> Result<Self, SimError> {
        let (folder, passing) = match (&options.cache, variable("PORTICO_CACHE")) {
            (Some(folder), _) => (folder.clone(), None),
            (None, Some(off)) if off.as_os_str() == OFF => {
                let passing = passing()?;
                (passing.path().into(), Some(passing))
            }
            (None, Some(folder)) => (folder, None),
            (None, None) => {
                let tools = portico_synth::tools_folder()?;
                (tools.and_then(project_folder).unwrap_or_else(user_folder), None)
            }
        };
        fs::create_dir_all(&folder).map_err(SimError::io("make the cache folder", &folder))?;
        let path = folder
            .canonicalize()
            .map_err(SimError::io("find the cache folder", &folder))?;
        check_name("the cache folder", &path, "name another in PORTICO_CACHE")?;
        Ok(Folder { path, passing })
    }

    /// Keeps the folder beyond the process: it has a log that a message names.
    pub fn stays(&self) {
        std::mem::forget(self.passing.clone());
    }
}

/// Value of `PORTICO_CACHE` with which no process uses what another has compiled.
const OFF: &str = "off";

/// The folder of this process without a cache, made anew when no library has it any more.
fn passing() -> Result<Arc<TempDir>, SimError> {
    static FOLDER: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut known = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = known.upgrade() {
        return Ok(folder);
    }
    let made = tempfile::Builder::new().prefix("portico-").tempdir();
    let folder = Arc::new(made.map_err(SimError::io("make a folder in", &env::temp_dir()))?);
    *known = Arc::downgrade(&folder);
    Ok(folder)
}

/// Make splits names at spaces, and ends a target at a colon.
pub(crate) fn check_name(what: &'static str, path: &Path, remedy: &'static str) -> Result<(), SimError> {
    let parts = |letter: char| letter.is_whitespace() || letter == ':';
    match path.to_string_lossy().contains(parts) {
        true => Err(SimError::Name {
            what,
            path: path.into(),
            remedy,
        }),
        false => Ok(()),
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder beside these tools, if they are those of a checkout, and if the folder can be written and make can build in it.
fn project_folder(tools: PathBuf) -> Option<PathBuf> {
    let project = tools.parent().filter(|_| tools.ends_with(".tools"))?;
    let folder = project.join("build/sim-cache");
    let can_be_written = || fs::create_dir_all(&folder).is_ok() && tempfile::tempfile_in(&folder).is_ok();
    (check_name("", &folder, "").is_ok() && can_be_written()).then_some(folder)
}

fn user_folder() -> PathBuf {
    let home = || variable("HOME").map(|home| home.join(".cache"));
    variable("XDG_CACHE_HOME")
        .or_else(home)
        .unwrap_or_else(env::temp_dir)
        .join("portico")
}

/// SHA-256 over parts, none of which can run into the next.
pub fn digest(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 over the names and bytes of files, wherever they are.
pub(crate) fn digest_of_files(files: &[PathBuf]) -> io::Result<String> {
    let part = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        Ok([name.to_vec(), fs::read(file)?])
    };
    let parts: Vec<[Vec<u8>; 2]> = files.iter().map(part).collect::<io::Result<_>>()?;
    Ok(digest(parts.iter().flatten()))
}

/// Adds a line with the entry to the file that `PORTICO_MODEL_LOG` names, if it names one.
pub(crate) fn note_use(entry: &Path) -> Result<(), SimError> {
    let Some(log) = variable("PORTICO_MODEL_LOG") else {
        return Ok(());
    };
    let line = format!("{}\n", entry.display());
    let written = File::options()
        .create(true)
        .append(true)
        .open(&log)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    written.map_err(SimError::io("write", &log))
}

/// Something beside the models in the cache: a folder of files.
pub struct Kept {
    path: PathBuf,
    _folder: Folder,
}

impl Kept {
    /// The folder, to be read.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The files that `make` leaves in an empty folder, made or taken from the cache. `parts` hold all that determines
/// the files: sources, commands, and the [`identity`](crate::identity) of each tool.
///
/// # Errors
/// Those of `make`; a folder that cannot be written.
pub fn keep<E: From<SimError>>(
    parts: impl IntoIterator<Item = impl AsRef<[u8]>>,
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<Kept, E> {
    let folder = Folder::find(&Options::default())?;
    let (path, _) = entry(&folder.path, &digest(parts), make)?;
    Ok(Kept { path, _folder: folder })
}

/// Prefix of the folder in which an entry is made; the entry's name follows.
const ASIDE: &str = "new-";

/// File of an entry with the digest of its other files.
const SEAL: &str = "seal";
/// An entry that nobody has used for so long goes.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The entry `name`, made by `make` in a folder aside if it is not there whole; says whether it was.
///
/// Other threads and processes that want the same entry meanwhile wait for it. The time of the lock's file is that of the last
/// use.
pub(crate) fn entry<E: From<SimError>>(
    cache: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(PathBuf, bool), E> {
    let (entry, lock) = (cache.join(name), cache.join(format!("{name}.lock")));
    let file = File::options().create(true).append(true).open(&lock);
    let file = file.map_err(SimError::io("make the lock", &lock))?;
    // Only an age is lost where a file system keeps no times.
    let _ = file.set_modified(SystemTime::now());
    let mut file = fd_lock::RwLock::new(file);
    {
        let _shared = file.read().map_err(SimError::io("take the lock", &lock))?;
        if is_whole(&entry) {
            return Ok((entry, true));
        }
    }
    let _held = file.write().map_err(SimError::io("take the lock", &lock))?;
    if is_whole(&entry) {
        return Ok((entry, true));
    }
    sweep(cache);
    let aside = cache.join(format!("{ASIDE}{name}"));
    for left in [&entry, &aside] {
        if left.exists() {
            fs::remove_dir_all(left).map_err(SimError::io("clear", left))?;
        }
    }
    let aside = tempfile::Builder::new()
        .prefix(ASIDE)
        .suffix(name)
        .rand_bytes(0)
        .tempdir_in(cache)
        .map_err(SimError::io("make a folder in", cache))?;
    make(aside.path())?;
    let seal = aside.path().join(SEAL);
    let sum = sum(aside.path()).map_err(SimError::io("read", aside.path()))?;
    fs::write(&seal, sum).map_err(SimError::io("write", &seal))?;
    fs::rename(aside.path(), &entry).map_err(SimError::io("complete the cache entry", &entry))?;
    Ok((entry, false))
}

/// Digest of the files of an entry but the seal.
fn sum(entry: &Path) -> io::Result<String> {
    let files = fs::read_dir(entry)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = files.iter().map(fs::DirEntry::path).collect();
    files.retain(|file| !file.ends_with(SEAL));
    files.sort();
    digest_of_files(&files)
}

/// Whether the entry is there with the bytes with which it was made; looked at once a process.
fn is_whole(entry: &Path) -> bool {
    static WHOLE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let known = || WHOLE.lock().unwrap_or_else(PoisonError::into_inner);
    if entry.is_dir() && known().contains(entry) {
        return true;
    }
    let whole = fs::read_to_string(entry.join(SEAL)).is_ok_and(|seal| sum(entry).is_ok_and(|sum| sum == seal));
    if whole {
        known().insert(entry.into());
    }
    whole
}

/// Removes entries that have not been used for long, and what interrupted builds have left: nobody holds their lock.
fn sweep(cache: &Path) {
    for file in fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = file.file_name();
        let entry = name
            .to_str()
            .and_then(|name| name.strip_suffix(".lock").or(name.strip_prefix(ASIDE)));
        let Some(entry) = entry else { continue };
        let path = cache.join(format!("{entry}.lock"));
        let mut lock = File::open(&path).map(fd_lock::RwLock::new);
        // Taken until the folders are gone, so that no build and no use begins in them meanwhile.
        let taken = lock.as_mut().map(|lock| lock.try_write());
        if matches!(taken, Ok(Err(_))) {
            continue;
        }
        // Another process may sweep at the same time.
        let _ = fs::remove_dir_all(cache.join(format!("{ASIDE}{entry}")));
        let used = fs::metadata(&path).and_then(|metadata| metadata.modified());
        if used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > KEPT)) {
            // The lock's file stays, because others may wait for it.
            let _ = fs::remove_dir_all(cache.join(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn keys_tell_where_a_part_ends() {
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        assert_ne!(digest(["ab"]), digest(["ab", ""]));
        assert_eq!(digest(["ab", "c"]), digest(["ab", "c"]));
    }

    #[test]
    fn what_interrupted_builds_left_is_removed_and_what_is_being_made_stays() {
        let cache = tempfile::tempdir().unwrap();
        let left = ["new-a1b2c3", "new-killed", "new-again"].map(|name| cache.path().join(name));
        left.iter().for_each(|folder| fs::create_dir(folder).unwrap());
        File::create(cache.path().join("killed.lock")).unwrap();
        let (entered, _) = entry(cache.path(), "again", |aside| -> Result<(), SimError> {
            assert_eq!(fs::read_dir(aside).unwrap().count(), 0);
            fs::write(aside.join("made"), "").map_err(SimError::io("write", aside))?;
            entry(cache.path(), "other", |_| Ok::<_, SimError>(()))?;
            assert!(aside.join("made").exists(), "another build took it for abandoned");
            Ok(())
        })
        .unwrap();
        assert!(entered.join("made").exists());
        assert!(left.iter().all(|folder| !folder.exists()));
    }

    #[test]
    fn racing_threads_make_an_entry_once() {
        let cache = tempfile::tempdir().unwrap();
        let made = AtomicUsize::new(0);
        let found: Vec<bool> = thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let (folder, found) = entry(cache.path(), "one", |aside| {
                            made.fetch_add(1, Ordering::SeqCst);
                            thread::sleep(std::time::Duration::from_millis(50));
                            fs::write(aside.join("file"), "whole").map_err(SimError::io("write", aside))
                        })
                        .unwrap();
                        assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "whole");
                        found
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
        assert_eq!(found.iter().filter(|found| !**found).count(), 1);
    }

    #[test]
    fn an_entry_with_a_changed_byte_is_made_anew() {
        let cache = tempfile::tempdir().unwrap();
        // A process trusts an entry that it has seen whole: here each look is the first.
        let make = |aside: &Path| fs::write(aside.join("file"), "whole").map_err(SimError::io("write", aside));
        let (folder, found) = entry(cache.path(), "one", make).unwrap();
        fs::write(folder.join("file"), "whale").unwrap();
        assert_eq!((found, entry(cache.path(), "one", make).unwrap().1), (false, false));
        assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "whole");
        assert!(entry(cache.path(), "one", make).unwrap().1);
    }

    #[test]
    fn an_entry_that_is_not_used_goes_and_others_stay() {
        let cache = tempfile::tempdir().unwrap();
        let make = |_: &Path| Ok::<_, SimError>(());
        let used = |name: &str, age: Duration| {
            entry(cache.path(), name, make).unwrap();
            let lock = File::options()
                .append(true)
                .open(cache.path().join(format!("{name}.lock")));
            lock.unwrap().set_modified(SystemTime::now() - age).unwrap();
        };
        used("old", KEPT + Duration::from_secs(60));
        used("young", KEPT - Duration::from_secs(60));
        entry(cache.path(), "new", make).unwrap();
        let is_there = |name: &str| cache.path().join(name).is_dir();
        assert_eq!(["old", "young", "new"].map(is_there), [false, true, true]);
    }

    #[test]
    fn a_failure_leaves_no_entry_and_the_next_may_succeed() {
        let cache = tempfile::tempdir().unwrap();
        let fail = |aside: &Path| {
            fs::write(aside.join("half"), "").unwrap();
            Err(SimError::NoFst)
        };
        assert!(entry(cache.path(), "one", fail).is_err());
        let left: Vec<_> = fs::read_dir(cache.path())
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        assert_eq!(left, ["one.lock"]);
        assert!(!entry(cache.path(), "one", |_| Ok::<_, SimError>(())).unwrap().1);
    }

    #[test]
    fn a_cache_with_a_space_or_a_colon_in_its_path_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["a b", "a:b"] {
            let options = Options {
                cache: Some(parent.path().join(name)),
                ..Options::default()
            };
            let message = Folder::find(&options).map(drop).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains("PORTICO_CACHE"), "{message}");
        }
    }

    #[test]
    fn a_checkout_that_cannot_be_written_or_built_in_has_no_cache() {
        let parent = tempfile::tempdir().unwrap();
        let tools = |project: &str| {
            let tools = parent.path().join(project).join(".tools");
            fs::create_dir_all(&tools).unwrap();
            tools
        };
        let own = project_folder(tools("own")).unwrap();
        assert_eq!(own, parent.path().join("own/build/sim-cache"));
        // As on a file system that is read only, for root too.
        fs::write(tools("sealed").with_file_name("build"), "").unwrap();
        assert_eq!(project_folder(tools("sealed")), None);
        assert_eq!(project_folder(tools("my projects")), None);
        // Tools that PORTICO_TOOLS names belong to no checkout.
        assert_eq!(project_folder(parent.path().join("own/tools")), None);
    }
}
