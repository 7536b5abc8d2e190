//! The words in front of a packet's payload, taken apart and put together: the only blocks that know where fields lie.
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
use rust_hdl::prelude::*;

/// Where a field begins in a word.
type Offset = Constant<Bits<6>>;

fn offset(bit: usize) -> Offset {
    Constant::new(bits(bit as u64))
}

/// Takes a head apart.
#[derive(LogicBlock)]
pub struct HeadDecoder {
    /// The low 32 bits of the head.
    pub word: Signal<In, Bits<32>>,
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    pub last: Signal<Out, Bit>,
    destination_at: Offset,
    source_at: Offset,
    tag_at: Offset,
    kind_at: Offset,
    last_at: Offset,
}

impl Default for HeadDecoder {
    fn default() -> Self {
        Self {
            word: Default::default(),
            destination: Default::default(),
            source: Default::default(),
            tag: Default::default(),
            kind: Default::default(),
            last: Default::default(),
            destination_at: offset(DESTINATION_OFFSET),
            source_at: offset(SOURCE_OFFSET),
            tag_at: offset(TAG_OFFSET),
            kind_at: offset(KIND_OFFSET),
            last_at: offset(LAST_OFFSET),
        }
    }
}

impl Logic for HeadDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.destination.next = self
            .word
            .val()
            .get_bits::<NODE_WIDTH>(self.destination_at.val().index());
        self.source.next = self.word.val().get_bits::<NODE_WIDTH>(self.source_at.val().index());
        self.tag.next = self.word.val().get_bits::<TAG_WIDTH>(self.tag_at.val().index());
        self.kind.next = self.word.val().get_bits::<KIND_WIDTH>(self.kind_at.val().index());
        self.last.next = self.word.val().get_bit(self.last_at.val().index());
    }
}

/// Puts a head together.
#[derive(LogicBlock)]
pub struct HeadEncoder {
    pub destination: Signal<In, Bits<NODE_WIDTH>>,
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    pub last: Signal<In, Bit>,
    pub word: Signal<Out, Bits<32>>,
    last_bit: Signal<Local, Bits<1>>,
    destination_at: Offset,
    source_at: Offset,
    tag_at: Offset,
    kind_at: Offset,
    last_at: Offset,
}

impl Default for HeadEncoder {
    fn default() -> Self {
        Self {
            destination: Default::default(),
            source: Default::default(),
            tag: Default::default(),
            kind: Default::default(),
            last: Default::default(),
            word: Default::default(),
            last_bit: Default::default(),
            destination_at: offset(DESTINATION_OFFSET),
            source_at: offset(SOURCE_OFFSET),
            tag_at: offset(TAG_OFFSET),
            kind_at: offset(KIND_OFFSET),
            last_at: offset(LAST_OFFSET),
        }
    }
}

impl Logic for HeadEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.last_bit.next = self.last.val().into();
        self.word.next = (bit_cast::<32, NODE_WIDTH>(self.destination.val()) << self.destination_at.val())
            | (bit_cast::<32, NODE_WIDTH>(self.source.val()) << self.source_at.val())
            | (bit_cast::<32, TAG_WIDTH>(self.tag.val()) << self.tag_at.val())
            | (bit_cast::<32, KIND_WIDTH>(self.kind.val()) << self.kind_at.val())
            | (bit_cast::<32, 1>(self.last_bit.val()) << self.last_at.val());
    }
}

/// Takes an ADDRESS word apart.
#[derive(LogicBlock)]
pub struct AddressDecoder {
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    pub offset: Signal<Out, Bits<OFFSET_WIDTH>>,
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// A GEOMETRY word follows; in that of an atomic: the upper half of a 64-bit word.
    pub strided: Signal<Out, Bit>,
    pub operation: Signal<Out, Bits<OPERATION_WIDTH>>,
    pub wide: Signal<Out, Bit>,
    offset_at: Offset,
    slot_at: Offset,
    strided_at: Offset,
    operation_at: Offset,
    wide_at: Offset,
}

impl Default for AddressDecoder {
    fn default() -> Self {
        Self {
            word: Default::default(),
            offset: Default::default(),
            slot: Default::default(),
            strided: Default::default(),
            operation: Default::default(),
            wide: Default::default(),
            offset_at: offset(OFFSET_OFFSET),
            slot_at: offset(SLOT_OFFSET),
            strided_at: offset(STRIDED_OFFSET),
            operation_at: offset(OPERATION_OFFSET),
            wide_at: offset(WIDE_OFFSET),
        }
    }
}

impl Logic for AddressDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.offset.next = self.word.val().get_bits::<OFFSET_WIDTH>(self.offset_at.val().index());
        self.slot.next = self.word.val().get_bits::<SLOT_WIDTH>(self.slot_at.val().index());
        self.strided.next = self.word.val().get_bit(self.strided_at.val().index());
        self.operation.next = self
            .word
            .val()
            .get_bits::<OPERATION_WIDTH>(self.operation_at.val().index());
        self.wide.next = self.word.val().get_bit(self.wide_at.val().index());
    }
}

/// Puts an ADDRESS word together.
#[derive(LogicBlock)]
pub struct AddressEncoder {
    pub offset: Signal<In, Bits<OFFSET_WIDTH>>,
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    pub strided: Signal<In, Bit>,
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    pub wide: Signal<In, Bit>,
    pub word: Signal<Out, Bits<32>>,
    strided_bit: Signal<Local, Bits<1>>,
    wide_bit: Signal<Local, Bits<1>>,
    offset_at: Offset,
    slot_at: Offset,
    strided_at: Offset,
    operation_at: Offset,
    wide_at: Offset,
}

impl Default for AddressEncoder {
    fn default() -> Self {
        Self {
            offset: Default::default(),
            slot: Default::default(),
            strided: Default::default(),
            operation: Default::default(),
            wide: Default::default(),
            word: Default::default(),
            strided_bit: Default::default(),
            wide_bit: Default::default(),
            offset_at: offset(OFFSET_OFFSET),
            slot_at: offset(SLOT_OFFSET),
            strided_at: offset(STRIDED_OFFSET),
            operation_at: offset(OPERATION_OFFSET),
            wide_at: offset(WIDE_OFFSET),
        }
    }
}

impl Logic for AddressEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.strided_bit.next = self.strided.val().into();
        self.wide_bit.next = self.wide.val().into();
        self.word.next = (bit_cast::<32, OFFSET_WIDTH>(self.offset.val()) << self.offset_at.val())
            | (bit_cast::<32, SLOT_WIDTH>(self.slot.val()) << self.slot_at.val())
            | (bit_cast::<32, 1>(self.strided_bit.val()) << self.strided_at.val())
            | (bit_cast::<32, OPERATION_WIDTH>(self.operation.val()) << self.operation_at.val())
            | (bit_cast::<32, 1>(self.wide_bit.val()) << self.wide_at.val());
    }
}

/// Takes a GEOMETRY word apart.
#[derive(LogicBlock)]
pub struct GeometryDecoder {
    /// The low 32 bits of the flit.
    pub word: Signal<In, Bits<32>>,
    /// Words of a row.
    pub row: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from row to row.
    pub stride: Signal<Out, Bits<STRIDE_WIDTH>>,
    row_at: Offset,
    stride_at: Offset,
}

impl Default for GeometryDecoder {
    fn default() -> Self {
        Self {
            word: Default::default(),
            row: Default::default(),
            stride: Default::default(),
            row_at: offset(ROW_OFFSET),
            stride_at: offset(STRIDE_OFFSET),
        }
    }
}

impl Logic for GeometryDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.row.next = self.word.val().get_bits::<ROW_WIDTH>(self.row_at.val().index());
        self.stride.next = self.word.val().get_bits::<STRIDE_WIDTH>(self.stride_at.val().index());
    }
}

/// Puts a GEOMETRY word together.
#[derive(LogicBlock)]
pub struct GeometryEncoder {
    pub row: Signal<In, Bits<ROW_WIDTH>>,
    pub stride: Signal<In, Bits<STRIDE_WIDTH>>,
    pub word: Signal<Out, Bits<32>>,
    row_at: Offset,
    stride_at: Offset,
}

impl Default for GeometryEncoder {
    fn default() -> Self {
        Self {
            row: Default::default(),
            stride: Default::default(),
            word: Default::default(),
            row_at: offset(ROW_OFFSET),
            stride_at: offset(STRIDE_OFFSET),
        }
    }
}

impl Logic for GeometryEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.word.next = (bit_cast::<32, ROW_WIDTH>(self.row.val()) << self.row_at.val())
            | (bit_cast::<32, STRIDE_WIDTH>(self.stride.val()) << self.stride_at.val());
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
