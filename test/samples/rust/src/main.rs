//! Answers every request with its runtime and its greeting; needs nothing beyond Rust itself.
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

fn main() -> std::io::Result<()> {
    let port = env::var("PORT").expect("PORT is set");
    let listener = TcpListener::bind(format!("0.0.0.0:{port}"))?;
    println!("the sample listens");
    for stream in listener.incoming().flatten() {
        thread::spawn(move || answer(stream));
    }
    Ok(())
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    for line in BufReader::new(stream.try_clone()?).lines() {
        if line?.is_empty() {
            break;
        }
    }
    let text = format!("rust says {}", env::var("GREETING").unwrap_or_default());
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
    stream.write_all(format!("{head}{text}").as_bytes())
}
