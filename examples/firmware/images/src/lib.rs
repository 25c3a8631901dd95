//! What all images have in common: the loop between the Ethernet
//! controller and the stack.
#![no_std]
#![forbid(unsafe_code)]

mod node;

pub use node::Node;
