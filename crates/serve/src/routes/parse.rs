//! `POST /parse`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use boughs::parser::Sentence;

use crate::answers::{AnswerLines, Answers, SentenceTask};
use crate::models::{ModelId, Models};
use crate::output::{Format, Place, Written};
use crate::refusal::Refusal;
use crate::request::SentenceRequest;
use crate::service::{Received, Service};
use crate::settings::Limits;
use crate::team::{Bench, Turn};

/// What a text is called if the request does not say.
pub(crate) const DOCUMENT: &str = "text";

/// Sentences, and how their trees are wanted.
pub(crate) struct ParseJob {
    pub(crate) sentences: Vec<Sentence>,
    pub(crate) models: Vec<ModelId>,
    n_best: usize,
    /// Whether several trees of a sentence are wanted.
    are_several: bool,
    format: Format,
    document: String,
}

impl ParseJob {
    pub(crate) fn new(request: &SentenceRequest, models: &Models, limits: &Limits) -> Result<Self, Refusal> {
        let ids = models.find_all(&request.model_names())?;
        let n_best = request.n_best.unwrap_or(1);
        if n_best > limits.max_n_best {
            let most = limits.max_n_best;
            return Err(Refusal::unfit(format!("expected `n_best` of at most {most}, found {n_best}")));
        }
        for &id in &ids {
            let labels =
                request.phrases.iter().filter_map(|phrase| phrase.label.as_ref()).chain(&request.root);
            for label in labels {
                models.get(id).parser.check_label(label)?;
            }
        }
        Ok(Self {
            sentences: request.sentences(models.text_language(&ids), limits.max_words)?,
            models: ids,
            n_best,
            are_several: request.n_best.is_some(),
            format: request.format,
            document: request.document.clone().unwrap_or_else(|| DOCUMENT.to_owned()),
        })
    }

    /// Parses a sentence with all models.
    fn parse(&self, bench: &mut Bench<'_>, index: usize) -> Result<Written, Refusal> {
        let place = Place { document: &self.document, sentence: index as u64 + 1 };
        let mut written = Written::default();
        for &id in &self.models {
            let parsed = bench.parse(id, self.n_best, &self.sentences[index])?;
            let model = bench.models().get(id);
            self.format
                .write(model, place, &parsed, self.are_several, &mut written)
                .map_err(|_| Refusal::fault())?;
        }
        Ok(written)
    }

    /// The trees of all sentences, in order.
    fn answers(self, turn: Turn, window: usize) -> Answers<Written> {
        let job = Arc::new(self);
        let tasks = (0..job.sentences.len()).map(move |index| -> SentenceTask<Written> {
            let job = Arc::clone(&job);
            Box::new(move |bench| job.parse(bench, index))
        });
        Answers::new(turn, window, tasks)
    }
}

impl Service {
    /// Reads a request for the trees of sentences.
    pub(crate) async fn begin_job<T: Send + 'static>(
        self: &Arc<Self>,
        request: Request,
        make: impl FnOnce(&SentenceRequest, &Models, &Limits) -> Result<T, Refusal> + Send + 'static,
        sentences: impl FnOnce(&T) -> &[Sentence],
    ) -> Result<(Turn, T), Refusal> {
        let limits = self.limits.clone();
        let read = move |bench: &mut Bench<'_>, Received { content, query, body }: Received| {
            make(&SentenceRequest::read(content, &query, &body)?, bench.models(), &limits)
        };
        let (turn, job) = self.begin(request, read).await?;
        let sentences = sentences(&job);
        let num_words: usize = sentences.iter().map(|sentence| sentence.tokens().len()).sum();
        self.metrics.sentences.fetch_add(sentences.len() as u64, Ordering::Relaxed);
        self.metrics.words.fetch_add(num_words as u64, Ordering::Relaxed);
        Ok((turn, job))
    }
}

pub(super) async fn parse(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (turn, job) = service.begin_job(request, ParseJob::new, |job| &job.sentences).await?;
    let format = job.format;
    let answers = job.answers(turn, service.window);
    let body = match format {
        Format::Ndjson => Body::new(AnswerLines(answers)),
        _ => Body::from(format.document(&answers.collect().await?)),
    };
    Ok(([(CONTENT_TYPE, format.media_type())], body).into_response())
}
