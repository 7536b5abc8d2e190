use crate::{bus::RegisterWriteIn, prim::Ram};
use portico_spec::ni::{
    instruction::{FIRMWARE_WORDS, PC_WIDTH, PROGRAM_WORDS},
    registers::{Block as RegisterBlock, BLOCK_OFFSET, BLOCK_WIDTH},
};
use portico_verilog::prelude::*;

const FIRMWARE_BITS: usize = FIRMWARE_WORDS.ilog2() as usize;

/// Program memory: built-in programs in a ROM, the user's in a block RAM.
///
/// Instructions by their place.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the address to the instruction |
/// | throughput | one instruction a cycle; writes at any time |
/// | state | 256 words of 32 bits, and a register behind the ROM |
///
/// An instruction that is fetched in the cycle in which it is written is undefined.
#[derive(LogicBlock)]
pub struct ProgramMemory {
    pub clk: Signal<In, Clock>,
    /// Writes of registers; those to the block PROGRAM write the user's instructions.
    pub register_write: RegisterWriteIn,
    /// Place of the instruction to read.
    pub address: Signal<In, Bits<PC_WIDTH>>,
    /// Of the address of the cycle before.
    pub word: Signal<Out, Bits<32>>,
    firmware: ROM<Bits<32>, FIRMWARE_BITS>,
    built_in: DFF<Bits<32>>,
    is_built_in: DFF<Bit>,
    user: Vec<Ram<Bits<32>, PC_WIDTH>>,
    place: Signal<Local, Bits<PC_WIDTH>>,
    _users: usize,
}

impl ProgramMemory {
    /// With the built-in programs `firmware`, at most [`FIRMWARE_WORDS`], and room for `programs` of the user's; panics
    /// on more firmware.
    pub fn new(programs: bool, firmware: &[u32]) -> Self {
        let users = usize::from(programs);
        assert!(
            firmware.len() <= FIRMWARE_WORDS,
            "program memory: firmware of {} words, allowed: 0 to {FIRMWARE_WORDS}",
            firmware.len()
        );
        Self {
            clk: Default::default(),
            register_write: Default::default(),
            address: Default::default(),
            word: Default::default(),
            firmware: firmware.iter().map(|&word| bits(word.into())).into(),
            built_in: Default::default(),
            is_built_in: Default::default(),
            user: (0..users).map(|_| Ram::new(PROGRAM_WORDS)).collect(),
            place: Default::default(),
            _users: users,
        }
    }
}

impl Default for ProgramMemory {
    /// Without built-in programs.
    fn default() -> Self {
        Self::new(true, &[])
    }
}

#[kernel]
impl Logic for ProgramMemory {
    fn update(&mut self) {
        dff_setup!(self, clk, built_in, is_built_in);
        self.firmware.address.next = bit_cast::<FIRMWARE_BITS, PC_WIDTH>(self.address.val());
        self.built_in.d.next = self.firmware.data.val();
        self.is_built_in.d.next = self.address.val() < bits::<PC_WIDTH>(FIRMWARE_WORDS);

        self.place.next = self.register_write.index.val().get_bits::<PC_WIDTH>(0);
        self.word.next = 0.into();
        for i in 0..self._users {
            wire!(self => user[i]: clk);
            self.user[i].read_enable.next = true;
            self.user[i].read_address.next = self.address.val();
            self.user[i].write_address.next = self.place.val();
            self.user[i].write_data.next = self.register_write.data.val();
            self.user[i].write_enable.next = false;
            if self.register_write.enable.val()
                & (self.register_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                    == bits::<BLOCK_WIDTH>(RegisterBlock::Program as u64))
                & (self.place.val() >= bits::<PC_WIDTH>(FIRMWARE_WORDS))
            {
                self.user[i].write_enable.next = true;
            }
            self.word.next = self.user[i].read_data.val();
        }
        if self.is_built_in.q.val() {
            self.word.next = self.built_in.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::Rng;

    #[test]
    fn firmware_stays_and_programs_are_what_was_written() {
        let mut rng = rng(0x9806);
        let firmware: Vec<u32> = (0..40).map(|_| rng.gen()).collect();
        let mut dut = ProgramMemory::new(true, &firmware);
        dut.connect_all();
        let mut model = firmware;
        model.resize(PROGRAM_WORDS, 0);
        for (place, held) in model.iter_mut().enumerate() {
            for block in [RegisterBlock::Program, RegisterBlock::Release] {
                let data: u32 = rng.gen();
                dut.register_write.enable.next = true;
                dut.register_write.index.next = (((block as u64) << BLOCK_OFFSET) | place as u64).into();
                dut.register_write.data.next = u64::from(data).into();
                clock_edge!(dut);
                if block == RegisterBlock::Program && place >= FIRMWARE_WORDS {
                    *held = data;
                }
            }
        }
        dut.register_write.enable.next = false;
        for _ in 0..1000 {
            let place = rng.gen_range(0..PROGRAM_WORDS);
            dut.address.next = (place as u64).into();
            clock_edge!(dut);
            assert_eq!(dut.word.val(), u64::from(model[place]), "place {place}");
        }
    }

    #[test]
    #[should_panic(expected = "program memory: firmware of 65 words, allowed: 0 to 64")]
    fn too_much_firmware_is_refused() {
        ProgramMemory::new(true, &[0; FIRMWARE_WORDS + 1]);
    }
}
