//! Prints the register map: `registers`, or `registers c` or `registers rdl`, and then settings such as `width=64`.

use std::process::ExitCode;

use portico_spec::{
    ni::render::{c_header, markdown, systemrdl},
    Config, ConfigError,
};

fn config(settings: &[String]) -> Result<Config, ConfigError> {
    let mut config = Config::default();
    settings.iter().try_for_each(|setting| config.set(setting))?;
    config.validate()?;
    Ok(config)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (render, settings): (fn(&Config) -> String, &[String]) = match arguments.split_first() {
        Some((form, rest)) if form == "c" => (c_header, rest),
        Some((form, rest)) if form == "rdl" => (systemrdl, rest),
        _ => (markdown, &arguments),
    };
    match config(settings) {
        Ok(config) => {
            print!("{}", render(&config));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("registers: {error}");
            ExitCode::FAILURE
        }
    }
}
