//! Packets of every kind, right and wrong, to windows of every mode, with back-pressure on all sides.

use super::{
    bench::{register_bit, release_register, tag_register, Bench, MEMORY_WORDS},
    model::Model,
    packets::{control, head, message, opening, put, put_rows, queue_control, reply, stream, SOURCE},
};
use portico_spec::{
    flit::SOURCE_OFFSET,
    ni::{
        packet::{OPERATION_OFFSET, SLOT_OFFSET, STRIDED_OFFSET, WIDE_OFFSET},
        registers::TagRegister,
        window::Mode,
    },
};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng};

/// Two windows, two pointers (one with rows), three queues (one at the end of the memory, one larger than its window), one
/// off, one unknown mode, and the system window.
const TAGS: [u8; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 255];

fn windows() -> Vec<(u64, u64)> {
    [
        opening(1, 100, 50, control(Mode::Window, Some(7)), 0),
        opening(2, MEMORY_WORDS - 20, 40, control(Mode::Window, None), 0),
        opening(3, 200, 400, control(Mode::Pointer, Some(63)), 0),
        opening(4, 300, 500, control(Mode::Pointer, Some(1)), 9 << 16 | 4),
        opening(5, 600, 32, queue_control(Some(2), 3, 2), 0),
        opening(6, MEMORY_WORDS - 21, 32, queue_control(None, 4, 1), 0),
        opening(8, 0, 500, 5, 0),
        opening(9, 700, 12, queue_control(Some(3), 3, 1), 0),
    ]
    .concat()
}

fn any_packet<const W: usize>(rng: &mut SmallRng) -> Vec<u64> {
    let kind = rng.gen_range(0..14);
    let fitting: &[u8] = match kind {
        _ if rng.gen_bool(0.3) => &TAGS,
        5..=6 => &[3, 4],
        7..=8 => &[5, 6, 9],
        _ => &[1, 2, 255],
    };
    let tag = *fitting.choose(rng).unwrap();
    let (last, slot) = (rng.gen(), rng.gen_range(0..32));
    let words = match rng.gen_range(0..10) {
        0 => 0,
        1 => rng.gen_range(0..70),
        _ => rng.gen_range(1..8),
    };
    let payload: Vec<u64> = (0..words).map(|_| rng.gen::<u64>() >> (64 - W)).collect();
    let offset = match rng.gen_range(0..12) {
        0 => rng.gen_range(0..1 << 22),
        // Registers of two blocks, that of commands among them.
        1 if tag == 255 => 1 << register_bit(W) | rng.gen_range(0..1 << 13),
        2 => MEMORY_WORDS - 3,
        _ => rng.gen_range(0..50),
    };
    let mut packet = match kind {
        0..=1 => put(tag, last, offset, slot, &payload),
        2..=3 => {
            let geometry = (rng.gen_range(0..6), rng.gen_range(0..12));
            put_rows(tag, last, offset, slot, geometry, &payload)
        }
        4 => {
            let mut packet = reply(slot as u8, last, offset * 3, &payload);
            // Some end too early, for an error.
            packet[1] |= (rng.gen_range(0..30u64).saturating_sub(14)) << SLOT_OFFSET;
            packet
        }
        5..=6 => stream(tag, last, &payload),
        7..=8 => message(tag, rng.gen_range(0..256), &payload),
        9 => [&[head(rng.gen_range(5..8), tag, last)], &payload[..]].concat(),
        _ => {
            let address = offset & !rng.gen_range(0..2)
                | slot << SLOT_OFFSET
                | rng.gen_range(0..8) << OPERATION_OFFSET
                | rng.gen_range(0..2) << WIDE_OFFSET
                | rng.gen_range(0..2) << STRIDED_OFFSET;
            let mut operands = payload;
            operands.truncate(5);
            // Small numbers, so that comparisons go both ways.
            operands.iter_mut().for_each(|word| *word %= 3);
            [&[head(3, tag, true), address], &operands[..]].concat()
        }
    };
    if rng.gen_bool(0.03) {
        packet.truncate(rng.gen_range(1..3));
    }
    packet[0] ^= (SOURCE ^ rng.gen_range(0..512)) << SOURCE_OFFSET;
    packet
}

fn does_as_the_model<const W: usize, const B: usize>(readiness: f64, rounds: usize) {
    let mut bench = Bench::<W, B>::new(0x4ece + W as u64, readiness);
    let mut model = Model::new(W);
    for (index, data) in windows() {
        bench.write_register(index, data);
        model.register(index, data);
    }
    let (mut refusals, mut values, mut credits, mut engines) = (0, 0, 0, 0);
    for round in 0..rounds {
        for _ in 0..25 {
            let packet = any_packet::<W>(&mut bench.rng);
            model.packet(&packet);
            bench.send(&packet);
        }
        bench.drain();
        for &tag in &TAGS {
            if bench.rng.gen_bool(0.7) {
                let messages = bench.rng.gen_range(0..6);
                bench.write_register(release_register(tag), messages);
                model.release(tag, messages);
            }
        }
        bench.drain();
        let place = format!("W {W}, readiness {readiness}, round {round}");
        assert_eq!(bench.log, model.log, "{place}");
        assert_eq!(bench.memory, model.memory, "{place}");
        for &tag in &TAGS {
            let window = &model.windows[usize::from(tag)];
            let fields = [
                TagRegister::Pointer,
                TagRegister::Ends,
                TagRegister::Released,
                TagRegister::Base,
            ];
            let registers = fields.map(|field| bench.read_register(tag_register(tag, field)));
            let expected = fields.map(|field| u64::from(window.read(field)));
            assert_eq!(registers, expected, "{place}, tag {tag}");
            let rewind = (tag_register(tag, TagRegister::Pointer), 0);
            if window.expect(Mode::Pointer).is_ok() && registers[0] > 300 {
                bench.write_register(rewind.0, rewind.1);
                model.register(rewind.0, rewind.1);
            }
        }
        refusals += model.log.refused;
        values += model.log.answers.iter().filter(|answer| answer.len() == 3).count();
        credits += model.log.credits.len();
        engines += model.log.engine.len();
        bench.log = Default::default();
        model.log = Default::default();
    }
    assert!(
        refusals > rounds && values > rounds / 2 && credits > rounds / 2 && engines > 2,
        "{refusals} {values} {credits} {engines}"
    );
}

#[test]
fn with_words_of_32_bits() {
    does_as_the_model::<32, 4>(1.0, 25);
    does_as_the_model::<32, 4>(0.6, 15);
    does_as_the_model::<32, 4>(0.2, 10);
}

#[test]
fn with_words_of_64_bits() {
    does_as_the_model::<64, 8>(1.0, 25);
    does_as_the_model::<64, 8>(0.5, 15);
}
