//! The accelerator at the streams of a tile: words that wait for receives, and words that sends have given.

use crate::{Input, Model, Output, SimError};
use portico_spec::streams::Beat;
use std::collections::VecDeque;

/// The streams of a tile: names as in AMBA AXI4-Stream (ARM IHI 0051).
pub(crate) struct StreamPort {
    in_data: Input,
    in_last: Input,
    in_valid: Input,
    in_ready: Output,
    out_data: Output,
    out_last: Output,
    out_valid: Output,
    out_ready: Input,
    coming: VecDeque<Beat>,
    /// How many words may still be taken.
    wanted: usize,
    left: Vec<Beat>,
}

impl StreamPort {
    /// Those of a tile.
    pub fn find(model: &Model, tile: usize) -> Result<StreamPort, SimError> {
        let into = |field: &str| format!("s_axis_stream_{tile}_{field}");
        let out = |field: &str| format!("m_axis_stream_{tile}_{field}");
        Ok(StreamPort {
            in_data: model.input(&into("tdata"))?,
            in_last: model.input(&into("tlast"))?,
            in_valid: model.input(&into("tvalid"))?,
            in_ready: model.output(&into("tready"))?,
            out_data: model.output(&out("tdata"))?,
            out_last: model.output(&out("tlast"))?,
            out_valid: model.output(&out("tvalid"))?,
            out_ready: model.input(&out("tready"))?,
            coming: VecDeque::new(),
            wanted: 0,
            left: vec![],
        })
    }

    /// Queues words for receives.
    pub fn give(&mut self, beats: &[Beat]) {
        self.coming.extend(beats);
    }

    /// May take so many words more.
    pub fn want(&mut self, beats: usize) {
        self.wanted += beats;
    }

    /// Takes no more words.
    pub fn want_none(&mut self, model: &mut Model) {
        self.wanted = 0;
        model.set(self.out_ready, 0);
    }

    /// What it has taken since the last call.
    pub fn taken(&mut self) -> Vec<Beat> {
        std::mem::take(&mut self.left)
    }

    /// Whether it has words to give, or may take words.
    pub fn is_busy(&self) -> bool {
        !self.coming.is_empty() || self.wanted > 0
    }

    /// A cycle begins: offers a word, and says whether it takes one.
    pub fn drive(&self, model: &mut Model) {
        if let Some(&(word, last)) = self.coming.front() {
            model.set(self.in_data, word);
            model.set(self.in_last, last.into());
            model.set(self.in_valid, 1);
        }
        model.set(self.out_ready, u64::from(self.wanted > 0));
    }

    /// The cycle has settled: words pass.
    pub fn observe(&mut self, model: &Model) {
        if !self.coming.is_empty() && model.get(self.in_ready) == 1 {
            self.coming.pop_front();
        }
        if self.wanted > 0 && model.get(self.out_valid) == 1 {
            self.wanted -= 1;
            self.left
                .push((model.get(self.out_data), model.get(self.out_last) == 1));
        }
    }

    /// The cycle is over: what has nothing to do is silent.
    pub fn rest(&self, model: &mut Model) {
        if self.coming.is_empty() {
            model.set(self.in_valid, 0);
        }
        if self.wanted == 0 {
            model.set(self.out_ready, 0);
        }
    }

    /// Forgets all words.
    pub fn reset(&mut self, model: &mut Model) {
        self.coming.clear();
        self.left.clear();
        self.wanted = 0;
        self.rest(model);
    }
}
