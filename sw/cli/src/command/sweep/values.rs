//! Keys of a file of a sweep, and their values: one, or a list.

use toml::{Table, Value};

/// Most jobs of a sweep.
const MOST_JOBS: usize = 100_000;

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
}

impl<'a> Section<'a> {
    /// The table `name`, with no other keys than these.
    ///
    /// # Errors
    /// It has another key.
    pub fn new(name: &'a str, table: &'a Table, keys: &[&str]) -> Result<Self, String> {
        match table.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => Err(format!("unknown key {name}.{key}: allowed are {}", keys.join(", "))),
            None => Ok(Section { name, table }),
        }
    }

    /// The values of a key, read by `one`, which gets the name of the key; none if the key is not there.
    ///
    /// # Errors
    /// Those of `one` and of [`values`].
    pub fn read<T>(&self, key: &str, one: impl Fn(&str, &Value) -> Result<T, String>) -> Result<Vec<T>, String> {
        let name = format!("{}.{key}", self.name);
        let given = self.table.get(key).map_or(Ok(vec![]), |value| values(&name, value))?;
        given.into_iter().map(|value| one(&name, value)).collect()
    }

    /// The values of a key that are integers from `least` to `most`.
    ///
    /// # Errors
    /// One is no such integer.
    pub fn numbers(&self, key: &str, least: u64, most: u64) -> Result<Vec<u64>, String> {
        self.read(key, |name, value| {
            let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
            let number = number.filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| format!("{name} = {value}: allowed is an integer from {least} to {most}"))
        })
    }

    /// The values of a key that name one of `allowed` each.
    ///
    /// # Errors
    /// One does not.
    pub fn named<T: Copy>(&self, key: &str, allowed: &[(&str, T)]) -> Result<Vec<T>, String> {
        self.read(key, |name, value| {
            let found = allowed.iter().find(|(own, _)| value.as_str() == Some(own));
            found.map(|&(_, item)| item).ok_or_else(|| {
                let names: Vec<&str> = allowed.iter().map(|&(own, _)| own).collect();
                format!("{name} = {value}: allowed are {}", names.join(", "))
            })
        })
    }
}
