//! What all images have in common: the memory of connections, and the loop between the Ethernet
//! controller and the stack.
#![no_std]
#![forbid(unsafe_code)]

mod node;
mod queues;

pub use node::Node;
pub use queues::Queues;
