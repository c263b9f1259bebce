//! Hears of all spans, and writes them down.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::book::{Arguments, Book, Phase};

/// Writes a book until it is taken away.
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<Option<Book>>>);

impl Recorder {
    pub fn new(book: Book) -> Self {
        Self(Arc::new(Mutex::new(Some(book))))
    }

    /// The book. Threads that still work have none from here on.
    pub fn take(&self) -> Option<Book> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Book>> {
        // Whoever panicked meanwhile has left a line that is complete or not.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, phase: Phase, name: &str, arguments: Option<&Arguments>) {
        if let Some(book) = &mut *self.lock() {
            book.note(phase, name, arguments);
        }
    }
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut fields = Fields::default();
            attributes.record(&mut fields);
            span.extensions_mut().insert(fields);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let extensions = span.extensions();
            self.note(Phase::Begin, span.name(), extensions.get().and_then(Fields::arguments));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            self.note(Phase::End, span.name(), None);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.note(Phase::Instant, event.metadata().name(), fields.arguments());
    }
}

/// What a span says beside its name.
#[derive(Default)]
struct Fields(Arguments);

impl Fields {
    fn arguments(&self) -> Option<&Arguments> {
        Some(&self.0).filter(|arguments| !arguments.is_empty())
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}
