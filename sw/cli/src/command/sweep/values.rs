//! Keys of a file of a sweep, and their values: one, or a list.

use portico_spec::config::did_you_mean;
use toml::{Table, Value};

/// Most jobs of a sweep.
const MOST_JOBS: usize = 100_000;

/// All faults that were found in a file, a sentence each.
#[derive(Debug, Default)]
pub struct Faults(pub Vec<String>);

impl From<String> for Faults {
    fn from(fault: String) -> Self {
        Faults(vec![fault])
    }
}

impl Faults {
    /// The value of a result; faults in its place are added to these, each once.
    pub fn keep<T>(&mut self, result: Result<T, impl Into<Faults>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(faults) => {
                for fault in faults.into().0 {
                    if !self.0.contains(&fault) {
                        self.0.push(fault);
                    }
                }
                None
            }
        }
    }

    /// Ends the search for faults.
    ///
    /// # Errors
    /// All that were found.
    pub fn check(self) -> Result<(), Faults> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(self),
        }
    }
}

/// The values of a key: its one value, or those of its list.
///
/// # Errors
/// The list is empty, or has a value twice.
pub fn values<'a>(key: &str, value: &'a Value) -> Result<Vec<&'a Value>, String> {
    let values: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    if values.is_empty() {
        return Err(format!("{key} = []: allowed is a value, or a list of one or more"));
    }
    for (at, value) in values.iter().enumerate() {
        if values[..at].contains(value) {
            return Err(format!("{key} has {value} twice: allowed is each value once"));
        }
    }
    Ok(values)
}

/// Checks the number of jobs.
///
/// # Errors
/// There are too many.
pub fn check_count(jobs: usize) -> Result<(), String> {
    match jobs <= MOST_JOBS {
        true => Ok(()),
        false => Err(format!(
            "the grid has {jobs} jobs or more: allowed is at most {MOST_JOBS}"
        )),
    }
}

/// Each of `items` with each of `values`, which vary faster; without values, the items as they are.
///
/// # Errors
/// There are too many.
pub fn vary<T: Clone, V>(items: Vec<T>, values: &[V], set: impl Fn(&mut T, &V)) -> Result<Vec<T>, String> {
    if values.is_empty() {
        return Ok(items);
    }
    check_count(items.len().saturating_mul(values.len()))?;
    let pairs = items
        .iter()
        .flat_map(|item| values.iter().map(move |value| (item, value)));
    let varied = pairs.map(|(item, value)| {
        let mut item = item.clone();
        set(&mut item, value);
        item
    });
    Ok(varied.collect())
}

/// A table of a file that says what runs.
pub struct Section<'a> {
    name: &'a str,
    table: &'a Table,
    faults: Faults,
}

impl<'a> Section<'a> {
    /// The table `name`; each key that is not among `keys` is a fault.
    pub fn new(name: &'a str, table: &'a Table, keys: &[&str]) -> Self {
        let unknown = table.keys().filter(|key| !keys.contains(&key.as_str()));
        let faults = unknown.map(|key| {
            let hint = did_you_mean(key, keys.iter().copied());
            format!("unknown key {name}.{key}: {hint}allowed are {}", keys.join(", "))
        });
        let faults = Faults(faults.collect());
        Section { name, table, faults }
    }

    /// The values of a key, read by `one`, which gets the name of the key; none if the key is not there. What `one` or
    /// [`values`] refuses is a fault, and left out.
    pub fn read<T>(&mut self, key: &str, one: impl Fn(&str, &Value) -> Result<T, String>) -> Vec<T> {
        let name = format!("{}.{key}", self.name);
        let given = self.table.get(key).map_or(Ok(vec![]), |value| values(&name, value));
        let given = self.faults.keep(given).unwrap_or_default();
        let read = given
            .into_iter()
            .filter_map(|value| self.faults.keep(one(&name, value)));
        read.collect()
    }

    /// The values of a key that are integers from `least` to `most`; each other value is a fault.
    pub fn numbers(&mut self, key: &str, least: u64, most: u64) -> Vec<u64> {
        self.read(key, |name, value| {
            let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
            let number = number.filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| format!("{name} = {value}: allowed is an integer from {least} to {most}"))
        })
    }

    /// The values of a key that name one of `allowed` each; each other value is a fault.
    pub fn named<T: Copy>(&mut self, key: &str, allowed: &[(&str, T)]) -> Vec<T> {
        self.read(key, |name, value| {
            let found = allowed.iter().find(|(own, _)| value.as_str() == Some(own));
            found.map(|&(_, item)| item).ok_or_else(|| {
                let names: Vec<&str> = allowed.iter().map(|&(own, _)| own).collect();
                format!("{name} = {value}: allowed are {}", names.join(", "))
            })
        })
    }

    /// Ends the reading of the table.
    ///
    /// # Errors
    /// All its faults.
    pub fn check(self) -> Result<(), Faults> {
        self.faults.check()
    }
}
