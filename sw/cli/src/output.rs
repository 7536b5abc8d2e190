//! Files that appear together, each whole, or not at all; and text on standard output.

use anyhow::{bail, Context};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::{NamedTempFile, TempPath};

/// Files to write. Nothing is seen of them before [`Output::commit`], which writes each beside its place, and only when
/// all are complete renames them into it.
#[derive(Debug, Default)]
pub struct Output {
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// What a commit has changed so far; dropped before it is complete, it changes all back.
#[derive(Default)]
struct Undo {
    folders: Vec<PathBuf>,
    /// Each file that stands in its place, and a copy of what stood there before.
    files: Vec<(PathBuf, Option<TempPath>)>,
    complete: bool,
}

impl Output {
    /// Adds a file; a folder that its path names is made if need be.
    pub fn add(&mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) {
        self.files.push((path.into(), content.into()));
    }

    /// Adds the same file at each of two places, of which either may be missing.
    pub fn add_at(&mut self, file: Option<PathBuf>, in_folder: Option<PathBuf>, content: impl Into<Vec<u8>>) {
        let content = content.into();
        for path in file.into_iter().chain(in_folder) {
            self.add(path, content.clone());
        }
    }

    /// Writes all files.
    ///
    /// # Errors
    /// One of them cannot be written: none is then, what they would have replaced stays, and no folder is left behind.
    pub fn commit(self) -> anyhow::Result<()> {
        let mut undo = Undo::default();
        let mut staged = Vec::new();
        for (path, content) in &self.files {
            let failed = || format!("cannot write {}", path.display());
            staged.push((path, stage(path, content, &mut undo).with_context(failed)?));
        }
        for (path, file) in staged {
            let failed = || format!("cannot write {}", path.display());
            undo.keep(path).with_context(failed)?;
            file.persist(path).with_context(failed)?;
        }
        undo.complete = true;
        Ok(())
    }
}

/// A complete file beside `path`.
fn stage(path: &Path, content: &[u8], undo: &mut Undo) -> anyhow::Result<NamedTempFile> {
    if path.is_dir() {
        bail!("it is a folder");
    }
    let folder = folder_of(path);
    undo.make_folder(&folder)?;
    let mut file = beside(&folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The folder in which `path` lies.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.into(),
        _ => ".".into(),
    }
}

/// An empty file in `folder` that may become another of it, with the permissions that any new file has.
pub fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".portico-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

impl Undo {
    fn make_folder(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|folder| *folder != Path::new("") && !folder.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.folders.push(folder.into());
        }
        Ok(())
    }

    /// Keeps what stands at `path`, which is about to be replaced.
    fn keep(&mut self, path: &Path) -> io::Result<()> {
        let copy = match path.exists() {
            true => {
                let copy = beside(&folder_of(path))?.into_temp_path();
                fs::copy(path, &copy)?;
                Some(copy)
            }
            false => None,
        };
        self.files.push((path.into(), copy));
        Ok(())
    }
}

impl Drop for Undo {
    /// Does what it can: there is nobody left to tell what it cannot.
    fn drop(&mut self) {
        if self.complete {
            return;
        }
        for (path, copy) in self.files.drain(..) {
            match copy {
                Some(copy) => drop(copy.persist(path)),
                None => drop(fs::remove_file(path)),
            }
        }
        for folder in self.folders.iter().rev() {
            drop(fs::remove_dir(folder));
        }
    }
}

/// Writes to standard output; a reader that has seen enough is no error.
///
/// # Errors
/// It cannot be written.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Names of all that lies in a folder, in order.
    pub(crate) fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn all_files_stand_whole_and_nothing_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = Output::default();
        output.add(folder.path().join("new/deep/a.v"), "module a;");
        output.add(folder.path().join("b.json"), "{}");
        output.commit().unwrap();
        assert_eq!(names(folder.path()), ["b.json", "new"]);
        assert_eq!(names(&folder.path().join("new/deep")), ["a.v"]);
        assert_eq!(
            fs::read_to_string(folder.path().join("new/deep/a.v")).unwrap(),
            "module a;"
        );
    }

    #[test]
    fn one_that_cannot_be_written_leaves_none_behind() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("taken")).unwrap();
        let mut output = Output::default();
        output.add(folder.path().join("new/a.v"), "module a;");
        output.add(folder.path().join("taken"), "{}");
        let error = output.commit().unwrap_err();
        assert_eq!(
            crate::failure::message(&error),
            format!("cannot write {}: it is a folder", folder.path().join("taken").display())
        );
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn what_stood_there_comes_back_when_a_later_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "before").unwrap();
        let mut undo = Undo::default();
        for path in [&old, &new] {
            let file = stage(path, b"after", &mut undo).unwrap();
            undo.keep(path).unwrap();
            file.persist(path).unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), "after");
        }
        drop(undo);
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        assert_eq!(names(folder.path()), ["old"]);
    }

    #[test]
    fn a_bare_name_lies_in_the_current_folder() {
        assert_eq!(folder_of(Path::new("noc.json")), Path::new("."));
        assert_eq!(folder_of(Path::new("build/noc.json")), Path::new("build"));
    }
}
