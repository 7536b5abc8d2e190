//! The jobs of a sweep, for others to run: a Slurm array, a makefile.

use crate::command::sim::quoted;
use std::{fmt::Write, path::Path};

/// Writes `portico sweep` with its file and folder, as words of a shell.
fn words(file: &Path, folder: &Path) -> [String; 2] {
    [file, folder].map(|path| quoted(&path.display().to_string()))
}

/// Tasks of a Slurm array, at most: its default MaxArraySize of 1001 allows indices up to 1000.
const MOST_TASKS: usize = 1000;

/// A script for sbatch: a task a job, or several jobs a task if there are more than an array may have tasks.
pub fn slurm(file: &Path, folder: &Path, jobs: usize) -> String {
    let [file, folder] = words(file, folder);
    let each = jobs.div_ceil(MOST_TASKS).max(1);
    let tasks = jobs.div_ceil(each);
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=portico-sweep\n\
         #SBATCH --array=1-{tasks}\n\
         # Submit it where the paths below hold. PORTICO names the program if it is not on PATH. After the last task:\n\
         # portico sweep {file} --merge --out {folder}\n\
         # A task runs {each} of {jobs} jobs, and fails if one of them does.\n\
         job=$(((SLURM_ARRAY_TASK_ID - 1) * {each} + 1)) end=$((SLURM_ARRAY_TASK_ID * {each})) status=0\n\
         [ \"$end\" -le {jobs} ] || end={jobs}\n\
         while [ \"$job\" -le \"$end\" ]; do\n\
         \x20   \"${{PORTICO:-portico}}\" sweep {file} --only \"$job\" --out {folder} || status=1\n\
         \x20   job=$((job + 1))\n\
         done\n\
         exit \"$status\"\n"
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
    use std::{fs, os::unix::fs::PermissionsExt, process::Command};

    #[test]
    fn a_script_has_every_job_and_quotes_its_paths() {
        let (file, folder) = (Path::new("my grid.toml"), Path::new("a$b"));
        let script = slurm(file, folder, 7);
        assert!(script.contains("\n#SBATCH --array=1-7\n"), "{script}");
        assert!(
            script.contains("\n# portico sweep 'my grid.toml' --merge --out 'a$b'\n"),
            "{script}"
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

    /// Runs the tasks of the script as Slurm does, with a program that notes its arguments: they come to each job once.
    #[test]
    fn tasks_of_an_array_come_to_each_job_once() {
        let folder = tempfile::tempdir().unwrap();
        let (script, noted) = (folder.path().join("script"), folder.path().join("noted"));
        let program = folder.path().join("portico");
        // It fails at job 5.
        let text = format!("#!/bin/sh\necho \"$4\" >>'{}'\n[ \"$4\" != 5 ]\n", noted.display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for (jobs, tasks, looked_at) in [
            (1, 1, 1),
            (7, 7, 7),
            (1000, 1000, 3),
            (1001, 501, 501),
            (2500, 834, 834),
        ] {
            fs::write(&script, slurm(Path::new("grid.toml"), Path::new("out"), jobs)).unwrap();
            let text = fs::read_to_string(&script).unwrap();
            assert!(text.contains(&format!("#SBATCH --array=1-{tasks}\n")), "{text}");
            fs::write(&noted, "").unwrap();
            for task in 1..=looked_at {
                let mut shell = Command::new("sh");
                shell.arg(&script).env("PORTICO", &program);
                let status = shell.env("SLURM_ARRAY_TASK_ID", task.to_string()).status().unwrap();
                let each = jobs.div_ceil(1000);
                assert_eq!(
                    status.success(),
                    task != 5usize.div_ceil(each),
                    "{jobs} jobs, task {task}"
                );
            }
            let found: Vec<usize> = fs::read_to_string(&noted)
                .unwrap()
                .lines()
                .map(|line| line.parse().unwrap())
                .collect();
            let all = if looked_at == tasks { jobs } else { looked_at };
            assert!(found.into_iter().eq(1..=all), "{jobs} jobs");
        }
    }
}
