//! Reading and writing brackets, in bytes a second.

use std::fmt::Write;
use std::hint::black_box;

use boughs::tree::Tree;
use boughs::tree::read::{Format, TreeReader};
use boughs_bench::treebank;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn read(bytes: &[u8]) -> usize {
    TreeReader::new(bytes, Format::Bracket).map(|tree| tree.expect("a sound treebank").num_tokens()).sum()
}

fn write(trees: &[Tree], text: &mut String) -> usize {
    text.clear();
    for tree in trees {
        writeln!(text, "{tree}").expect("strings do not fail");
    }
    text.len()
}

fn brackets(criterion: &mut Criterion) {
    let (name, bytes) = treebank("craft/train.mrg");
    let trees: Vec<Tree> =
        TreeReader::new(&bytes[..], Format::Bracket).map(|tree| tree.expect("a sound treebank")).collect();
    let mut text = String::new();
    let mut group = criterion.benchmark_group("brackets");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(format!("read/{name}"), |bencher| bencher.iter(|| read(black_box(&bytes))));
    group.bench_function(format!("write/{name}"), |bencher| {
        bencher.iter(|| write(black_box(&trees), &mut text));
    });
    group.finish();
}

criterion_group!(benches, brackets);
criterion_main!(benches);
