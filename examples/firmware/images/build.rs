//! Tells the linker which memory each image may use: what does not fit is an error.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Memory of one image in bytes. The stack lies below all other memory, so that on a Cortex-M an image
/// that needs more of it faults.
struct Budget {
    stack: u32,
    /// For statics.
    ram: u32,
}

impl Budget {
    fn of(image: &str) -> Self {
        match image {
            // 16 KiB: 2 for the stack, 14 for the rest.
            "echo" => Budget { stack: 2 << 10, ram: 14 << 10 },
            _ => Budget { stack: 24 << 10, ram: 232 << 10 },
        }
    }

    /// On MPS2 code runs from one memory at 0 and data lie in another.
    fn mps2(&self) -> String {
        let Budget { stack, ram } = self;
        format!(
            "MEMORY {{
                FLASH (rx) : ORIGIN = 0, LENGTH = 128K
                STACK (rw) : ORIGIN = 0x20000000, LENGTH = {stack}
                RAM (rw) : ORIGIN = 0x20000000 + {stack}, LENGTH = {ram}
            }}
            _stack_end = ORIGIN(STACK);
            _stack_start = ORIGIN(STACK) + LENGTH(STACK);
            "
        )
    }

    /// On `virt` there is one memory for all. Pages for the queues of virtio, and the frames in them,
    /// come on top.
    fn virt(&self) -> String {
        let Budget { stack, ram } = self;
        // Functions save more registers than on a Cortex-M, and here nothing faults below.
        let stack = stack + (2 << 10);
        format!(
            "MEMORY {{
                FLASH (rwx) : ORIGIN = 0x80000000, LENGTH = 128K
                STACK (rw) : ORIGIN = 0x80020000, LENGTH = {stack}
                RAM (rw) : ORIGIN = 0x80020000 + {stack}, LENGTH = {ram} + 40K
            }}
            REGION_ALIAS(\"REGION_TEXT\", FLASH);
            REGION_ALIAS(\"REGION_RODATA\", FLASH);
            REGION_ALIAS(\"REGION_DATA\", RAM);
            REGION_ALIAS(\"REGION_BSS\", RAM);
            REGION_ALIAS(\"REGION_HEAP\", RAM);
            REGION_ALIAS(\"REGION_STACK\", STACK);
            _stack_end = ORIGIN(STACK);
            "
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Other packages beside this one have it, too.
    println!("cargo::rerun-if-changed=../images/build.rs");
    println!("cargo::rerun-if-changed=src/bin");
    if env::var("CARGO_CFG_TARGET_OS")? != "none" {
        return Ok(());
    }
    let is_arm = env::var("CARGO_CFG_TARGET_ARCH")? == "arm";
    for source in fs::read_dir("src/bin")? {
        let source = source?.path();
        let image = source.file_stem().and_then(|name| name.to_str()).ok_or("a file's name")?;
        let folder = Path::new(&env::var("OUT_DIR")?).join(image);
        fs::create_dir_all(&folder)?;
        let budget = Budget::of(image);
        fs::write(folder.join("memory.x"), if is_arm { budget.mps2() } else { budget.virt() })?;
        // What cortex-m-rt would have of the interrupts' names: there are none.
        fs::write(folder.join("device.x"), "")?;
        println!("cargo::rustc-link-arg-bin={image}=-L{}", folder.display());
        if !is_arm {
            println!("cargo::rustc-link-arg-bin={image}=-Tmemory.x");
        }
        println!("cargo::rustc-link-arg-bin={image}=-Tlink.x");
    }
    Ok(())
}
