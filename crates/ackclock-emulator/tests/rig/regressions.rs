//! Scripts that once failed.

use crate::script::{Action, Setting};
use crate::world::World;

fn replay(setting: &Setting, actions: &[Action]) {
    let mut world = World::new(setting);
    for action in actions {
        world.act(*action);
    }
    world.conclude();
}
