//! Many tiles send messages to one queue.

use crate::{list::Steps, Fabric, Transport};

use super::{pattern, timed, Failure, Figures, Flow, TIMEOUT};

/// Messages of each tile, and words of each, of the fabric.
const MESSAGES: usize = 4;
const WORDS: usize = 30;

/// Every tile sends four messages to a queue of the first tile, which has room for all. The messages of a tile are a list, and arrive
/// in their order. The host knows that all have come when it reads their count, and then receives them with one or two reads.
///
/// # Errors
/// The driver's, or a wrong word.
pub fn many_to_one<T: Transport>(fabric: &mut Fabric<T>) -> Result<Figures, Failure> {
    let tiles = fabric.config().tiles();
    let lanes = fabric.word_bytes() as usize / 4;
    let bytes = (4 * lanes * WORDS) as u32;
    let all = tiles * MESSAGES;
    let mut queue = fabric.queue(0, all.next_power_of_two() as u32, bytes, None)?;
    let (mut senders, mut steps, mut flows) = (vec![], Steps::default(), vec![]);
    for tile in 0..tiles {
        let region = fabric.allocate(tile, MESSAGES as u32 * bytes)?;
        let words: Vec<u32> = (0..MESSAGES * WORDS * lanes).map(|at| pattern(tile, at)).collect();
        fabric.write(tile, region.base, &words)?;
        let sender = queue.sender(fabric, tile, MESSAGES as u32)?;
        for message in 0..MESSAGES as u32 {
            let enqueue = fabric
                .tile(tile)?
                .enqueue(&sender, region.base + message * bytes, bytes)?;
            enqueue.add_to(&mut steps);
        }
        flows.push(Flow {
            from: tile,
            to: 0,
            words: (MESSAGES * WORDS) as u64,
        });
        senders.push((sender, region));
    }
    let mut list = fabric.list(steps)?;
    let (cycles, parts) = timed(fabric, &mut list, &flows, |fabric| {
        let begun = fabric.transport().cycles();
        while usize::from(queue.waiting(fabric)?) < all {
            fabric.check_time(begun, TIMEOUT, 0, "messages")?;
        }
        Ok(())
    })?;
    let mut received = vec![0; tiles];
    for message in queue.receive_all(fabric)? {
        let (node, number) = (message.source, received[message.source]);
        if message.words.len() != WORDS * lanes {
            let (found, expected) = (message.words.len(), WORDS * lanes);
            return Err(Failure::Length { node, found, expected });
        }
        for (at, &found) in message.words.iter().enumerate() {
            let place = number * WORDS * lanes + at;
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
    }
    queue.release(fabric, all as u16)?;
    list.release(fabric)?;
    for (sender, region) in senders {
        sender.release(fabric)?;
        fabric.free(region)?;
    }
    queue.close(fabric)?;
    Ok(Figures {
        bytes: u64::from(bytes) * all as u64,
        cycles,
        parts,
    })
}
