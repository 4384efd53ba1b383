//! Connections: one task each, cut off if the client stalls.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Sleep, sleep};

use crate::service::Service;

/// The most bytes of the head of a request.
const MAX_HEAD: usize = 1 << 16;

/// Answers the requests of a connection, until the client or the service ends it.
pub(crate) async fn serve(
    stream: TcpStream,
    service: Arc<Service>,
    router: Router,
    mut closing: watch::Receiver<bool>,
) {
    let metrics = &service.metrics;
    metrics.connections.fetch_add(1, Ordering::Relaxed);
    metrics.open_connections.fetch_add(1, Ordering::Relaxed);
    // Answers are short, and their clients wait.
    let _ = stream.set_nodelay(true);
    let stream = TimedStream::new(stream, service.limits.client_time);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(service.limits.client_time)
        .max_buf_size(MAX_HEAD)
        .half_close(true);
    let connection = http.serve_connection(stream, TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    let is_stalled = |error: &hyper::Error| {
        let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
    };
    if ended.as_ref().is_err_and(is_stalled) {
        metrics.cut_off.fetch_add(1, Ordering::Relaxed);
    }
    metrics.open_connections.fetch_sub(1, Ordering::Relaxed);
}

/// Waits until the service closes its connections.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // Without a sender there is no service.
    drop(closing.wait_for(|is_closing| *is_closing).await);
}

/// A stream whose writes fail if the other side takes nothing for some time.
struct TimedStream {
    stream: TokioIo<TcpStream>,
    patience: Duration,
    /// When a write that waits is given up.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl TimedStream {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream: TokioIo::new(stream), patience, deadline: None }
    }

    /// What a write gave, or an error if it waits for too long.
    fn in_time<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let patience = self.patience;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(patience)));
        deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Read for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for TimedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.in_time(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.in_time(context, shut)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.in_time(context, written)
    }
}
