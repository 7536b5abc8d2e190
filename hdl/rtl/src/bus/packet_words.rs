//! Combinational decoders and encoders of the words in front of a packet's payload. No other block knows the positions
//! of the fields.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::{
    flit::{
        DESTINATION_OFFSET, HEAD_WIDTH, KIND_OFFSET, KIND_WIDTH, LAST_OFFSET, NODE_WIDTH, SOURCE_OFFSET, TAG_OFFSET,
        TAG_WIDTH,
    },
    ni::packet::{
        OFFSET_OFFSET, OFFSET_WIDTH, OPERATION_OFFSET, OPERATION_WIDTH, ROW_OFFSET, ROW_WIDTH, SLOT_OFFSET, SLOT_WIDTH,
        STRIDED_OFFSET, STRIDE_OFFSET, STRIDE_WIDTH, WIDE_OFFSET,
    },
};
use portico_verilog::prelude::*;

/// Decoder of a head.
#[derive(LogicBlock, Default)]
pub struct HeadDecoder {
    /// The low 32 bits of the head.
    pub word: Signal<In, Bits<32>>,
    /// Node to which the packet goes: x in the low bits, y above.
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    /// Node that sent the packet: x in the low bits, y above.
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    /// What of the destination the packet is for: window, slot, mailbox, segment handle or context, by its kind.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// Kind of the packet; the two planes have different kinds.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// End of a transfer of several packets; in an answer: the transaction is over. Not the tail of the packet.
    pub last: Signal<Out, Bit>,
}

#[kernel]
impl Logic for HeadDecoder {
    fn update(&mut self) {
        self.destination.next = self.word.val().get_bits::<NODE_WIDTH>(DESTINATION_OFFSET);
        self.source.next = self.word.val().get_bits::<NODE_WIDTH>(SOURCE_OFFSET);
        self.tag.next = self.word.val().get_bits::<TAG_WIDTH>(TAG_OFFSET);
        self.kind.next = self.word.val().get_bits::<KIND_WIDTH>(KIND_OFFSET);
        self.last.next = self.word.val().get_bit(LAST_OFFSET);
    }
}

/// Encoder of a head.
#[derive(LogicBlock, Default)]
pub struct HeadEncoder {
    /// Node to which the packet goes: x in the low bits, y above.
    pub destination: Signal<In, Bits<NODE_WIDTH>>,
    /// Node that sent the packet: x in the low bits, y above.
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    /// What of the destination the packet is for: window, slot, mailbox, segment handle or context, by its kind.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Kind of the packet; the two planes have different kinds.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// End of a transfer of several packets; in an answer: the transaction is over. Not the tail of the packet.
    pub last: Signal<In, Bit>,
    /// The low 32 bits of the head.
    pub word: Signal<Out, Bits<32>>,
    last_bit: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for HeadEncoder {
    fn update(&mut self) {
        self.last_bit.next = self.last.val().into();
        self.word.next = field::<32, NODE_WIDTH>(self.destination.val(), DESTINATION_OFFSET)
            | field::<32, NODE_WIDTH>(self.source.val(), SOURCE_OFFSET)
            | field::<32, TAG_WIDTH>(self.tag.val(), TAG_OFFSET)
            | field::<32, KIND_WIDTH>(self.kind.val(), KIND_OFFSET)
            | field::<32, 1>(self.last_bit.val(), LAST_OFFSET);
    }
}

/// Decoder of an ADDRESS word.
#[derive(LogicBlock, Default)]
pub struct AddressDecoder {
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    /// Offset in the window, or address in the memory of the requester, in words.
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Transaction slot of the initiator; in the last reply to a get: the error that broke it off, or 0.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// A GEOMETRY word follows; in that of an atomic: the upper half of a 64-bit word.
    pub strided: Signal<Out, Bit>,
    /// Operation of an atomic.
    pub operation: Signal<Out, Bits<OPERATION_WIDTH>>,
    /// The atomic is of 64 bits rather than 32.
    pub wide: Signal<Out, Bit>,
}

#[kernel]
impl Logic for AddressDecoder {
    fn update(&mut self) {
        self.offset.next = self.word.val().get_bits::<OFFSET_WIDTH>(OFFSET_OFFSET);
        self.slot.next = self.word.val().get_bits::<SLOT_WIDTH>(SLOT_OFFSET);
        self.strided.next = self.word.val().get_bit(STRIDED_OFFSET);
        self.operation.next = self.word.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
        self.wide.next = self.word.val().get_bit(WIDE_OFFSET);
    }
}

/// Encoder of an ADDRESS word.
#[derive(LogicBlock, Default)]
pub struct AddressEncoder {
    /// Offset in the window, or address in the memory of the requester, in words.
    pub offset: Signal<In, Bits<OFFSET_WIDTH>>,
    /// Transaction slot of the initiator; in the last reply to a get: the error that broke it off, or 0.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// A GEOMETRY word follows; in that of an atomic: the upper half of a 64-bit word.
    pub strided: Signal<In, Bit>,
    /// Operation of an atomic.
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// The atomic is of 64 bits rather than 32.
    pub wide: Signal<In, Bit>,
    /// The low 32 bits of the flit.
    pub word: Signal<Out, Bits<32>>,
    strided_bit: Signal<Local, Bits<1>>,
    wide_bit: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for AddressEncoder {
    fn update(&mut self) {
        self.strided_bit.next = self.strided.val().into();
        self.wide_bit.next = self.wide.val().into();
        self.word.next = field::<32, OFFSET_WIDTH>(self.offset.val(), OFFSET_OFFSET)
            | field::<32, SLOT_WIDTH>(self.slot.val(), SLOT_OFFSET)
            | field::<32, 1>(self.strided_bit.val(), STRIDED_OFFSET)
            | field::<32, OPERATION_WIDTH>(self.operation.val(), OPERATION_OFFSET)
            | field::<32, 1>(self.wide_bit.val(), WIDE_OFFSET);
    }
}

/// Decoder of a GEOMETRY word.
#[derive(LogicBlock, Default)]
pub struct GeometryDecoder {
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    /// Words of a row.
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from row to row.
    pub stride: Signal<Out, Bits<STRIDE_WIDTH>>,
}

#[kernel]
impl Logic for GeometryDecoder {
    fn update(&mut self) {
        self.row.next = self.word.val().get_bits::<ROW_WIDTH>(ROW_OFFSET);
        self.stride.next = self.word.val().get_bits::<STRIDE_WIDTH>(STRIDE_OFFSET);
    }
}

/// Encoder of a GEOMETRY word.
#[derive(LogicBlock, Default)]
pub struct GeometryEncoder {
    /// Words of a row.
    pub row: Signal<In, Bits<ROW_WIDTH>>,
    /// Words from row to row.
    pub stride: Signal<In, Bits<STRIDE_WIDTH>>,
    /// The low 32 bits of the flit.
    pub word: Signal<Out, Bits<32>>,
}

#[kernel]
impl Logic for GeometryEncoder {
    fn update(&mut self) {
        self.word.next = field::<32, ROW_WIDTH>(self.row.val(), ROW_OFFSET)
            | field::<32, STRIDE_WIDTH>(self.stride.val(), STRIDE_OFFSET);
    }
}

// Every field lies in the 32 bits that both planes have.
const _: () = assert!(HEAD_WIDTH <= 32 && WIDE_OFFSET < 32 && STRIDE_OFFSET + STRIDE_WIDTH <= 32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use portico_spec::{Head, Node};
    use rand::Rng;

    #[test]
    fn heads_are_those_of_the_specification_both_ways() {
        let mut rng = rng(0x4ead);
        let (mut encoder, mut decoder) = (HeadEncoder::default(), HeadDecoder::default());
        encoder.connect_all();
        decoder.connect_all();
        for _ in 0..500 {
            let mut node = || Node {
                x: rng.gen_range(0..16),
                y: rng.gen_range(0..32),
            };
            let (destination, source) = (node(), node());
            let head = Head {
                destination,
                source,
                tag: rng.gen(),
                kind: rng.gen_range(0..8),
                last: rng.gen(),
            };
            let word = head.encode().unwrap();
            let number = |node: Node| u64::from(node.x) | u64::from(node.y) << 4;
            encoder.destination.next = number(destination).into();
            encoder.source.next = number(source).into();
            encoder.tag.next = u64::from(head.tag).into();
            encoder.kind.next = u64::from(head.kind).into();
            encoder.last.next = head.last;
            settle(&mut encoder);
            assert_eq!(encoder.word.val().to_u64(), u64::from(word));
            decoder.word.next = u64::from(word).into();
            settle(&mut decoder);
            assert_eq!(decoder.destination.val().to_u64(), number(destination));
            assert_eq!(decoder.source.val().to_u64(), number(source));
            assert_eq!(decoder.tag.val().to_u64(), u64::from(head.tag));
            assert_eq!(decoder.kind.val().to_u64(), u64::from(head.kind));
            assert_eq!(decoder.last.val(), head.last);
        }
    }

    #[test]
    fn addresses_and_geometries_come_apart_as_they_were_put_together() {
        let mut rng = rng(0xadd7);
        let (mut encoder, mut decoder) = (AddressEncoder::default(), AddressDecoder::default());
        let (mut shape, mut shape_decoder) = (GeometryEncoder::default(), GeometryDecoder::default());
        encoder.connect_all();
        decoder.connect_all();
        shape.connect_all();
        shape_decoder.connect_all();
        let mut seen = 0;
        for _ in 0..500 {
            let word: u32 = rng.gen();
            decoder.word.next = u64::from(word).into();
            settle(&mut decoder);
            encoder.offset.next = decoder.offset.val();
            encoder.slot.next = decoder.slot.val();
            encoder.strided.next = decoder.strided.val();
            encoder.operation.next = decoder.operation.val();
            encoder.wide.next = decoder.wide.val();
            settle(&mut encoder);
            assert_eq!(encoder.word.val().to_u64(), u64::from(word));
            assert_eq!(decoder.offset.val().to_u64(), u64::from(word % (1 << 22)));
            seen |= word;

            shape_decoder.word.next = u64::from(word).into();
            settle(&mut shape_decoder);
            shape.row.next = shape_decoder.row.val();
            shape.stride.next = shape_decoder.stride.val();
            settle(&mut shape);
            assert_eq!(shape.word.val().to_u64(), u64::from(word));
            assert_eq!(shape_decoder.row.val().to_u64(), u64::from(word % (1 << 16)));
        }
        assert_eq!(seen, u32::MAX, "a bit was never set");
    }
}
