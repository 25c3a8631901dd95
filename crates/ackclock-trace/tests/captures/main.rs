//! Captures in, statistics and explanations out.

mod connections;
mod files;
mod losses;
mod properties;
mod script;
