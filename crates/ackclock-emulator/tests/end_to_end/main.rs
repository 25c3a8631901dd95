//! Emulators with real stacks and applications, from end to end.

mod applications;
mod arbitrary;
mod bbr;
mod buffers;
mod common;
mod ecn;
mod failures;
mod fair_queueing;
mod impairments;
mod observation;
mod path_probing;
mod queues;
mod recovery;
mod runs;
mod scenarios;
mod segmentation;
mod signatures;
mod smoltcp;
mod topologies;
mod transfers;
mod zhang91;
