//! Calls of interfaces: entries and searches, puts and gets.

use portico::portals::{AckReq, Get, Le, Me, PtlList, Put};
use pyo3::prelude::*;

use super::{
    handle::{self, Ct, Md},
    names::{ACKS, ENTRY_OPTIONS, LISTS, SEARCH_OPS},
    ni::{optional_word, or_zero, Ni},
};
use crate::number;

fn list(value: Option<&Bound<'_, PyAny>>) -> PyResult<PtlList> {
    value.map_or(Ok(PtlList::Priority), |value| LISTS.of("ptl_list", value))
}

#[pymethods]
#[allow(clippy::too_many_arguments, reason = "they are keywords of Python")]
impl Ni {
    /// PtlMEAppend: an entry at the end of a list of a portal index, of a matching interface: `length` bytes from byte `start` on, for
    /// messages whose match bits are `match_bits` but for those of `ignore_bits`, from rank `match_id` and user `uid`; None is any. `ct`
    /// is its counter, and `options` are EntryOptions; without PTL_ME_OP_PUT and PTL_ME_OP_GET it takes nothing. With
    /// PTL_ME_MANAGE_LOCAL it leaves its list when fewer than `min_free` bytes are left, 0 for never. `user_ptr`, 32 bits, comes with
    /// its events.
    ///
    /// In the list PTL_PRIORITY_LIST it first consumes the headers of messages that came before it and that it matches, oldest first:
    /// with PTL_ME_USE_ONCE one, and the entry is gone then, else all. PTL_EVENT_PUT_OVERFLOW or PTL_EVENT_GET_OVERFLOW tells each.
    /// Raises PTL_NO_SPACE.
    #[pyo3(signature = (pt_index, start, length, *, match_bits=None, ignore_bits=None, options=None, ptl_list=None, match_id=None,
                        uid=None, min_free=None, ct=None, user_ptr=None))]
    fn me_append(
        &self,
        py: Python<'_>,
        pt_index: &Bound<'_, PyAny>,
        start: &Bound<'_, PyAny>,
        length: &Bound<'_, PyAny>,
        match_bits: Option<&Bound<'_, PyAny>>,
        ignore_bits: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
        ptl_list: Option<&Bound<'_, PyAny>>,
        match_id: Option<&Bound<'_, PyAny>>,
        uid: Option<&Bound<'_, PyAny>>,
        min_free: Option<&Bound<'_, PyAny>>,
        ct: Option<&Bound<'_, Ct>>,
        user_ptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<handle::Me> {
        let pt_index = number::word("pt_index", pt_index)?;
        let me = Me {
            start: number::word("start", start)?,
            length: number::wide("length", length)?,
            ct: None,
            min_free: or_zero("min_free", min_free, number::wide)?,
            uid: optional_word("uid", uid)?,
            options: ENTRY_OPTIONS.of(options)?,
            match_id: optional_word("match_id", match_id)?,
            match_bits: or_zero("match_bits", match_bits, number::wide)?,
            ignore_bits: or_zero("ignore_bits", ignore_bits, number::wide)?,
        };
        let (list, user_ptr) = (list(ptl_list)?, or_zero("user_ptr", user_ptr, number::word)?);
        let ct = ct.map(Bound::get);
        let appended = self.call(py, |ni, fabric| {
            let ct = self.optional(ct, Ct::of)?;
            Ok(ni.me_append(fabric, pt_index, &Me { ct, ..me }, list, user_ptr)?)
        })?;
        Ok(handle::Me::new(&self.shared, self.ni, appended))
    }

    /// PtlMEUnlink: the entry leaves its list, without an event. Raises PTL_IN_USE while a message of it is in progress or a header of
    /// one is left.
    fn me_unlink(&self, py: Python<'_>, me: &Bound<'_, handle::Me>) -> PyResult<()> {
        let me = me.get();
        self.call(py, |ni, fabric| Ok(ni.me_unlink(fabric, me.of(&self.shared)?)?))
    }

    /// PtlMESearch: finds the headers of messages that came to PTL_OVERFLOW_LIST, as me_append to PTL_PRIORITY_LIST would, and appends
    /// nothing. `operation` is a SearchOp. With PTL_ME_USE_ONCE it finds the oldest header that matches, else each. If none does, one
    /// PTL_EVENT_SEARCH tells PTL_NI_NO_MATCH. `length`, in bytes, counts with PTL_ME_NO_TRUNCATE. The events are in the queue of the
    /// index when this returns.
    #[pyo3(signature = (pt_index, operation, *, length=None, match_bits=None, ignore_bits=None, options=None, match_id=None, uid=None,
                        user_ptr=None))]
    fn me_search(
        &self,
        py: Python<'_>,
        pt_index: &Bound<'_, PyAny>,
        operation: &Bound<'_, PyAny>,
        length: Option<&Bound<'_, PyAny>>,
        match_bits: Option<&Bound<'_, PyAny>>,
        ignore_bits: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
        match_id: Option<&Bound<'_, PyAny>>,
        uid: Option<&Bound<'_, PyAny>>,
        user_ptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let pt_index = number::word("pt_index", pt_index)?;
        let operation = SEARCH_OPS.of("operation", operation)?;
        let me = Me {
            length: or_zero("length", length, number::wide)?,
            uid: optional_word("uid", uid)?,
            options: ENTRY_OPTIONS.of(options)?,
            match_id: optional_word("match_id", match_id)?,
            match_bits: or_zero("match_bits", match_bits, number::wide)?,
            ignore_bits: or_zero("ignore_bits", ignore_bits, number::wide)?,
            ..Me::default()
        };
        let user_ptr = or_zero("user_ptr", user_ptr, number::word)?;
        self.call(py, |ni, fabric| {
            Ok(ni.me_search(fabric, pt_index, &me, operation, user_ptr)?)
        })
    }

    /// PtlLEAppend: an entry at the end of a list of a portal index, of a non-matching interface. It takes and consumes as me_append
    /// does, and every message of its index matches.
    #[pyo3(signature = (pt_index, start, length, *, options=None, ptl_list=None, uid=None, ct=None, user_ptr=None))]
    fn le_append(
        &self,
        py: Python<'_>,
        pt_index: &Bound<'_, PyAny>,
        start: &Bound<'_, PyAny>,
        length: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
        ptl_list: Option<&Bound<'_, PyAny>>,
        uid: Option<&Bound<'_, PyAny>>,
        ct: Option<&Bound<'_, Ct>>,
        user_ptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<handle::Le> {
        let pt_index = number::word("pt_index", pt_index)?;
        let le = Le {
            start: number::word("start", start)?,
            length: number::wide("length", length)?,
            ct: None,
            uid: optional_word("uid", uid)?,
            options: ENTRY_OPTIONS.of(options)?,
        };
        let (list, user_ptr) = (list(ptl_list)?, or_zero("user_ptr", user_ptr, number::word)?);
        let ct = ct.map(Bound::get);
        let appended = self.call(py, |ni, fabric| {
            let ct = self.optional(ct, Ct::of)?;
            Ok(ni.le_append(fabric, pt_index, &Le { ct, ..le }, list, user_ptr)?)
        })?;
        Ok(handle::Le::new(&self.shared, self.ni, appended))
    }

    /// PtlLEUnlink: as me_unlink, of a non-matching interface.
    fn le_unlink(&self, py: Python<'_>, le: &Bound<'_, handle::Le>) -> PyResult<()> {
        let le = le.get();
        self.call(py, |ni, fabric| Ok(ni.le_unlink(fabric, le.of(&self.shared)?)?))
    }

    /// PtlLESearch: as me_search, of a non-matching interface, where every header of the index matches.
    #[pyo3(signature = (pt_index, operation, *, options=None, uid=None, user_ptr=None))]
    fn le_search(
        &self,
        py: Python<'_>,
        pt_index: &Bound<'_, PyAny>,
        operation: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
        uid: Option<&Bound<'_, PyAny>>,
        user_ptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let pt_index = number::word("pt_index", pt_index)?;
        let operation = SEARCH_OPS.of("operation", operation)?;
        let le = Le {
            uid: optional_word("uid", uid)?,
            options: ENTRY_OPTIONS.of(options)?,
            ..Le::default()
        };
        let user_ptr = or_zero("user_ptr", user_ptr, number::word)?;
        self.call(py, |ni, fabric| {
            Ok(ni.le_search(fabric, pt_index, &le, operation, user_ptr)?)
        })
    }

    /// PtlPut: sends `length` bytes of a memory descriptor, from its byte `local_offset` on, to an entry of rank `target_id`, from its byte
    /// `remote_offset` on. `ack` is an AckReq, `hdr_data`, 64 bits, comes with the event at the target, `user_ptr`, 32 bits, with SEND
    /// and ACK. Returns when the command is at the tile: SEND, or a count of it, tells that the memory may be written again.
    #[pyo3(signature = (md, length, target_id, *, pt_index=None, match_bits=None, local_offset=None, remote_offset=None, ack=None,
                        hdr_data=None, user_ptr=None))]
    fn put(
        &self,
        py: Python<'_>,
        md: &Bound<'_, Md>,
        length: &Bound<'_, PyAny>,
        target_id: &Bound<'_, PyAny>,
        pt_index: Option<&Bound<'_, PyAny>>,
        match_bits: Option<&Bound<'_, PyAny>>,
        local_offset: Option<&Bound<'_, PyAny>>,
        remote_offset: Option<&Bound<'_, PyAny>>,
        ack: Option<&Bound<'_, PyAny>>,
        hdr_data: Option<&Bound<'_, PyAny>>,
        user_ptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let md = md.get();
        let (length, target) = (number::wide("length", length)?, number::word("target_id", target_id)?);
        let ack = ack.map_or(Ok(AckReq::NoAck), |ack| ACKS.of("ack", ack))?;
        let pt_index = or_zero("pt_index", pt_index, number::word)?;
        let match_bits = or_zero("match_bits", match_bits, number::wide)?;
        let local_offset = or_zero("local_offset", local_offset, number::wide)?;
        let remote_offset = or_zero("remote_offset", remote_offset, number::wide)?;
        let hdr_data = or_zero("hdr_data", hdr_data, number::wide)?;
        let user_ptr = or_zero("user_ptr", user_ptr, number::word)?;
        self.call(py, |ni, fabric| {
            let put = Put {
                md: md.of(&self.shared)?,
                local_offset,
                length,
                ack,
                target,
                pt_index,
                match_bits,
                remote_offset,
                user_ptr,
                hdr_data,
            };
            Ok(ni.put(fabric, &put)?)
        })
    }

    /// PtlGet: fetches `length` bytes of an entry of rank `target_id`, from its byte `remote_offset` on, into a memory descriptor, from its
    /// byte `local_offset` on. `user_ptr`, 32 bits, comes with REPLY. Returns when the command is at the tile: REPLY, or a count of it,
    /// tells that the data are here.
    #[pyo3(signature = (md, length, target_id, *, pt_index=None, match_bits=None, local_offset=None, remote_offset=None, user_ptr=None))]
    fn get(
        &self,
        py: Python<'_>,
        md: &Bound<'_, Md>,
        length: &Bound<'_, PyAny>,
        target_id: &Bound<'_, PyAny>,
        pt_index: Option<&Bound<'_, PyAny>>,
        match_bits: Option<&Bound<'_, PyAny>>,
        local_offset: Option<&Bound<'_, PyAny>>,
        remote_offset: Option<&Bound<'_, PyAny>>,
        user_ptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let md = md.get();
        let (length, target) = (number::wide("length", length)?, number::word("target_id", target_id)?);
        let pt_index = or_zero("pt_index", pt_index, number::word)?;
        let match_bits = or_zero("match_bits", match_bits, number::wide)?;
        let local_offset = or_zero("local_offset", local_offset, number::wide)?;
        let remote_offset = or_zero("remote_offset", remote_offset, number::wide)?;
        let user_ptr = or_zero("user_ptr", user_ptr, number::word)?;
        self.call(py, |ni, fabric| {
            let get = Get {
                md: md.of(&self.shared)?,
                local_offset,
                length,
                target,
                pt_index,
                match_bits,
                remote_offset,
                user_ptr,
            };
            Ok(ni.get(fabric, &get)?)
        })
    }
}
