//! Native code against the interpreter. One program, because the interpreter is
//! generic and takes long to compile.

mod games;
mod random;
mod refusals;
mod support;
