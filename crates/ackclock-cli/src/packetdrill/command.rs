//! The command line of packetdrill.

use super::script::{Family, ScriptOptions};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Addresses where nothing names others: ours, the gateway's and the peer's, as packetdrill's own scripts are run.
const V4: [&str; 3] = ["192.168.0.1", "192.168.0.1", "192.0.2.1"];
const V6: [&str; 3] = ["fd3d:0a0b:17d6::1", "fd3d:0a0b:17d6:8888::1", "fd3d:fa7b:d17d::1"];

/// One run of packetdrill.
pub(super) struct Invocation<'s> {
    /// The script's file name.
    pub(super) script: OsString,
    pub(super) library: OsString,
    pub(super) forwarder: OsString,
    pub(super) options: ScriptOptions,
    pub(super) flags: &'s str,
    pub(super) arguments: &'s [String],
}

impl Invocation<'_> {
    /// The command that runs it, in the script's folder.
    pub(super) fn command(&self, program: &Path) -> Command {
        let ScriptOptions { family, local, remote, mtu } = &self.options;
        let [own, gateway, peer] = if *family == Family::V6 { V6 } else { V4 };
        let local_flag = format!("local={}", local.as_deref().unwrap_or(own));
        let mtu_flag = mtu.as_ref().map(|mtu| format!("mtu={mtu}")).unwrap_or_default();
        let flags = [&local_flag, &mtu_flag, self.flags].join(",");
        let mut option = OsString::from("--so_filename=");
        option.push(&self.library);
        let mut command = Command::new(program);
        command.arg(option).arg(format!("--so_flags={flags}"));
        if local.is_none() {
            command.args([format!("--local_ip={own}"), format!("--gateway_ip={gateway}")]);
        }
        if remote.is_none() {
            command.arg(format!("--remote_ip={peer}"));
        }
        command.args(self.arguments).arg(&self.script);
        let mut preloaded = self.forwarder.clone();
        if let Some(others) = std::env::var_os("LD_PRELOAD") {
            preloaded.push(":");
            preloaded.push(others);
        }
        command.env("LD_PRELOAD", preloaded);
        command
    }
}
