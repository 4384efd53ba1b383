//! What a run takes, by the system's own account, so that other work on the machine matters less.

/// The CPU time of this process so far, in seconds; 0 where the system does not tell.
pub fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    // Linux counts in hundredths for every program, whatever it does inside.
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The CPU seconds of one run of something, over as many as fit into `at_least` seconds.
pub fn seconds_of_one(at_least: f64, mut run: impl FnMut()) -> f64 {
    let start = seconds();
    let mut num_runs = 0;
    loop {
        run();
        num_runs += 1;
        let spent = seconds() - start;
        // The second limit is for systems that do not tell.
        if spent >= at_least || num_runs == 1_000_000 {
            return spent / f64::from(num_runs);
        }
    }
}

/// The most memory that this process had, in megabytes; 0 where the system does not tell.
pub fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
