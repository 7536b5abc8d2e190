//! Writes the Verilog of the blocks that are proven into the folder named by the only argument.

#[path = "../../formal/blocks.rs"]
mod blocks;

use std::{env, error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os().nth(1).ok_or("name the folder to write to")?;
    blocks::write_all(Path::new(&folder))
}
