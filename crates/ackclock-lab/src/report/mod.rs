//! The report: one page that needs nothing else, and the plots by themselves.

mod hover;
mod page;
mod picture;

pub(crate) use page::html;
pub(crate) use picture::picture;
