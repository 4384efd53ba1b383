//! The program `boughs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(boughs_cli::main(std::env::args_os().collect()))
}
