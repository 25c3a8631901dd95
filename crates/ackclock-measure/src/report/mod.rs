//! What a campaign measured: the figures and tables of allman98, sections 6 and appendix B.

mod files;
mod findings;
mod page;
mod picture;
#[cfg(test)]
mod tests;

pub use findings::{BurstFinding, Findings, HostFinding, VariantFinding};
