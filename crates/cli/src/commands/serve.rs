//! `boughs serve`: parsing over HTTP, and a page to look at trees.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use boughs::parser::built_in;
use boughs_serve::{Limits, NamedParser, NamedTreebank, Offer, Report, Runs, Server, Settings};
use clap::Args;

use crate::input::ReadArgs;
use crate::model::load_parser;
use crate::output::{counted, report, write_whole};
use crate::threads::ThreadArgs;
use crate::{Outcome, interrupt, number};

/// Parse over HTTP, with a page to look at trees
///
/// Writes the address to standard output once it answers; open it in a browser. /openapi.json describes what programs
/// can ask; clients of CoreNLP's server need nothing but the address. Ctrl-C, or SIGTERM, ends it after the requests
/// that it has accepted.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// A parser: a file written by `boughs train`, or `@english` or `@english-small`; may be given several times. The
    /// first is for requests that name none [default: @english]
    #[arg(long, short, value_name = "MODEL")]
    model: Vec<PathBuf>,

    /// The port; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 9000)]
    port: u16,

    /// The address to listen on. Only this machine can reach 127.0.0.1
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,

    /// Answer only requests with the token in this file, as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadArgs,

    /// The most bytes of a request
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = number::parse_bytes, help_heading = "Limits")]
    max_body: usize,

    /// The most words of a sentence
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = number::within::<usize>(1..), help_heading = "Limits")]
    max_words: usize,

    /// Take the best tree that was found after so many seconds for a sentence
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = number::parse_seconds, help_heading = "Limits")]
    timeout: Duration,

    /// The most requests that are worked on or wait; others get the status 429
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = number::within::<usize>(1..), help_heading = "Limits")]
    max_requests: usize,

    /// The most connections; others wait
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = number::within::<usize>(1..), help_heading = "Limits")]
    max_connections: usize,

    /// Cut off clients that take longer than so many seconds to send a request, to take a part of an answer, or to ask
    /// again
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = number::parse_seconds, help_heading = "Limits")]
    client_timeout: Duration,

    /// A treebank for the page: a file or directory, or `@sample`; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Page")]
    treebank: Vec<PathBuf>,

    /// Show the curves of the runs whose checkpoints or tables of steps (`boughs train --curves`) are in this
    /// directory, while they go on; may be given several times
    #[arg(long, value_name = "DIR", help_heading = "Page")]
    watch: Vec<PathBuf>,

    /// List the reports of experiments (`boughs experiment run`) in this directory, and in those below it; may be given
    /// several times
    #[arg(long, value_name = "DIR", help_heading = "Page")]
    reports: Vec<PathBuf>,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &ServeArgs) -> Result<Outcome> {
    let settings = args.settings()?;
    let offer = Offer {
        parsers: args.parsers()?,
        treebanks: args.treebank.iter().map(|path| args.treebank(path)).collect::<Result<_>>()?,
        runs: Arc::new(Runs::watching(args.directories(&args.watch)?)),
        reports: args.reports()?,
    };
    let server = Server::bind(&settings, offer)?;
    let stopper = server.stopper();
    interrupt::at_first(move || stopper.stop())?;
    let host = settings.host;
    if !host.is_loopback() {
        let who = if settings.token.is_some() { "whoever has the token" } else { "anybody" };
        report(format_args!(
            "warning: {host} can be reached from other machines; {who} can use this service, and nothing is encrypted"
        ));
    }
    write_whole(&format!("http://{}\n", server.address()?))?;
    server.run()?;
    Ok(Outcome::Complete)
}

impl ServeArgs {
    fn settings(&self) -> Result<Settings> {
        Ok(Settings {
            host: self.host,
            port: self.port,
            token: self.token_file.as_deref().map(read_token).transpose()?,
            num_threads: self.threads.number(),
            limits: Limits {
                max_body: self.max_body,
                max_words: self.max_words,
                sentence_time: self.timeout,
                max_requests: self.max_requests,
                max_connections: self.max_connections,
                client_time: self.client_timeout,
                ..Limits::default()
            },
        })
    }

    fn parsers(&self) -> Result<Vec<NamedParser>> {
        let default = [PathBuf::from(built_in::DEFAULT)];
        let paths = if self.model.is_empty() { &default } else { self.model.as_slice() };
        let mut parsers: Vec<NamedParser> = Vec::new();
        for path in paths {
            let name = model_name(path);
            if parsers.iter().any(|other| other.name == name) {
                bail!("two models are called `{name}`: rename a file");
            }
            parsers.push(NamedParser { name, parser: load_parser(path)? });
        }
        Ok(parsers)
    }

    fn treebank(&self, path: &Path) -> Result<NamedTreebank> {
        let mut trees = Vec::new();
        let mut reader = self.read.open(&[path.to_owned()])?;
        while let Some(tree) = reader.next()? {
            trees.push(tree);
        }
        report(format_args!("{}: {}", path.display(), counted(trees.len() as u64, "tree")));
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(NamedTreebank { name, trees })
    }

    fn directories(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
        match paths.iter().find(|path| !path.is_dir()) {
            Some(path) => bail!("{} is no directory", path.display()),
            None => Ok(paths.to_vec()),
        }
    }

    /// The reports of the directories, and of those right below them.
    fn reports(&self) -> Result<Vec<Report>> {
        let mut reports = Vec::new();
        for directory in self.directories(&self.reports)? {
            let below =
                fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
            let mut places: Vec<PathBuf> = below.flatten().map(|entry| entry.path()).collect();
            places.sort();
            places.insert(0, directory);
            for place in places {
                let path = place.join("report.html");
                if path.is_file() {
                    reports.push(Report { name: report_name(&place, &reports), path });
                }
            }
        }
        Ok(reports)
    }
}

/// The name of its directory; if another has it, with all directories above it.
fn report_name(place: &Path, others: &[Report]) -> String {
    let name = place.file_name().unwrap_or(place.as_os_str()).to_string_lossy();
    match others.iter().any(|other| other.name == name) {
        true => place.display().to_string(),
        false => name.into_owned(),
    }
}

/// The name of a parser that is built in, or of a file without its ending.
fn model_name(path: &Path) -> String {
    let name = match path.to_str() {
        Some(name) if built_in::NAMES.contains(&name) => path.as_os_str(),
        _ => path.file_stem().unwrap_or(path.as_os_str()),
    };
    name.to_string_lossy().into_owned()
}

fn read_token(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    match text.trim() {
        "" => bail!("{}: expected a token, found nothing", path.display()),
        token => Ok(token.to_owned()),
    }
}
