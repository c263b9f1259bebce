//! An interpreter on a thread of its own, which has the stack that it needs and keeps what
//! it has found out once and for all.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use crate::interpreter::{Halt, Interpreter, STACK, Session};
use crate::rules::RulesError;

/// What is known of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub fluents: Vec<String>,
    pub is_terminal: bool,
    pub legal: Vec<Vec<String>>,
    pub goals: Vec<Vec<u16>>,
}

/// Which state is asked for.
enum Question {
    Roles,
    Initial,
    After { fluents: Vec<String>, joint: Vec<String> },
}

struct Job {
    question: Question,
    until: Option<Instant>,
    answer: Sender<Result<Told, Halt>>,
}

/// Answers questions about states, one after the other.
#[derive(Debug)]
pub(crate) struct Oracle {
    interpreter: Interpreter,
    jobs: Mutex<Sender<Job>>,
    roles: Vec<String>,
}

impl Oracle {
    pub fn new(interpreter: Interpreter) -> Result<Self, RulesError> {
        let (jobs, queue) = channel();
        let own = interpreter.clone();
        let work = move || serve(&own, &queue);
        let thread = thread::Builder::new().name("interpreter".to_owned()).stack_size(STACK);
        thread.spawn(work).map_err(RulesError::Thread)?;
        let mut oracle = Self { interpreter, jobs: Mutex::new(jobs), roles: Vec::new() };
        oracle.roles = oracle.ask(Question::Roles, None)?.fluents;
        Ok(oracle)
    }

    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    pub fn initial(&self, until: Option<Instant>) -> Result<Told, RulesError> {
        self.ask(Question::Initial, until)
    }

    pub fn after(
        &self,
        told: &Told,
        joint: &[String],
        until: Option<Instant>,
    ) -> Result<Told, RulesError> {
        let (fluents, joint) = (told.fluents.clone(), joint.to_vec());
        self.ask(Question::After { fluents, joint }, until)
    }

    fn ask(&self, question: Question, until: Option<Instant>) -> Result<Told, RulesError> {
        let (answer, answered) = channel();
        let jobs = self.jobs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        // Nobody answers only if the interpreter has failed, which it must not.
        jobs.send(Job { question, until, answer }).map_err(|_| RulesError::Silent)?;
        Ok(answered.recv().map_err(|_| RulesError::Silent)??)
    }
}

fn serve(interpreter: &Interpreter, queue: &Receiver<Job>) {
    let mut session = interpreter.session();
    for job in queue {
        let told = match &mut session {
            Ok(session) => {
                session.set_deadline(job.until);
                answer(session, &job.question)
            }
            Err(halt) => Err(*halt),
        };
        // Whoever has asked may have gone.
        let _ = job.answer.send(told);
    }
}

fn answer(session: &mut Session, question: &Question) -> Result<Told, Halt> {
    let state = match question {
        Question::Roles => return Ok(Told { fluents: session.roles(), ..Told::default() }),
        Question::Initial => session.initial()?,
        Question::After { fluents, joint } => {
            let state = session.read(fluents);
            session.enter(&state);
            let joint: Vec<_> = joint.iter().filter_map(|text| session.action(text)).collect();
            session.next(&joint)?
        }
    };
    session.enter(&state);
    let roles = 0..session.roles().len();
    let mut told = Told { fluents: session.fluents(&state), ..Told::default() };
    told.is_terminal = session.is_terminal()?;
    for role in roles {
        let legal = session.legal(role)?;
        let mut legal: Vec<String> = legal.iter().map(|action| session.text(*action)).collect();
        legal.sort();
        told.legal.push(legal);
        told.goals.push(if told.is_terminal { session.goals(role)? } else { Vec::new() });
    }
    Ok(told)
}
