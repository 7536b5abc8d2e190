//! The files, headings and tests that the pages name exist. The index has every page, and the README stays short.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Lines of the README, at most.
const MOST_LINES: usize = 200;

/// Folders whose files a page names by their path from the root.
const FOLDERS: [&str; 7] = ["constraints", "docs", "examples", "hdl", "sw", "synth", "testbench"];

fn text(file: &str) -> String {
    let read = fs::read_to_string(Path::new(ROOT).join(file));
    read.unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Names of the pages in `docs`.
fn docs() -> Vec<String> {
    let entries = fs::read_dir(Path::new(ROOT).join("docs")).expect("the folder of the pages");
    let names = entries.map(|entry| {
        entry
            .expect("a page")
            .file_name()
            .into_string()
            .expect("a name in UTF-8")
    });
    names.filter(|name| name.ends_with(".md")).collect()
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The words of a page between backticks. A pair of backticks lies in one line.
fn code_of(prose: &str) -> Vec<&str> {
    prose
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}

/// Targets of the links of a page, but for those into the web.
fn links(prose: &str) -> Vec<&str> {
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.starts_with("http")).collect()
}

/// The anchor that a heading gets.
fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then(|| letter.to_ascii_lowercase()),
    });
    letters.collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

/// Why a link of this page leads nowhere, if so.
fn fault(page: &str, link: &str) -> Option<String> {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let page = Path::new(ROOT).join(page);
    let target = match file {
        "" => page,
        _ => page.parent().expect("a folder").join(file),
    };
    if !target.exists() {
        return Some(format!("{link}: there is no such file"));
    }
    let has_heading = || anchors(&fs::read_to_string(&target).expect("a page with headings")).contains(heading);
    (!heading.is_empty() && !has_heading()).then(|| format!("{link}: there is no such heading"))
}

/// Names of the functions in the sources of a folder, in Rust and Python.
fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path: PathBuf = entry.expect("an entry").path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            functions(&path, found);
        } else if matches!(extension, Some("rs" | "py")) {
            let source = fs::read_to_string(&path).expect("a source in UTF-8");
            let words: Vec<&str> = source
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .filter(|word| !word.is_empty())
                .collect();
            let named = words.windows(2).filter(|pair| matches!(pair[0], "fn" | "def"));
            found.extend(named.map(|pair| pair[1].to_owned()));
        }
    }
}

/// Whether a word is the path of a file or a folder from the root.
fn is_path(word: &str) -> bool {
    let is_one = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    let first = word.split('/').next().unwrap_or_default();
    word.contains('/') && word.chars().all(is_one) && FOLDERS.contains(&first)
}

/// Whether a word is the name of a test: words joined by underscores, with more than one of these.
fn is_test(word: &str) -> bool {
    let is_one = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    word.chars().all(is_one) && word.matches('_').count() > 1
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let docs = docs().into_iter().map(|name| format!("docs/{name}"));
    let others = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    let (mut count, mut faults) = (0, vec![]);
    for page in docs.chain(others) {
        let prose = prose(&text(&page));
        for link in links(&prose) {
            count += 1;
            faults.extend(fault(&page, link).map(|fault| format!("{page}: {fault}")));
        }
    }
    assert!(count > 200 && faults.is_empty(), "{count} links; {faults:#?}");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page =
        "# The `first` page, of 2\n```sh\n# no heading [no](link.md)\n```\n[a](tutorial.md#set-up) [b](https://x.org)";
    assert_eq!(links(&prose(page)), ["tutorial.md#set-up"]);
    assert_eq!(anchors(page), BTreeSet::from(["the-first-page-of-2".to_owned()]));
    assert_eq!(fault("docs/area.md", "tutorial.md#set-up"), None);
    assert_eq!(fault("docs/area.md", "../README.md"), None);
    let nowhere = fault("docs/area.md", "README.md#two-commands").expect("a heading of another page");
    assert_eq!(nowhere, "README.md#two-commands: there is no such heading");
    let nowhere = fault("README.md", "area.md").expect("a page of another folder");
    assert_eq!(nowhere, "area.md: there is no such file");
}

#[test]
fn the_index_has_every_page() {
    let index = prose(&text("docs/README.md"));
    let linked: BTreeSet<&str> = links(&index)
        .into_iter()
        .map(|link| link.split('#').next().unwrap_or_default())
        .collect();
    let docs = docs();
    let missing: Vec<&String> = docs
        .iter()
        .filter(|name| *name != "README.md" && !linked.contains(name.as_str()))
        .collect();
    assert!(docs.len() > 20 && missing.is_empty(), "the index lacks {missing:?}");
}

#[test]
fn coverage_names_files_and_tests_that_exist() {
    let mut known = BTreeSet::new();
    for folder in ["hdl", "sw", "synth", "testbench"] {
        functions(&Path::new(ROOT).join(folder), &mut known);
    }
    let page = prose(&text("docs/coverage.md"));
    let words = code_of(&page);
    let paths = words.iter().filter(|word| is_path(word));
    let lost: Vec<_> = paths.filter(|path| !Path::new(ROOT).join(path).exists()).collect();
    let tests: Vec<_> = words.iter().filter(|word| is_test(word)).collect();
    let unknown: Vec<_> = tests.iter().filter(|test| !known.contains(***test)).collect();
    assert!(
        lost.is_empty() && unknown.is_empty(),
        "files {lost:?}, tests {unknown:?}"
    );
    assert!(tests.len() > 200, "only {} tests are named", tests.len());
    let classes = ["sw/spec/src/flit.rs", "sw/spec", "a/b", "loops_nest", "puts_of_three"]
        .map(|word| (is_path(word), is_test(word)));
    assert_eq!(
        classes,
        [
            (true, false),
            (true, false),
            (false, false),
            (false, false),
            (false, true)
        ]
    );
}

#[test]
fn the_readme_is_short() {
    let lines = text("README.md").lines().count();
    assert!(
        lines < MOST_LINES,
        "{lines} lines; allowed are fewer than {MOST_LINES}: figures belong to their pages"
    );
}
