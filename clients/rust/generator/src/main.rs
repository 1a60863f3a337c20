//! Generates the Play stream's messages, and those that refusals carry. Usage: generator PROTOS TARGET

use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [protos, target] = arguments.as_slice() else {
        panic!("usage: generator PROTOS TARGET")
    };
    let files = [
        "fudaba/v1/play.proto",
        "google/rpc/status.proto",
        "google/rpc/error_details.proto",
    ];
    let paths: Vec<_> = files
        .iter()
        .map(|file| Path::new(protos).join(file))
        .collect();
    tonic_prost_build::configure()
        .build_server(false)
        .out_dir(target)
        .compile_protos(&paths, &[protos.into()])
}
