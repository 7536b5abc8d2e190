//! Calls of message-passing engines: the table `collective` of a file.

use super::{
    super::values::{vary, Faults, Section},
    Place,
};
use crate::{loads::mesh_name, model};
use portico_sim::Library;
use portico_spec::{mpe::call::Kind, Config};
use portico_testbench::{
    bench::{
        collectives::{self, bounds::kind_name, form::Form, group},
        report::{BenchReport, Better, Row},
    },
    device::hardware,
};
use serde_json::Value as Json;
use toml::Table;

/// Keys of the table.
const KEYS: [&str; 5] = ["call", "tree", "words", "calls", "seed"];
/// Words of a call and calls of a job, at most.
const MOST_WORDS: u64 = 1 << 16;
const MOST_CALLS: u64 = 10_000;
/// The figure that is plotted.
const PLOTTED: &str = "cycles, mean";

/// A call of all tiles, made several times.
#[derive(Clone, Debug)]
pub struct Collective {
    kind: Kind,
    form: Form,
    /// 0 of a barrier.
    words: usize,
    calls: usize,
    seed: u64,
}

impl Default for Collective {
    fn default() -> Self {
        Self {
            kind: Kind::Allreduce,
            form: Form::Quad,
            words: 1,
            calls: 10,
            seed: 1,
        }
    }
}

/// All combinations of the keys of the table; a barrier has no words.
///
/// # Errors
/// Keys or values are not allowed, or there are too many.
pub fn all(table: &Table) -> Result<Vec<Collective>, Faults> {
    let mut section = Section::new("collective", table, &KEYS);
    let kinds = section.named("call", &Kind::ALL.map(|kind| (kind_name(kind), kind)));
    let forms: Vec<(String, Form)> = Form::CURVES.map(|form| (form.name(), form)).into();
    let named: Vec<(&str, Form)> = forms.iter().map(|(name, form)| (name.as_str(), *form)).collect();
    let forms = section.named("tree", &named);
    let words = section.numbers("words", 1, MOST_WORDS);
    let calls = section.numbers("calls", 1, MOST_CALLS);
    let seeds = section.numbers("seed", 0, i64::MAX as u64);
    section.check()?;

    let all = vary(vec![Collective::default()], &kinds, |call, &kind| call.kind = kind)?;
    let all = vary(all, &forms, |call, &form| call.form = form)?;
    let with_words = |call: Collective| match call.kind {
        Kind::Barrier => Ok(vec![Collective { words: 0, ..call }]),
        _ => vary(vec![call], &words, |call, &words| call.words = words as usize),
    };
    let all: Vec<Vec<Collective>> = all.into_iter().map(with_words).collect::<Result<_, String>>()?;
    let all = vary(all.concat(), &calls, |call, &calls| call.calls = calls as usize)?;
    Ok(vary(all, &seeds, |call, &seed| call.seed = seed)?)
}

impl Collective {
    /// The configuration, with one context unless the file names `mpe`.
    ///
    /// # Errors
    /// The engines or the memories have not room for it.
    pub fn on(&self, config: &Config, named: &[String]) -> Result<Config, String> {
        let mut config = config.clone();
        if !named.iter().any(|key| key == "mpe") {
            config.mpe = config.mpe.max(1);
        }
        for (key, is_built) in [
            ("mpe", config.mpe > 0),
            ("monitors", config.monitors),
            ("commands", config.commands),
        ] {
            if !is_built {
                return Err(format!(
                    "collective: calls are measured with {key}, which the configuration leaves out"
                ));
            }
        }
        if config.tiles() < 2 {
            return Err("collective: a fabric of one tile cannot be measured: allowed are 2 or more".into());
        }
        let error = group::tree(&config, self.form).err();
        error.map_or(Ok(()), |error| {
            Err(format!("collective: {} tree: {error}", self.form.name()))
        })?;
        let least = collectives::least_scratchpad(4 * self.words);
        if config.scratchpad < least {
            let (words, scratchpad) = (self.words, config.scratchpad);
            return Err(format!(
                "collective.words = {words} with scratchpad = {scratchpad}: so many words need {least} or more"
            ));
        }
        let config = config.fabric().map_err(|error| format!("config: {error}"))?;
        let least = collectives::least_segments(&config);
        if config.segments < least {
            let (segments, nodes) = (config.segments, config.terminals());
            return Err(format!(
                "config.segments = {segments}: calls on {nodes} nodes are measured with {least} or more"
            ));
        }
        Ok(config)
    }

    /// Its keys with their values.
    pub fn entries(&self) -> Vec<(&'static str, Json)> {
        let values: [Json; KEYS.len()] = [
            kind_name(self.kind).into(),
            self.form.name().into(),
            self.words.into(),
            self.calls.into(),
            self.seed.into(),
        ];
        KEYS.into_iter().zip(values).collect()
    }

    /// Makes the calls on the fabric of `config`.
    ///
    /// # Errors
    /// The fabric did something wrong.
    pub fn run(&self, library: &Library, config: &Config) -> anyhow::Result<BenchReport> {
        let device = Box::new(hardware::fabric_of(library, config, hardware::MEMORY)?);
        let mut bench = collectives::set_up(device, 4 * self.words, self.seed)?;
        let costs = collectives::calls(&mut bench, self.form, self.kind, self.words, self.calls)?;
        let mean = |figure: fn(&group::Cost) -> u64| {
            costs.iter().map(|cost| figure(cost) as f64).sum::<f64>() / costs.len() as f64
        };
        let cycles = || costs.iter().map(|cost| cost.cycles);
        let rows = [
            ("cycles, least", cycles().min().unwrap_or_default() as f64),
            (PLOTTED, mean(|cost| cost.cycles)),
            ("cycles, most", cycles().max().unwrap_or_default() as f64),
            ("engines running, mean", mean(|cost| cost.running)),
            ("engines waiting, mean", mean(|cost| cost.waiting)),
            ("engines idle, mean", mean(|cost| cost.idle)),
        ];
        let row = |(name, value): (&str, f64)| Row::new("sweep", name.to_owned(), "cycles", Better::Less, value);
        Ok(BenchReport {
            tools: model::tools()?,
            rows: rows.map(row).into(),
            ..BenchReport::default()
        })
    }

    /// Words of a call; a barrier has none.
    pub fn words(&self) -> Option<usize> {
        (self.kind != Kind::Barrier).then_some(self.words)
    }

    /// Against words if they vary, in a panel a call and mesh; or else, and of a barrier, against tiles if these vary, in a panel a
    /// call.
    pub fn place(&self, config: &Config, varies: &dyn Fn(&str) -> bool) -> Option<Place> {
        let name = kind_name(self.kind);
        let mesh = mesh_name((config.cols, config.rows));
        let (panel, x) = match self.words().filter(|_| varies("words")) {
            Some(words) => (format!("{name}, {mesh}"), ("words", words)),
            None if varies("cols") || varies("rows") => (name.to_owned(), ("tiles", config.tiles())),
            None => return None,
        };
        Some(Place {
            panel,
            x,
            figure: PLOTTED,
        })
    }
}
