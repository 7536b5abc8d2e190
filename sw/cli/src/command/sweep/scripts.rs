//! The jobs of a sweep, for others to run: a Slurm array, a makefile.

use crate::command::sim::quoted;
use std::{fmt::Write, path::Path};

/// Writes `portico sweep` with its file and folder, as words of a shell.
fn words(file: &Path, folder: &Path) -> [String; 2] {
    [file, folder].map(|path| quoted(&path.display().to_string()))
}

/// A script for sbatch: a task a job.
pub fn slurm(file: &Path, folder: &Path, jobs: usize) -> String {
    let [file, folder] = words(file, folder);
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=portico-sweep\n\
         #SBATCH --array=1-{jobs}\n\
         # Submit it where the paths below hold. PORTICO names the program if it is not on PATH. After the last task:\n\
         # portico sweep {file} --merge --out {folder}\n\
         exec \"${{PORTICO:-portico}}\" sweep {file} --only \"$SLURM_ARRAY_TASK_ID\" --out {folder}\n"
    )
}

/// A makefile: a target a job, and `merge` for all of them.
pub fn makefile(file: &Path, folder: &Path, jobs: usize) -> String {
    let [file, folder] = words(file, folder).map(|word| word.replace('$', "$$"));
    let targets: String = (1..=jobs).map(|job| format!(" job-{job}")).collect();
    let mut text = format!(
        "# Run it where the paths below hold: make -f FILE -j N. PORTICO names the program if it is not on PATH.\n\
         PORTICO ?= portico\n\
         .PHONY: merge{targets}\n\
         merge:{targets}\n\
         \t$(PORTICO) sweep {file} --merge --out {folder}\n"
    );
    for job in 1..=jobs {
        let rule = write!(
            text,
            "job-{job}:\n\t$(PORTICO) sweep {file} --only {job} --out {folder}\n"
        );
        rule.expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_every_job_and_quotes_its_paths() {
        let (file, folder) = (Path::new("my grid.toml"), Path::new("a$b"));
        assert_eq!(
            slurm(file, folder, 7).lines().collect::<Vec<_>>()[2..].join("\n"),
            "#SBATCH --array=1-7\n\
             # Submit it where the paths below hold. PORTICO names the program if it is not on PATH. After the last task:\n\
             # portico sweep 'my grid.toml' --merge --out 'a$b'\n\
             exec \"${PORTICO:-portico}\" sweep 'my grid.toml' --only \"$SLURM_ARRAY_TASK_ID\" --out 'a$b'"
        );
        let makefile = makefile(file, folder, 2);
        let rules: Vec<&str> = makefile.lines().skip(2).collect();
        assert_eq!(
            rules,
            [
                ".PHONY: merge job-1 job-2",
                "merge: job-1 job-2",
                "\t$(PORTICO) sweep 'my grid.toml' --merge --out 'a$$b'",
                "job-1:",
                "\t$(PORTICO) sweep 'my grid.toml' --only 1 --out 'a$$b'",
                "job-2:",
                "\t$(PORTICO) sweep 'my grid.toml' --only 2 --out 'a$$b'",
            ]
        );
    }
}
