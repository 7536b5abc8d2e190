//! Configurations.

use portico_spec::{
    config::{Allowed, PROFILE_KEY},
    Config as Given, ConfigError,
};
use pyo3::{
    exceptions::{PyAttributeError, PyTypeError},
    prelude::*,
    types::{PyBool, PyDict, PyString},
    IntoPyObjectExt,
};

use crate::failure::not_allowed;

/// The configuration of a fabric. Each keyword is a key of portico.toml: Config(cols=4, rows=4, profile="leaf"). Keys that are not
/// given keep their defaults. Raises ValueError for a key that does not exist or a value that is not allowed.
#[pyclass(frozen, eq, module = "portico")]
#[derive(PartialEq)]
pub(crate) struct Config(pub Given);

fn refused(py: Python<'_>, error: ConfigError) -> PyErr {
    not_allowed(py, error.to_string())
}

/// A value as TOML has it. An object that is no value of a key goes to the configuration as its `repr`, which refuses it by its key.
fn toml(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(switch.is_true().to_string());
    }
    match value.call_method0("__index__") {
        Ok(number) => Ok(number.to_string()),
        // A name of a profile is a text in quotes there.
        Err(_) if value.is_instance_of::<PyString>() => Ok(format!("{:?}", value.to_string())),
        Err(_) => Ok(value.repr()?.to_string()),
    }
}

#[pymethods]
impl Config {
    #[new]
    #[pyo3(signature = (**keys))]
    fn new(py: Python<'_>, keys: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
        let mut config = Given::default();
        let keys: Vec<(String, Bound<'_, PyAny>)> = match keys {
            Some(keys) => keys
                .iter()
                .map(|(key, value)| Ok((key.extract()?, value)))
                .collect::<PyResult<_>>()?,
            None => vec![],
        };
        // The keys beside a profile are said of it.
        let (profile, others): (Vec<_>, Vec<_>) = keys.iter().partition(|(key, _)| key == PROFILE_KEY);
        for (key, value) in profile.into_iter().chain(others) {
            let setting = format!("{key}={}", toml(value)?);
            config.set(&setting).map_err(|error| refused(py, error))?;
        }
        config.fabric().map(Config).map_err(|error| refused(py, error))
    }

    /// The configuration of the text of a portico.toml.
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: &str) -> PyResult<Config> {
        let config = Given::from_toml(text).and_then(|config| config.fabric());
        config.map(Config).map_err(|error| refused(py, error))
    }

    /// The text of a portico.toml with every key, what it means and what it takes.
    #[getter]
    fn toml(&self) -> String {
        self.0.to_toml()
    }

    /// All keys.
    #[staticmethod]
    fn keys() -> Vec<&'static str> {
        Given::fields().iter().map(|field| field.name).collect()
    }

    /// The value of a key, by its name.
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let entries = self.0.entries();
        let fields = Given::fields().iter().zip(&entries);
        let Some((field, (_, value))) = fields.into_iter().find(|(field, _)| field.name == name) else {
            return Err(PyAttributeError::new_err(format!("a configuration has no key {name}")));
        };
        let wrong = |_| PyTypeError::new_err(format!("{name} = {value}"));
        match field.allowed {
            Allowed::Switch => (value == "true").into_py_any(py),
            Allowed::Profile => value.trim_matches('"').into_py_any(py),
            Allowed::Range(..) | Allowed::OneOf(_) => value.parse::<u64>().map_err(wrong)?.into_py_any(py),
        }
    }

    fn __repr__(&self) -> String {
        let default = Given::default().fabric().unwrap_or_default().entries();
        let entries = self.0.entries().into_iter().zip(default);
        let given = entries.filter(|(entry, default)| entry != default);
        let given: Vec<_> = given
            .map(|((key, value), _)| match value.as_str() {
                "true" => format!("{key}=True"),
                "false" => format!("{key}=False"),
                _ => format!("{key}={value}"),
            })
            .collect();
        format!("Config({})", given.join(", "))
    }
}
