//! How long the built-in parser takes to load: `cargo run --release -p boughs-bench --example start_up`.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use boughs::parser::Parser;
use boughs_bench::cpu;

const ROUNDS: u32 = 20;

fn main() {
    let start = cpu::seconds();
    let parser = Parser::english().expect("a sound model");
    println!("first: {:.1} ms of CPU", (cpu::seconds() - start) * 1e3);
    drop(parser);
    let start = cpu::seconds();
    for _ in 0..ROUNDS {
        drop(Parser::english().expect("a sound model"));
    }
    println!(
        "again: {:.1} ms of CPU, {:.0} MB at the most",
        (cpu::seconds() - start) * 1e3 / f64::from(ROUNDS),
        cpu::peak_megabytes()
    );
}
