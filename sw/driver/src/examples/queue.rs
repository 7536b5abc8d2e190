//! Many tiles send messages to one queue.

use crate::{Fabric, Transport};

use super::{pattern, Failure, Figures, TIMEOUT};

/// Messages of each tile, and words of each.
const MESSAGES: usize = 4;
const WORDS: usize = 6;

/// Every tile sends four messages to a queue of the first tile, with as few credits as it can: the tile parks the messages
/// that wait for a credit, and parks one fewer than it has micro-cores. The messages of one tile arrive in order.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn many_to_one<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let tiles = fabric.config().tiles();
    let bytes = 4 * WORDS as u32;
    let credits = MESSAGES - (MESSAGES - 1).min(fabric.config().cores - 1);
    let mut queue = fabric.queue(0, (tiles * credits).next_power_of_two() as u32, bytes, None)?;
    let mut senders = Vec::new();
    for tile in 0..tiles {
        let region = fabric.allocate(tile, MESSAGES as u32 * bytes)?;
        let words: Vec<u32> = (0..MESSAGES * WORDS).map(|at| pattern(tile, at)).collect();
        fabric.write(tile, region.base, &words)?;
        senders.push((queue.sender(fabric, tile, credits as u32)?, region, fabric.event(tile)?));
    }

    let begun = fabric.transport().cycles();
    for (tile, (sender, region, sent)) in senders.iter().enumerate() {
        for message in 0..MESSAGES as u32 {
            let enqueue = fabric
                .tile(tile)?
                .enqueue(sender, region.base + message * bytes, bytes)?;
            enqueue.count_in(sent)?;
        }
    }
    let mut received = vec![0; tiles];
    for _ in 0..tiles * MESSAGES {
        let message = queue.wait(fabric, TIMEOUT)?;
        let (node, number) = (message.source, received[message.source]);
        if message.words.len() != WORDS {
            let (found, expected) = (message.words.len(), WORDS);
            return Err(Failure::Length { node, found, expected });
        }
        for (at, &found) in message.words.iter().enumerate() {
            let place = number * WORDS + at;
            let expected = pattern(node, place);
            if found != expected {
                let address = 4 * place as u32;
                return Err(Failure::Wrong {
                    node,
                    address,
                    found,
                    expected,
                });
            }
        }
        received[node] += 1;
        queue.release(fabric, 1)?;
    }
    let cycles = fabric.transport().cycles() - begun;

    for (sender, region, sent) in senders {
        sent.drain(fabric, TIMEOUT)?;
        sender.release(fabric)?;
        sent.release(fabric)?;
        fabric.free(region)?;
    }
    queue.close(fabric)?;
    Ok(Figures {
        bytes: u64::from(bytes) * (tiles * MESSAGES) as u64,
        cycles,
    })
}
