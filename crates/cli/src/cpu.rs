//! The processor time of this process.

use std::fs;

/// Linux counts in hundredths of a second, whatever the clock of the kernel.
const TICKS_PER_SECOND: f64 = 100.0;

/// The seconds that all threads have worked so far, in the program and in the kernel; none where there is no `/proc`.
pub(crate) fn seconds() -> Option<f64> {
    of_stat(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// The fields after the name of the program, which stands in brackets and may hold anything.
fn of_stat(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11).map_while(|field| field.parse::<f64>().ok());
    Some((ticks.next()? + ticks.next()?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 1 0 0 0 250 50 0 0 20 0 1 0 1";
        assert_eq!(of_stat(stat), Some(3.0));
        assert_eq!(of_stat("7 (a) S 1"), None);
    }
}
