//! From a socket to answers, and to a graceful end.

use std::future::poll_fn;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use boughs::{Error, Result};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection;
use crate::routes::router;
use crate::service::{Offer, Service};
use crate::settings::Settings;

/// How long a connection without a request stays open once the service is asked to end: what a client sends in the same
/// moment is answered.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// How long to wait after the system has refused to accept a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// A service with its socket.
pub struct Server {
    listener: TcpListener,
    service: Arc<Service>,
    stop: watch::Sender<bool>,
}

/// Ends a service, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Takes no more connections, answers what was accepted, and ends [`Server::run`].
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Starts the threads, then listens.
    ///
    /// # Errors
    /// If the address cannot be had, or threads cannot be started.
    pub fn bind(settings: &Settings, offer: Offer) -> Result<Self> {
        let service = Arc::new(Service::new(settings, offer)?);
        let address = SocketAddr::new(settings.host, settings.port);
        let listener = TcpListener::bind(address).map_err(|error| {
            Error::io(format_args!("listen on {address}"), error).hint("name another --port")
        })?;
        Ok(Self { listener, service, stop: watch::Sender::new(false) })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr().map_err(|error| Error::io("ask for the own address", error))
    }

    /// What ends it.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers requests until it is stopped.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn run(self) -> Result<()> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|error| Error::io("start the network", error))?;
        let service = Arc::clone(&self.service);
        let ended = runtime.block_on(self.accept()).map_err(|error| Error::io("listen", error));
        // Connections that were given up are dropped with it, and with them what the threads still have to do.
        drop(runtime);
        service.team.end();
        ended
    }

    async fn accept(self) -> std::io::Result<()> {
        let Self { listener, service, stop } = self;
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let mut stopped = stop.subscribe();
        let mut connections = Connections::new(&service);
        while !*stopped.borrow() {
            let slot = connections.slot().await;
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => connections.add(stream, slot),
                    // Too many open files, or a client that went at once.
                    Err(_) => sleep(PAUSE).await,
                },
                _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
            }
        }
        service.is_ending.store(true, Ordering::Relaxed);
        connections.add_those_that_wait(&listener).await;
        drop(listener);
        connections.end().await;
        Ok(())
    }
}

/// The connections that are open.
struct Connections {
    service: Arc<Service>,
    router: Router,
    slots: Arc<Semaphore>,
    tasks: JoinSet<()>,
    closing: watch::Sender<bool>,
}

impl Connections {
    fn new(service: &Arc<Service>) -> Self {
        Self {
            service: Arc::clone(service),
            router: router(service),
            slots: Arc::new(Semaphore::new(service.limits.max_connections)),
            tasks: JoinSet::new(),
            closing: watch::Sender::new(false),
        }
    }

    /// Waits until there may be one more.
    async fn slot(&mut self) -> Option<OwnedSemaphorePermit> {
        while self.tasks.try_join_next().is_some() {}
        // It is never closed.
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }

    fn add(&mut self, stream: TcpStream, slot: Option<OwnedSemaphorePermit>) {
        let (service, router) = (Arc::clone(&self.service), self.router.clone());
        let closing = self.closing.subscribe();
        self.tasks.spawn(async move {
            connection::serve(stream, service, router, closing).await;
            drop(slot);
        });
    }

    /// Clients that the system has accepted for us have been accepted.
    async fn add_those_that_wait(&mut self, listener: &tokio::net::TcpListener) {
        let mut accepted = Vec::new();
        poll_fn(|context| {
            while let Poll::Ready(Ok((stream, _))) = listener.poll_accept(context) {
                accepted.push(stream);
            }
            Poll::Ready(())
        })
        .await;
        accepted.into_iter().for_each(|stream| self.add(stream, None));
    }

    /// Closes connections, each after the answer that its client waits for.
    async fn end(mut self) {
        sleep(LAST_MOMENT).await;
        self.closing.send_replace(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        // Whoever does not take an answer by then is cut off.
        let _ = timeout(self.service.limits.ending_time, all).await;
    }
}
