//! Which module instances which, read from the Verilog of a design.

use portico_verilog::Design;
use std::collections::{BTreeMap, BTreeSet};

/// Lines of Verilog, with those of all that it instances, from which on a repeated module is worth a mapping of its own:
/// a router has about 4000, a bank of a scratchpad 300.
const LEAST_LINES: usize = 1000;

/// The modules of a design, and their instances.
pub(crate) struct Hierarchy<'a> {
    top: &'a str,
    modules: BTreeMap<&'a str, Module<'a>>,
}

struct Module<'a> {
    lines: usize,
    instances: Vec<Instance<'a>>,
}

/// An instance within a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance<'a> {
    pub name: &'a str,
    pub module: &'a str,
}

impl<'a> Hierarchy<'a> {
    pub fn of(design: &'a Design) -> Self {
        let names: BTreeSet<&str> = design.modules.iter().map(|module| &*module.name).collect();
        let modules = design.modules.iter().map(|module| {
            let instances = module.text.lines().filter_map(|line| instance(line, &names)).collect();
            let lines = module.text.lines().count();
            (&*module.name, Module { lines, instances })
        });
        Hierarchy {
            top: &design.top,
            modules: modules.collect(),
        }
    }

    /// The instances within a module, in the order of its text.
    pub fn instances(&self, module: &str) -> &[Instance<'a>] {
        self.modules.get(module).map_or(&[], |module| &module.instances)
    }

    /// Modules of the instances at depths 1 to `depth` below the top.
    pub fn down_to(&self, depth: usize) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut level = BTreeSet::from([self.top]);
        for _ in 0..depth {
            let instances = level.iter().flat_map(|module| self.instances(module));
            level = instances.map(|instance| instance.module).collect();
            found.extend(&level);
        }
        found
    }

    /// Large modules that occur more often than the module that holds them: tiles, planes, routers.
    pub fn repeated(&self) -> BTreeSet<&'a str> {
        let mut counts = BTreeMap::new();
        self.count(self.top, &mut counts);
        let mut found = BTreeSet::new();
        for (holder, module) in &self.modules {
            let often = |instance: &&Instance| counts.get(instance.module) > counts.get(holder);
            let large = |module: &&str| self.lines(module) >= LEAST_LINES;
            let repeated = module.instances.iter().filter(often).map(|instance| instance.module);
            found.extend(repeated.filter(large));
        }
        found
    }

    fn count(&self, module: &'a str, counts: &mut BTreeMap<&'a str, usize>) {
        *counts.entry(module).or_default() += 1;
        for instance in self.instances(module) {
            self.count(instance.module, counts);
        }
    }

    /// Lines of a module with those of all its instances.
    fn lines(&self, module: &str) -> usize {
        let own = self.modules.get(module).map_or(0, |module| module.lines);
        let instances = self.instances(module).iter();
        own + instances.map(|instance| self.lines(instance.module)).sum::<usize>()
    }
}

/// The instance that a line begins, if it begins one of these modules: `module name (`.
fn instance<'a>(line: &'a str, modules: &BTreeSet<&'a str>) -> Option<Instance<'a>> {
    let (module, rest) = line.trim_start().split_once(' ')?;
    let module = modules.get(module)?;
    let (name, _) = rest.split_once('(')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(Instance { name, module })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fifo, twins};

    #[test]
    fn instances_are_read_and_other_lines_are_not() {
        let fifo = fifo();
        let hierarchy = Hierarchy::of(&fifo);
        let ram = Instance {
            name: "ram",
            module: "fifo_ram",
        };
        assert_eq!(hierarchy.instances("fifo"), [ram]);
        assert_eq!(hierarchy.instances("fifo_ram"), []);
        assert_eq!(hierarchy.down_to(0), [].into());
        assert_eq!(hierarchy.down_to(9), ["fifo_ram"].into());
    }

    #[test]
    fn large_modules_that_repeat_are_found_and_small_ones_are_not() {
        let large = twins(LEAST_LINES);
        assert_eq!(Hierarchy::of(&large).repeated(), ["twin"].into());
        let small = twins(1);
        assert_eq!(Hierarchy::of(&small).repeated(), [].into());
        assert_eq!(Hierarchy::of(&small).down_to(1), ["twin"].into());
    }
}
