//! Where compiled models are kept.

use crate::{Options, SimError};
use sha2::{Digest, Sha256};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder of the cache, made if need be; the crate's documentation says which.
pub(crate) fn folder(options: &Options) -> Result<PathBuf, SimError> {
    let folder = match (&options.cache, variable("PORTICO_CACHE")) {
        (Some(folder), _) => folder.clone(),
        (None, Some(folder)) => folder,
        (None, None) => match portico_synth::tools_folder()?.as_deref().and_then(Path::parent) {
            Some(project) => project.join("build/sim-cache"),
            None => user_folder(),
        },
    };
    fs::create_dir_all(&folder).map_err(SimError::io("make the cache folder", &folder))?;
    let folder = folder
        .canonicalize()
        .map_err(SimError::io("find the cache folder", &folder))?;
    check_spaces("the cache folder", &folder, "name another in PORTICO_CACHE")?;
    Ok(folder)
}

/// Make splits names at spaces.
pub(crate) fn check_spaces(what: &'static str, path: &Path, remedy: &'static str) -> Result<(), SimError> {
    match path.to_string_lossy().contains(char::is_whitespace) {
        true => Err(SimError::Space {
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

/// Prefix of the folder in which an entry is made; the entry's name follows.
const ASIDE: &str = "new-";

/// The entry `name`, made by `make` in a folder aside if it is not there yet; says whether it was.
///
/// Whoever wants the same entry meanwhile, in this process or another, waits for it.
pub(crate) fn entry(
    cache: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> Result<(), SimError>,
) -> Result<(PathBuf, bool), SimError> {
    let entry = cache.join(name);
    if entry.is_dir() {
        return Ok((entry, true));
    }
    let lock = cache.join(format!("{name}.lock"));
    let file = File::create(&lock).map_err(SimError::io("make the lock", &lock))?;
    let mut file = fd_lock::RwLock::new(file);
    let _held = file.write().map_err(SimError::io("take the lock", &lock))?;
    if entry.is_dir() {
        return Ok((entry, true));
    }
    sweep(cache);
    let aside = cache.join(format!("{ASIDE}{name}"));
    if aside.exists() {
        fs::remove_dir_all(&aside).map_err(SimError::io("clear", &aside))?;
    }
    let aside = tempfile::Builder::new()
        .prefix(ASIDE)
        .suffix(name)
        .rand_bytes(0)
        .tempdir_in(cache)
        .map_err(SimError::io("make a folder in", cache))?;
    make(aside.path())?;
    fs::rename(aside.path(), &entry).map_err(SimError::io("complete the cache entry", &entry))?;
    Ok((entry, false))
}

/// Removes what interrupted builds have left: nobody holds the lock of their entry.
fn sweep(cache: &Path) {
    for folder in fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = folder.file_name();
        let Some(entry) = name.to_str().and_then(|name| name.strip_prefix(ASIDE)) else {
            continue;
        };
        let mut lock = File::open(cache.join(format!("{entry}.lock"))).map(fd_lock::RwLock::new);
        // Taken until the folder is gone, so that no build begins in it meanwhile.
        let taken = lock.as_mut().map(|lock| lock.try_write());
        if !matches!(taken, Ok(Err(_))) {
            // Another process may sweep at the same time.
            let _ = fs::remove_dir_all(folder.path());
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
        let (entered, _) = entry(cache.path(), "again", |aside| {
            assert_eq!(fs::read_dir(aside).unwrap().count(), 0);
            fs::write(aside.join("made"), "").map_err(SimError::io("write", aside))?;
            entry(cache.path(), "other", |_| Ok(()))?;
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
        assert!(!entry(cache.path(), "one", |_| Ok(())).unwrap().1);
    }

    #[test]
    fn a_cache_with_a_space_in_its_path_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let options = Options {
            cache: Some(parent.path().join("a b")),
            ..Options::default()
        };
        let message = folder(&options).unwrap_err().to_string();
        assert!(
            message.contains("a b") && message.contains("PORTICO_CACHE"),
            "{message}"
        );
    }
}
