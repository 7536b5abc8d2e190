//! Streams of words between a tile and an accelerator beside it.

use portico::streams::{self, Beat, Receive, Send};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    carrier::Carrier,
    fabric::Fabric,
    failure::Failure,
    number,
    operation::{initiator, run},
};

/// State of the streams of a tile.
#[pyclass(frozen, get_all, module = "portico")]
pub(crate) struct Streams {
    /// Sends that run, 0 or 1.
    sends_running: u32,
    /// Sends that wait.
    sends_waiting: u32,
    /// Words of the fabric that the last send that ended has moved.
    sent: u32,
    /// Receives that run, 0 or 1.
    receives_running: u32,
    /// Receives that wait.
    receives_waiting: u32,
    /// Words of the fabric that the last receive that ended has moved.
    received: u32,
}

impl From<streams::Streams> for Streams {
    fn from(found: streams::Streams) -> Streams {
        let ([sends_running, sends_waiting], [receives_running, receives_waiting]) = (found.sends, found.receives);
        Streams {
            sends_running,
            sends_waiting,
            sent: found.sent,
            receives_running,
            receives_waiting,
            received: found.received,
        }
    }
}

fn no_model() -> Failure {
    Failure::Argument("the accelerator's side of a stream is that of Fabric.golden alone".to_owned())
}

#[pymethods]
impl Fabric {
    /// Moves rows of a tile's memory onto the stream that leaves the tile. Complete when the accelerator has taken the last word.
    /// `address` is that of the first row, `row` its length, `stride` from row to row, all in bytes. With `each_row` the last word of
    /// each row has `tlast`, else that of the last row. Keywords are those of the operations of a Segment.
    #[pyo3(signature = (tile, address, row, rows=None, stride=None, each_row=false, **completion))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn send(
        &self,
        py: Python<'_>,
        tile: &Bound<'_, PyAny>,
        address: &Bound<'_, PyAny>,
        row: &Bound<'_, PyAny>,
        rows: Option<&Bound<'_, PyAny>>,
        stride: Option<&Bound<'_, PyAny>>,
        each_row: bool,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let tile = number::node("tile", tile)?;
        let send = Send {
            address: number::word("address", address)?,
            row: number::word("row", row)?,
            rows: rows.map_or(Ok(1), |rows| number::word("rows", rows))?,
            stride: stride.map_or(Ok(0), |stride| number::word("stride", stride))?,
            each_row,
        };
        run(py, &self.shared, completion, |fabric| {
            Ok(initiator(fabric, tile)?.send(&send)?)
        })
    }

    /// Moves the stream that comes to a tile into its memory, from byte `address` on, until a word with `tlast` or `length` bytes.
    /// Complete when the last word is written. Keywords are those of the operations of a Segment.
    #[pyo3(signature = (tile, address, length, **completion))]
    fn receive(
        &self,
        py: Python<'_>,
        tile: &Bound<'_, PyAny>,
        address: &Bound<'_, PyAny>,
        length: &Bound<'_, PyAny>,
        completion: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let tile = number::node("tile", tile)?;
        let (address, length) = (number::word("address", address)?, number::word("length", length)?);
        run(py, &self.shared, completion, |fabric| {
            Ok(initiator(fabric, tile)?.receive(&Receive { address, length })?)
        })
    }

    /// State of the streams of a tile.
    fn streams(&self, py: Python<'_>, tile: &Bound<'_, PyAny>) -> PyResult<Streams> {
        let tile = number::node("tile", tile)?;
        Ok(self.shared.call(py, |fabric| Ok(fabric.streams(tile)?))?.into())
    }

    /// Takes up to `most` words from the stream out of a tile, as an accelerator beside it: pairs of a word of the fabric and its
    /// `tlast`. On Fabric.golden alone.
    fn stream_take(&self, py: Python<'_>, tile: &Bound<'_, PyAny>, most: &Bound<'_, PyAny>) -> PyResult<Vec<Beat>> {
        let (tile, most) = (number::node("tile", tile)?, number::word("most", most)? as usize);
        self.shared.call(py, |fabric| match fabric.transport() {
            Carrier::Golden(golden) => Ok(golden.take(tile, most)?),
            _ => Err(no_model()),
        })
    }

    /// Gives words to the stream into a tile, as an accelerator beside it: pairs of a word of the fabric and its `tlast`. On
    /// Fabric.golden alone.
    fn stream_give(&self, py: Python<'_>, tile: &Bound<'_, PyAny>, beats: Vec<Beat>) -> PyResult<()> {
        let tile = number::node("tile", tile)?;
        self.shared.call(py, |fabric| match fabric.transport() {
            Carrier::Golden(golden) => Ok(golden.give(tile, &beats)?),
            _ => Err(no_model()),
        })
    }
}
